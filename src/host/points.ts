/**
 * Points at which a test may stop the program.
 *
 * Every step of a multi-step change passes one. In production a point costs one comparison; a test sets a hook that
 * throws, or has the process killed at the n-th pass.
 */
let hook: ((name: string) => void) | undefined

export function point(name: string): void {
  hook?.(name)
}

export function setPointHook(next: ((name: string) => void) | undefined): void {
  hook = next
}

/** `name:n` or `*:n`: kills the process, as by `kill -9`, at the n-th pass of that point (counted from 1). */
export function dieAt(where: string): void {
  const colon = where.lastIndexOf(':')
  const wanted = where.slice(0, colon)
  let left = Number(where.slice(colon + 1))
  setPointHook((name) => {
    if (wanted !== '*' && name !== wanted) return
    if (--left === 0) process.kill(process.pid, 'SIGKILL')
  })
}
