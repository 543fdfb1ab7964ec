/** The heap may grow by this much before it is worth a pause to make it small. */
const WORTHWHILE = 32 * 1024 * 1024

/**
 * Flags a long-lived process is started with: the heap may double before V8 looks through all of it (what a capture uses
 * for a moment counts as growth, and every twentieth capture would wait for such a look), and `gc` can be called.
 */
export const LONG_LIVED = ['--heap-growing-percent=100', '--expose-gc'] as const

/**
 * Returns memory to the system that a large piece of work needed and nothing needs any more. V8 does so only when it runs
 * again, which in a process that waits may be never. Takes a tenth of a second, if there is much to return. Does nothing
 * in a process that was not started with `LONG_LIVED`.
 */
export class HeapTrimmer {
  #size = process.memoryUsage().heapTotal

  trim(): void {
    if (process.memoryUsage().heapTotal < this.#size + WORTHWHILE) return
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    this.#size = process.memoryUsage().heapTotal
  }
}
