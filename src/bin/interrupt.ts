import { KINDS } from '../base/fault.ts'

const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Handles signals in the client while a daemon works for it. The first asks the daemon to stop, and the client waits
 * for the answer; the second ends the client at once.
 */
export class Interrupt {
  /** Asks the daemon to stop; does nothing while there is nothing to stop. */
  ask: () => void = () => {}
  #code: number | undefined
  readonly #listeners = Object.entries(SIGNALS).map(([signal, code]) => {
    const listener = (): void => this.#take(code)
    process.on(signal, listener)
    return { signal, listener }
  })

  #take(code: number): void {
    if (this.#code !== undefined) {
      process.stderr.write('The daemon goes on with it. See how far it is with: timewarp status\n')
      process.exit(code)
    }
    this.#code = code
    process.stderr.write('Stopping…\n')
    this.ask()
  }

  /**
   * Leaves signals to the program that does the work in this process. True: a signal has come, so no work is to be
   * done.
   */
  release(): boolean {
    for (const { signal, listener } of this.#listeners) process.off(signal, listener)
    if (this.#code !== undefined) process.exitCode = this.#code
    return this.#code !== undefined
  }

  /** Called after the answer: if the command was cancelled by a signal, the exit code is that of the signal. */
  finish(): void {
    if (this.#code !== undefined && process.exitCode === KINDS.cancelled.exit) process.exitCode = this.#code
  }
}
