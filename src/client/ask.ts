import { NOT_HERE } from './declined.ts'
import { FrameReader } from './frames.ts'
import { CLIENT_WAITS_MS } from './patience.ts'
import { type RequestOutcome, send } from './request.ts'

/** A request to the daemon that it answers in frames. */
export interface Asking {
  readonly socket: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
  readonly onOut: (bytes: Buffer) => void
  readonly onError?: (bytes: Buffer) => void
  readonly onProgress?: (message: string, done?: number, total?: number) => void
}

/** How the request ended. */
export type Asked =
  | { readonly kind: 'answered'; readonly exit: number }
  | {
      readonly kind: 'unanswered'
      /** Whether the caller may do the work again: it was not begun, or doing it twice has the same result. */
      readonly mayRepeat: boolean
      /** Whether a daemon runs all the same, so that starting another one is useless. */
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

/** Sends the request to the daemon, and passes on its output as it arrives. */
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

/** Asks the daemon to stop the work of this id; the result is in the answer to the work itself. */
export function cancel(socket: string, id: string): void {
  send({ socket, path: '/v1/cancel', body: JSON.stringify({ id }), waitMs: CLIENT_WAITS_MS })
}
