/** Bytes put together part by part. Text is UTF-8. */
export class Sink {
  readonly #parts: Uint8Array[] = []
  readonly #encoder = new TextEncoder()

  add(part: string | Uint8Array): void {
    this.#parts.push(typeof part === 'string' ? this.#encoder.encode(part) : part)
  }

  bytes(): Uint8Array {
    const all = new Uint8Array(this.#parts.reduce((length, part) => length + part.length, 0))
    let at = 0
    for (const part of this.#parts) {
      all.set(part, at)
      at += part.length
    }
    return all
  }
}
