import { type IncomingMessage, request } from 'node:http'
import { CLIENT_WAITS_MS } from './patience.ts'

/** A command line for a daemon, with a hope for frames (src/http/frames.ts tells of them). */
export interface Asking {
  readonly socket: string
  readonly body: string
  /** The name of the command in the body, by which it is cancelled. */
  readonly id: string
  readonly progress: (message: string, done?: number, total?: number) => void
  /** When it fires, what is only looked at is given up; what changes something is asked to stop, and waited for. */
  readonly signal: AbortSignal
}

/** What became of it. `unasked`: nothing was done, by nobody. */
export type Told =
  | { readonly kind: 'answered'; readonly out: string }
  | { readonly kind: 'unasked' }
  | { readonly kind: 'lost'; readonly mayRepeat: boolean }

/** Has a daemon run a command line. Never rejects. */
export function askDaemon(asking: Asking): Promise<Told> {
  return new Promise((resolve) => {
    const answer = new Answer(asking)
    const asked = request({
      ...{ socketPath: asking.socket, method: 'POST', path: '/v1/command' },
      headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(asking.body) },
    })
    const patience = setTimeout(() => asked.destroy(), CLIENT_WAITS_MS)
    const giveUp = (): void => void (answer.mayRepeat ? asked.destroy() : cancel(asking))
    asking.signal.addEventListener('abort', giveUp, { once: true })
    asked.on('response', (response) => {
      clearTimeout(patience)
      answer.read(response)
    })
    asked.on('error', () => {})
    asked.on('close', () => {
      clearTimeout(patience)
      asking.signal.removeEventListener('abort', giveUp)
      resolve(answer.told)
    })
    asked.end(asking.body)
  })
}

/** Asks the daemon to stop a command; the command's own answer says what became of it. */
function cancel({ socket, id }: Asking): void {
  const headers = { 'Content-Type': 'application/json' }
  request({ socketPath: socket, method: 'POST', path: '/v1/cancel', headers }, (response) => response.resume())
    .on('error', () => {})
    .end(JSON.stringify({ id }))
}

class Answer {
  readonly #asking: Asking
  readonly #out: Buffer[] = []
  #rest: Buffer[] = []
  #size = 0
  /** Before so many bytes are there, nothing can be made of them. */
  #wanted = 5
  #hasStarted = false
  #isOver = false
  mayRepeat = true

  constructor(asking: Asking) {
    this.#asking = asking
  }

  read(response: IncomingMessage): void {
    if (response.statusCode !== 200) return void response.resume()
    response.on('data', (bytes: Buffer) => this.#take(bytes))
    response.on('error', () => {})
  }

  get told(): Told {
    if (this.#isOver) return { kind: 'answered', out: Buffer.concat(this.#out).toString() }
    return this.#hasStarted ? { kind: 'lost', mayRepeat: this.mayRepeat } : { kind: 'unasked' }
  }

  #take(bytes: Buffer): void {
    this.#rest.push(bytes)
    this.#size += bytes.length
    if (this.#size < this.#wanted) return
    let rest = Buffer.concat(this.#rest)
    while (rest.length >= (this.#wanted = rest.length < 5 ? 5 : 5 + rest.readUInt32BE(1))) {
      this.#handle(rest.toString('latin1', 0, 1), rest.subarray(5, this.#wanted))
      rest = rest.subarray(this.#wanted)
    }
    this.#rest = [rest]
    this.#size = rest.length
  }

  #handle(type: string, payload: Buffer): void {
    if (type === 's') [this.#hasStarted, this.mayRepeat] = [true, payload.toString() === '1']
    if (type === 'o') this.#out.push(payload)
    if (type === 'x') this.#isOver = true
    if (type !== 'p') return
    const { message, done, total } = JSON.parse(payload.toString()) as Step
    this.#asking.progress(message, done, total)
  }
}

interface Step {
  readonly message: string
  readonly done?: number
  readonly total?: number
}
