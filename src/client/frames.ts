/**
 * The answer to a command or a call as a stream of frames: one byte for the type, four for the length (big-endian), the
 * payload.
 *
 * | type | payload                                                |
 * | ---- | ------------------------------------------------------ |
 * | `s`  | started: `1` if it may be run again, `0` if it may not |
 * | `o`  | bytes for standard output; the answer of a tool        |
 * | `e`  | bytes for standard error                               |
 * | `p`  | progress: a JSON object with message, done, total      |
 * | `x`  | exit code, in decimal; nothing comes after it          |
 */
export type FrameType = 's' | 'o' | 'e' | 'p' | 'x'

const HEAD_BYTES = 5

export function frameHead(type: FrameType, length: number): Uint8Array {
  const head = Buffer.alloc(HEAD_BYTES, type, 'latin1')
  head.writeUInt32BE(length, 1)
  return head
}

/** Cuts a stream of bytes into frames. Joins the parts of a frame once, however many there are. */
export class FrameReader {
  readonly #onFrame: (type: string, payload: Buffer) => void
  #parts: Buffer[] = []
  #size = 0
  /** Bytes that complete the next frame, or its head. */
  #needed = HEAD_BYTES

  /** `onFrame` is called once per complete frame, in order. */
  constructor(onFrame: (type: string, payload: Buffer) => void) {
    this.#onFrame = onFrame
  }

  take(bytes: Buffer): void {
    this.#parts.push(bytes)
    this.#size += bytes.length
    if (this.#size < this.#needed) return
    let rest = Buffer.concat(this.#parts)
    while (rest.length >= (this.#needed = lengthOfFirst(rest))) {
      this.#onFrame(rest.toString('latin1', 0, 1), rest.subarray(HEAD_BYTES, this.#needed))
      rest = rest.subarray(this.#needed)
    }
    this.#parts = [rest]
    this.#size = rest.length
  }
}

const lengthOfFirst = (bytes: Buffer): number =>
  bytes.length < HEAD_BYTES ? HEAD_BYTES : HEAD_BYTES + bytes.readUInt32BE(1)
