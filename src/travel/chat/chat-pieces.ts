/** Splits bytes into pieces, each a JSON document. An undefined piece was too long. */
export interface RecordSplitter {
  push(bytes: Buffer): Iterable<Buffer | undefined>
  end(): Iterable<Buffer | undefined>
}

/** Longer records are skipped. */
const LONGEST = 32 * 1024 * 1024

/** Collects the bytes of one piece. */
class Collected {
  #parts: Buffer[] = []
  #length = 0

  add(bytes: Buffer): void {
    this.#length += bytes.length
    if (this.#length <= LONGEST) this.#parts.push(bytes)
    else this.#parts = []
  }

  take(): Buffer | undefined {
    const piece = this.#length > LONGEST ? undefined : Buffer.concat(this.#parts)
    this.#parts = []
    this.#length = 0
    return piece
  }
}

/** One piece per line; empty lines are skipped. */
export class LineRecords implements RecordSplitter {
  readonly #line = new Collected();

  *push(bytes: Buffer): Generator<Buffer | undefined> {
    let from = 0
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, from)) {
      this.#line.add(bytes.subarray(from, at))
      from = at + 1
      yield* this.#taken()
    }
    // A copy, so that the rest of the buffer need not stay in memory for its last line.
    this.#line.add(Buffer.from(bytes.subarray(from)))
  }

  end(): Iterable<Buffer | undefined> {
    return this.#taken()
  }

  *#taken(): Generator<Buffer | undefined> {
    const line = this.#line.take()
    if (line === undefined || line.some((byte) => byte > 32)) yield line
  }
}

const QUOTE = 34
const BACKSLASH = 92

/** The elements of an array that is the document, or the value of its field `messages`. */
export class ArrayRecords implements RecordSplitter {
  readonly #element = new Collected()
  #depth = 0
  /** The depth of the elements; 0 while their array has not begun. */
  #level = 0
  #inString = false
  #isEscaped = false
  /** The last string at the top level, and whether a colon followed it. */
  #name = ''
  #isNamed = false;

  *push(bytes: Buffer): Generator<Buffer | undefined> {
    let from = this.#isInside() ? 0 : -1
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0
      const was = this.#isInside()
      this.#step(byte)
      if (!was && this.#isInside()) from = at
      if (was && !this.#isInside()) {
        this.#element.add(bytes.subarray(from, at + 1))
        yield this.#element.take()
        from = -1
      }
    }
    if (from !== -1) this.#element.add(Buffer.from(bytes.subarray(from)))
  }

  *end(): Generator<Buffer | undefined> {
    if (this.#isInside()) yield undefined
  }

  #isInside(): boolean {
    return this.#level > 0 && this.#depth > this.#level
  }

  #step(byte: number): void {
    if (this.#inString) return this.#stepInString(byte)
    if (byte === QUOTE) {
      this.#inString = true
      this.#name = ''
    } else if (byte === 123 || byte === 91) this.#open(byte === 91)
    else if (byte === 125 || byte === 93) this.#close()
    else if (byte === 58) this.#isNamed = this.#depth === 1 && this.#name === 'messages'
    else if (byte === 44) this.#isNamed = false
  }

  #stepInString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) this.#inString = false
    else if (this.#depth === 1 && this.#name.length < 16) this.#name += String.fromCharCode(byte)
  }

  #open(isArray: boolean): void {
    this.#depth++
    if (this.#level === 0 && isArray && (this.#depth === 1 || (this.#depth === 2 && this.#isNamed)))
      this.#level = this.#depth
  }

  #close(): void {
    this.#depth--
    if (this.#depth < this.#level) this.#level = 0
  }
}
