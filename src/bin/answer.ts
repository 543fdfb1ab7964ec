import { Fault, KINDS } from '../base/fault.ts'
import { faultText } from '../base/fault-text.ts'
import { NOT_HERE } from '../client/declined.ts'
import { handover } from './handover.ts'

/** A command line that a daemon was asked to run. */
export interface Question {
  readonly home: string
  /** Whether the answer is JSON, also when it is a fault. */
  readonly json: boolean
  /** Does the work in this process. */
  readonly alone: () => unknown
}

/** Reads the answer: an HTTP head, then frames (src/http/frames.ts tells of them). */
export class Answer {
  readonly #question: Question
  #parts: Buffer[] = []
  #size = 0
  /** Before so many bytes are there, nothing can be made of them. */
  #wanted = 0
  #status: number | undefined
  #mayRepeat = true
  #hasPrinted = false
  #code: number | undefined

  constructor(question: Question) {
    this.#question = question
  }

  take(bytes: Buffer): void {
    this.#parts.push(bytes)
    this.#size += bytes.length
    if (this.#size < this.#wanted) return
    let rest: Buffer = Buffer.concat(this.#parts)
    if (this.#status === undefined) rest = this.#takeHead(rest)
    if (this.#status === 200) rest = this.#takeFrames(rest)
    this.#parts = [rest]
    this.#size = rest.length
  }

  #takeHead(bytes: Buffer): Buffer {
    const end = bytes.indexOf('\r\n\r\n')
    if (end === -1) return bytes
    this.#status = Number(bytes.toString('latin1', 0, end).split(' ')[1])
    return bytes.subarray(end + 4)
  }

  /** Returns what is left over: the beginning of the next frame. */
  #takeFrames(bytes: Buffer): Buffer {
    for (let rest = bytes; ; ) {
      this.#wanted = 5 + (rest.length < 5 ? 0 : rest.readUInt32BE(1))
      if (rest.length < this.#wanted) return rest
      this.#handle(rest.toString('latin1', 0, 1), rest.subarray(5, this.#wanted))
      rest = rest.subarray(this.#wanted)
    }
  }

  #handle(type: string, payload: Buffer): void {
    if (type === 's') this.#mayRepeat = payload.toString() === '1'
    if (type === 'e') process.stderr.write(payload)
    if (type === 'x') this.#code = Number(payload.toString())
    if (type !== 'o') return
    this.#hasPrinted = true
    process.stdout.write(payload)
  }

  /** Nothing more will come. */
  end(): void {
    if (this.#status === NOT_HERE) handover().isServed = true
    // An answer that could not be written has set another one.
    if (this.#code !== undefined) process.exitCode = this.#code || (process.exitCode ?? 0)
    else if (this.#mayRepeat && !this.#hasPrinted) this.#question.alone()
    else refuse(new Fault('DAEMON_LOST', { home: this.#question.home }), this.#question.json && !this.#hasPrinted)
  }
}

/** Ends with a fault. */
export function refuse(fault: Fault, json: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify({ error: fault })}\n`)
  else process.stderr.write(`${faultText(fault)}\n`)
  process.exitCode = KINDS[fault.kind].exit
}
