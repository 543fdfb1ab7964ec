import { KINDS } from '../base/fault.ts'

const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * What the client does about signals while a daemon works for it. The first asks the daemon to stop and waits for what it
 * says; the second leaves at once.
 */
export class Interrupt {
  /** Asks the daemon to stop; does nothing before there is something to stop. */
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

  /** Leaves signals to the program that does the work in this process. True: there is none to be done, for it was stopped. */
  release(): boolean {
    for (const { signal, listener } of this.#listeners) process.off(signal, listener)
    if (this.#code !== undefined) process.exitCode = this.#code
    return this.#code !== undefined
  }

  /** The answer is there: one to a command that was stopped ends with the code of the signal. */
  finish(): void {
    if (this.#code !== undefined && process.exitCode === KINDS.cancelled.exit) process.exitCode = this.#code
  }
}
