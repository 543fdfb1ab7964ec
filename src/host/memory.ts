/** Heap growth that makes a pause for a collection worthwhile. */
const WORTHWHILE = 32 * 1024 * 1024

/**
 * Flags for a long-lived process. The heap may double before V8 does a full collection: V8 counts a capture's temporary
 * memory as growth, and otherwise every twentieth capture would wait for one. `gc` becomes callable.
 */
export const LONG_LIVED = ['--heap-growing-percent=100', '--expose-gc'] as const

/**
 * Returns memory to the system after a large piece of work. V8 does so only when it runs again, which may be never in
 * an idle process. Takes a tenth of a second if there is much to return. Does nothing in a process started without
 * `LONG_LIVED`.
 */
export class HeapTrimmer {
  #size = process.memoryUsage().heapTotal

  trim(): void {
    if (process.memoryUsage().heapTotal < this.#size + WORTHWHILE) return
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    this.#size = process.memoryUsage().heapTotal
  }
}
