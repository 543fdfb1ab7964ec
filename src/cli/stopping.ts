import { KINDS } from '../base/fault.ts'
import type { Io } from './io.ts'
import { printRemark } from './output/print.ts'

/** What happens to a command that is asked to stop: while a tool is at work its end is awaited, else it ends at once. */
export class Stopping {
  readonly #io: Io
  #calls = 0
  /** Resolves with the exit code when it is asked to stop and no tool is at work. */
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

  /** The exit code after the tool has ended: a failure of its own keeps its code. */
  end(code: number): number {
    if (code === 0) printRemark(this.#io, 'It was finished before it could be stopped.')
    return code === 0 || code === KINDS.cancelled.exit ? this.#code : code
  }
}
