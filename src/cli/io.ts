/** The command line's only access to the outside. bin/ builds it from the process, tests from values. */
export interface Io {
  /** Standard output: the answer and nothing else. It is no error if the reader has closed it. */
  out(data: Uint8Array | string): void
  /** Standard error: faults, warnings, progress. */
  err(text: string): void
  /** All of standard input. */
  stdin(): Promise<Uint8Array>
  /** Standard input in parts as they arrive, instead of `stdin`; only in the process whose input it is. */
  readonly stdinParts?: () => AsyncIterable<Uint8Array>
  /** Waits until the reader of standard output has caught up. */
  readonly drained?: () => Promise<void>
  /** Waits for one key; undefined unless standard input and output are a terminal. */
  readonly key?: () => Promise<string>
  readonly cwd: string
  /** The file of the running program; the other programs are in the same folder. */
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
  /** Called when `stop` has fired while a tool is running. */
  readonly stopping?: () => void
  /** Called before a tool that blocks the event loop: from now on a signal may kill the process at any moment. */
  readonly mayDie?: () => void
  /** Resolves with the exit code when the command must end at once; otherwise never. */
  readonly interrupted: Promise<number>
}
