/** Everything the command line knows of the outside. Built from the process in bin/, from values in tests. */
export interface Io {
  /** Standard output: the answer and nothing else. A reader who has gone away is not an error. */
  out(data: Uint8Array | string): void
  /** Standard error: faults, warnings, progress. */
  err(text: string): void
  /** All of standard input. */
  stdin(): Promise<Uint8Array>
  /** Standard input as it comes, instead of `stdin`; there only in the process whose input it is. */
  readonly stdinParts?: () => AsyncIterable<Uint8Array>
  /** Waits until the reader of standard output has caught up. */
  readonly drained?: () => Promise<void>
  /** Waits for one key; there only when somebody sits at a terminal. */
  readonly key?: () => Promise<string>
  readonly cwd: string
  /** The file of the running program; its siblings lie beside it. */
  readonly program: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly outIsTerminal: boolean
  readonly errIsTerminal: boolean
  /** Width of the terminal. */
  readonly columns: number
  /** Milliseconds; only differences matter. */
  now(): number
  pause(ms: number): Promise<void>
  /** Fires when a tool is to stop at the next point where nothing is half done; its reason is the exit code. */
  readonly stop?: AbortSignal
  /** Called when `stop` has fired and a tool is being waited for. */
  readonly stopping?: () => void
  /** Called before a tool that blocks: a signal may end the process at any moment from now on. */
  readonly mayDie?: () => void
  /** Resolves with the exit code when everything is to be left as it is, at once, and never otherwise. */
  readonly interrupted: Promise<number>
}
