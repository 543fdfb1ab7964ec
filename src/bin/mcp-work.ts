import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import { openHouse } from '../app/app.ts'
import { FAULTS, Fault, type FaultCode } from '../base/fault.ts'
import { askDaemon, type Told } from '../client/ask.ts'
import { buildOf, buildText } from '../client/build.ts'
import { isOurs, socketOf } from '../client/daemon-files.ts'
import { machineTime } from '../client/patience.ts'
import { loadSettings } from '../config/settings.ts'
import { Mutex } from '../daemon/life/mutex.ts'
import type { Asked } from '../mcp/api.ts'
import { callTool } from '../tools/call.ts'
import { isProfiting } from './profit.ts'

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
export class Work {
  readonly #options: WorkOptions
  /** Here one thing is done after the other, each in a house of its own: what one call leaves behind, the next meets. */
  readonly #turn = new Mutex()
  #startedAt = -Infinity

  constructor(options: WorkOptions) {
    this.#options = options
  }

  async call(tool: string, input: object, asked: Asked): Promise<object> {
    const told = await this.#askDaemon(tool, input, asked)
    if (told.kind === 'answered') return outputIn(told.out)
    asked.signal.throwIfAborted()
    if (told.kind === 'lost' && !told.mayRepeat) throw new Fault('DAEMON_LOST', { home: this.#options.home })
    const output = await this.#alone(tool, input, asked)
    if (isProfiting(tool)) await this.#startDaemon()
    return output
  }

  async #askDaemon(tool: string, input: object, { cwd, progress, signal }: Asked): Promise<Told> {
    const { home, program, env, daemon } = this.#options
    const socket = socketOf(home, env)
    if (!daemon || !isOurs(dirname(socket))) return { kind: 'unasked' }
    const id = randomUUID()
    const body = JSON.stringify({
      id,
      ...{ argv: ['call', tool, '-'], cwd, env: { HOME: env['HOME'] ?? '', TIMEWARP_HOME: home } },
      stdin_base64: Buffer.from(JSON.stringify(input)).toString('base64'),
      ...{ out_is_terminal: false, err_is_terminal: false, columns: 80, progress: true },
      build: buildText(buildOf(program)),
      asked_ms: machineTime(),
    })
    return askDaemon({ socket, body, id, progress, signal })
  }

  async #alone(tool: string, input: object, { cwd, progress, signal }: Asked): Promise<object> {
    const release = await this.#turn.take()
    const house = openHouse({ home: this.#options.home, daemon: this.#options.daemon })
    const leave = (): void => {
      house.close()
      release()
    }
    try {
      signal.throwIfAborted()
      const { output } = await callTool({ house, cwd, progress, signal }, tool, input)
      // The answer does not wait for it; the next call does.
      void house
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

function outputIn(out: string): object {
  const answer = JSON.parse(out) as { error?: { code: FaultCode; message: string; data: never } }
  if (answer.error === undefined) return answer
  const { code, message, data } = answer.error
  throw Object.hasOwn(FAULTS, code) ? new Fault(code, data) : new Fault('INTERNAL', { problem: message })
}
