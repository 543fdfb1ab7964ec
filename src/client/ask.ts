import { NOT_HERE } from './declined.ts'
import { FrameReader } from './frames.ts'
import { CLIENT_WAITS_MS } from './patience.ts'
import { type RequestOutcome, send } from './request.ts'

/** DaemonWork for the daemon that is answered in frames. */
export interface Asking {
  readonly socket: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
  readonly onOut: (bytes: Buffer) => void
  readonly onError?: (bytes: Buffer) => void
  readonly onProgress?: (message: string, done?: number, total?: number) => void
}

/** What became of it. */
export type Asked =
  | { readonly kind: 'answered'; readonly exit: number }
  | {
      readonly kind: 'unanswered'
      /** Whether the work may be done again: nothing of it was begun, or doing it twice comes to the same. */
      readonly mayRepeat: boolean
      /** Whether a daemon is there all the same: starting another one is of no use. */
      readonly isServed: boolean
    }

export interface DaemonWork {
  /** Never rejects. */
  readonly ended: Promise<Asked>
  /** As in `Asked`, as far as it is known now. */
  readonly mayRepeat: () => boolean
  /** Closes the connection; the daemon finishes what it has begun. */
  abandon(): void
}

/** Has the daemon do something, and hands on what it says as it says it. */
export function ask({ onOut, onError, onProgress, ...request }: Asking): DaemonWork {
  let mayRepeat = true
  let exit: number | undefined
  const frames = new FrameReader((type, payload) => {
    if (type === 's') mayRepeat = payload.toString() === '1'
    if (type === 'o') onOut(payload)
    if (type === 'e') onError?.(payload)
    if (type === 'x') exit = Number(payload.toString())
    if (type === 'p') report(payload)
  })
  const report = (payload: Buffer): void => {
    const { message, done, total } = JSON.parse(payload.toString()) as Step
    onProgress?.(message, done, total)
  }
  const exchange = send({ ...request, waitMs: CLIENT_WAITS_MS, onBody: (bytes) => frames.take(bytes) })
  const askedOf = (ending: RequestOutcome): Asked =>
    exit === undefined ? { kind: 'unanswered', mayRepeat, isServed: isServed(ending) } : { kind: 'answered', exit }
  return { ended: exchange.ended.then(askedOf), mayRepeat: () => mayRepeat, abandon: () => exchange.abandon() }
}

interface Step {
  readonly message: string
  readonly done?: number
  readonly total?: number
}

const isServed = (ending: RequestOutcome): boolean =>
  ending.status === undefined ? ending.silent : ending.status === NOT_HERE

/** Asks the daemon to stop the work of this id; the answer to the work says what became of it. */
export function cancel(socket: string, id: string): void {
  send({ socket, path: '/v1/cancel', body: JSON.stringify({ id }), waitMs: CLIENT_WAITS_MS })
}
