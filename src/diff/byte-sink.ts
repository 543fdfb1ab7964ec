/** Up to this length a loop is faster than creating a view for `set`. */
const COPY_BY_HAND = 64

/** Builds bytes from parts. Text is encoded as UTF-8. */
export class ByteSink {
  #bytes = new Uint8Array(1024)
  #length = 0
  readonly #encoder = new TextEncoder()

  add(part: string | Uint8Array): void {
    const bytes = typeof part === 'string' ? this.#encoder.encode(part) : part
    this.addRange(bytes, 0, bytes.length)
  }

  /** Adds the bytes from `start` to `end`, the end excluded. */
  addRange(bytes: Uint8Array, start: number, end: number): void {
    this.#makeRoom(end - start)
    if (end - start > COPY_BY_HAND) {
      this.#bytes.set(bytes.subarray(start, end), this.#length)
      this.#length += end - start
    } else for (let at = start; at < end; at++) this.#bytes[this.#length++] = bytes[at]!
  }

  /** All of it, as a copy. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  #makeRoom(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2))
    grown.set(this.#bytes)
    this.#bytes = grown
  }
}
