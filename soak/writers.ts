import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mix } from '../bench/random.ts'

const PATIENCE_MS = 30_000

/** Processes that churn a tree until they are told to stand still. */
export class Writers {
  readonly #children: readonly ChildProcess[]

  /** `onEnd` is called when one ends by itself. */
  constructor(root: string, seed: number, count: number, onEnd: (why: string) => void) {
    const program = new URL('./writer.ts', import.meta.url)
    this.#children = Array.from({ length: count }, (_, at) => fork(program, [root, String(mix(seed, at))]))
    for (const child of this.#children)
      child.once('exit', (code, signal) => {
        if (!child.killed) onEnd(`A writer ended with ${signal ?? code}.`)
      })
  }

  /** When it returns, all stand still, and nothing they have begun is unfinished. */
  async pause(): Promise<void> {
    const heard = this.#children.map((child) => once(child, 'message', { signal: AbortSignal.timeout(PATIENCE_MS) }))
    for (const child of this.#children) child.send('pause')
    await Promise.all(heard).catch((cause: unknown) => {
      throw new Error('The writers do not stand still.', { cause })
    })
  }

  resume(): void {
    for (const child of this.#children) child.send('resume')
  }

  /** May be called twice. */
  end(): void {
    for (const child of this.#children) child.kill('SIGKILL')
  }
}
