import { FAULTS, Fault, type FaultCode } from '../base/fault.ts'
import { type Asked, ask, cancel } from './ask.ts'
import { machineTime } from './patience.ts'

/** A tool call that the daemon runs, for a caller whose current folder is `cwd`. */
export interface DaemonCall {
  readonly socket: string
  /** The caller's build: a daemon of another build declines. */
  readonly build: string
  /** The id by which the call can be cancelled. */
  readonly id: string
  readonly tool: string
  readonly input: object
  readonly cwd: string
  readonly progress: (message: string, done?: number, total?: number) => void
  /** When it fires, a call that may be repeated is abandoned; any other is asked to stop, and its end is awaited. */
  readonly signal: AbortSignal
}

/** The header in which a caller describes itself, as JSON in ASCII. A request with it is answered in frames. */
export const CALLER_HEADER = 'timewarp-caller'

/** Throws the fault that the tool threw. For any result but `answered`, see `Asked`. */
export async function callThroughDaemon(
  call: DaemonCall,
): Promise<{ readonly kind: 'answered'; readonly output: object } | Exclude<Asked, { kind: 'answered' }>> {
  const { socket, build, id, tool, input, cwd, progress, signal } = call
  const out: Buffer[] = []
  const work = ask({
    socket,
    path: `/v1/call/${tool}`,
    headers: { [CALLER_HEADER]: asciiJson({ build, id, cwd, asked_ms: machineTime() }) },
    body: JSON.stringify(input),
    onOut: (bytes) => void out.push(bytes),
    onProgress: progress,
  })
  const giveUp = (): void => (work.mayRepeat() ? work.abandon() : cancel(socket, id))
  signal.addEventListener('abort', giveUp, { once: true })
  const asked = await work.ended
  signal.removeEventListener('abort', giveUp)
  return asked.kind === 'answered' ? { kind: 'answered', output: outputIn(Buffer.concat(out).toString()) } : asked
}

/** Headers take bytes: every character beyond ASCII is written as a JSON escape. */
const asciiJson = (value: object): string =>
  JSON.stringify(value).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

function outputIn(text: string): object {
  const answer = JSON.parse(text) as { error?: { code: FaultCode; message: string; data: never } }
  if (answer.error === undefined) return answer
  const { code, message, data } = answer.error
  throw Object.hasOwn(FAULTS, code) ? new Fault(code, data) : new Fault('INTERNAL', { problem: message })
}
