import { randomUUID } from 'node:crypto'
import { openApp } from '../app/app.ts'
import { Fault } from '../base/fault.ts'
import { buildOf, buildText } from '../client/build.ts'
import { callThroughDaemon } from '../client/call.ts'
import { socketOf } from '../client/daemon-files.ts'
import { loadSettings } from '../config/settings.ts'
import { Mutex } from '../daemon/life/mutex.ts'
import type { McpCallRequest } from '../mcp/api.ts'
import { findTool } from '../protocol/catalogue.ts'
import { callTool } from '../tools/call.ts'

export interface WorkOptions {
  readonly home: string
  /** The file of the running program. */
  readonly program: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether a daemon may be used at all. */
  readonly daemon: boolean
  readonly log: (line: string) => void
}

/** How long to wait before trying again to start a daemon. */
const START_AGAIN_MS = 60_000

/** Runs tools for an agent, as the command line does: through the daemon when there is one, else in this process. */
export class McpToolRunner {
  readonly #options: WorkOptions
  /** In this process one call runs at a time, each with its own app: a call waits until the last one has settled. */
  readonly #turn = new Mutex()
  #startedAt = -Infinity

  constructor(options: WorkOptions) {
    this.#options = options
  }

  async call(tool: string, input: object, asked: McpCallRequest): Promise<object> {
    const answer = await this.#throughDaemon(tool, input, asked)
    if (answer?.kind === 'answered') return answer.output
    asked.signal.throwIfAborted()
    if (answer?.mayRepeat === false) throw new Fault('DAEMON_LOST', { home: this.#options.home })
    const output = await this.#alone(tool, input, asked)
    if ((await findTool(tool)?.load())?.usesWatch) await this.#startDaemon()
    return output
  }

  #throughDaemon(tool: string, input: object, asked: McpCallRequest): ReturnType<typeof callThroughDaemon> | undefined {
    const { home, program, env, daemon } = this.#options
    if (!daemon) return undefined
    const build = buildText(buildOf(program))
    return callThroughDaemon({ socket: socketOf(home, env), build, id: randomUUID(), tool, input, ...asked })
  }

  async #alone(tool: string, input: object, { cwd, progress, signal }: McpCallRequest): Promise<object> {
    const release = await this.#turn.take()
    const app = openApp({ home: this.#options.home })
    const leave = (): void => {
      app.close()
      release()
    }
    try {
      signal.throwIfAborted()
      const { output } = await callTool({ app, cwd, progress, signal }, tool, input)
      // The answer does not wait for this; the next call does.
      void app
        .settle()
        .catch((error: unknown) => this.#options.log(`Tidying up afterwards failed: ${String(error)}`))
        .finally(leave)
      return output
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Starts a daemon for the next calls, if one is allowed. */
  async #startDaemon(): Promise<void> {
    const { home, program, daemon } = this.#options
    if (!daemon || performance.now() - this.#startedAt < START_AGAIN_MS || !loadSettings(home, undefined).daemon) return
    this.#startedAt = performance.now()
    const { startQuietly } = await import('../client/start.ts')
    startQuietly(home, program)
  }

  /** Resolves when no call is under way in this process. */
  async idle(): Promise<void> {
    const release = await this.#turn.take()
    release()
  }
}
