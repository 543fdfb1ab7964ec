import { KINDS } from '../base/fault.ts'
import type { Io } from './io.ts'
import { printRemark } from './output/print.ts'

/** Handles a request to stop: waits for the end of a running tool; without one, the command ends at once. */
export class Stopping {
  readonly #io: Io
  #calls = 0
  /** Resolves with the exit code when a stop is requested and no tool is running. */
  readonly idle: Promise<number>

  constructor(io: Io) {
    this.#io = io
    this.idle = new Promise((end) => {
      const stop = (): void => {
        if (this.#calls === 0) end(this.#code)
        else io.stopping?.()
      }
      if (io.stop?.aborted) stop()
      else io.stop?.addEventListener('abort', stop, { once: true })
    })
  }

  get #code(): number {
    const reason: unknown = this.#io.stop?.reason
    return typeof reason === 'number' ? reason : KINDS.cancelled.exit
  }

  async during<T>(work: Promise<T>): Promise<T> {
    this.#calls++
    try {
      return await work
    } finally {
      this.#calls--
    }
  }

  /** The exit code after the tool has ended: if the tool failed for another reason, its own code stays. */
  end(code: number): number {
    if (code === 0) printRemark(this.#io, 'It was finished before it could be stopped.')
    return code === 0 || code === KINDS.cancelled.exit ? this.#code : code
  }
}
