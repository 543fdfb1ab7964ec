import { Fault, KINDS } from '../base/fault.ts'

/** Reads the answer: an HTTP head, then frames (src/http/frames.ts tells of them). */
export class Answer {
  readonly #home: string
  readonly #json: boolean
  readonly #alone: () => unknown
  #bytes: Buffer = Buffer.alloc(0)
  #status: number | undefined
  #mayRepeat = true
  #hasPrinted = false
  #code: number | undefined

  /** `alone` does the work in this process. */
  constructor(home: string, json: boolean, alone: () => unknown) {
    this.#home = home
    this.#json = json
    this.#alone = alone
  }

  take(bytes: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes])
    if (this.#status === undefined) this.#takeHead()
    if (this.#status === 200) while (this.#takeFrame());
  }

  #takeHead(): void {
    const end = this.#bytes.indexOf('\r\n\r\n')
    if (end === -1) return
    this.#status = Number(this.#bytes.toString('latin1', 0, end).split(' ')[1])
    this.#bytes = this.#bytes.subarray(end + 4)
  }

  #takeFrame(): boolean {
    if (this.#bytes.length < 5) return false
    const length = this.#bytes.readUInt32BE(1)
    if (this.#bytes.length < 5 + length) return false
    this.#handle(this.#bytes.toString('latin1', 0, 1), this.#bytes.subarray(5, 5 + length))
    this.#bytes = this.#bytes.subarray(5 + length)
    return true
  }

  #handle(type: string, payload: Buffer): void {
    if (type === 's') this.#mayRepeat = payload.toString() === '1'
    if (type === 'o' || type === 'e') {
      this.#hasPrinted = true
      const stream = type === 'o' ? process.stdout : process.stderr
      stream.write(payload)
    }
    if (type === 'x') this.#code = Number(payload.toString())
  }

  end(): void {
    if (this.#code !== undefined) process.exitCode = this.#code
    else if (this.#mayRepeat && !this.#hasPrinted) this.#alone()
    else this.#fail(new Fault('DAEMON_LOST', { home: this.#home }))
  }

  #fail(fault: Fault): void {
    if (this.#json && !this.#hasPrinted) process.stdout.write(`${JSON.stringify({ error: fault })}\n`)
    else process.stderr.write(`Error: ${fault.message}\nHint: ${fault.hint}\n`)
    process.exitCode = KINDS[fault.kind].exit
  }
}
