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
  /** Whether a daemon is wanted at all. */
  readonly daemon: boolean
  readonly log: (line: string) => void
}

/** A daemon that does not come up is not tried again and again. */
const START_AGAIN_MS = 60_000

/** Does what an agent asks for, as the command line does: through the daemon when there is one, here when not. */
export class McpToolRunner {
  readonly #options: WorkOptions
  /** Here one thing is done after the other, each in a house of its own: what one call leaves behind, the next meets. */
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
      // The answer does not wait for it; the next call does.
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

  /** The next call is to meet one. */
  async #startDaemon(): Promise<void> {
    const { home, program, daemon } = this.#options
    if (!daemon || performance.now() - this.#startedAt < START_AGAIN_MS || !loadSettings(home, undefined).daemon) return
    this.#startedAt = performance.now()
    const { startQuietly } = await import('../client/start.ts')
    startQuietly(home, program)
  }

  /** Resolves when nothing is under way here. */
  async idle(): Promise<void> {
    const release = await this.#turn.take()
    release()
  }
}
