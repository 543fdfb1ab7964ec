/** Time and chance are passed in, so that tests can hold them still. */
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

/** Lets others have the thread for a moment. */
export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** What a promise gives, or `otherwise` when that takes longer. It goes on all the same. */
export async function within<T>(ms: number, promised: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), ms)
  })
  return Promise.race([promised, late]).finally(() => clearTimeout(timer))
}

/** How far the clock on the wall is ahead of the one that only counts; it changes when somebody sets the first. */
export const clockOffset = (): number => Date.now() - performance.now()
