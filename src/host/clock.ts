/** Time and randomness are injected, so that tests can fix them. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  random(): number
}

export const realClock: Clock = { now: () => Date.now(), random: () => Math.random() }

/** Blocks the thread. Only for workers and for waits of a few milliseconds. */
export function sleepSync(ms: number): void {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** Yields the thread once. */
export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The result of a promise, or `otherwise` when that takes longer than `ms`. The work behind the promise continues. */
export async function within<T>(ms: number, promised: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), ms)
  })
  return Promise.race([promised, late]).finally(() => clearTimeout(timer))
}

/** The wall clock minus the monotonic clock; it changes when the wall clock is set. */
export const clockOffset = (): number => Date.now() - performance.now()
