import { Fault } from '../../base/fault.ts'
import { nameFromBytes } from '../../base/quote.ts'
import { type Lines, lineCount, splitLines } from '../split.ts'

const [LF, CR] = [10, 13]

/** Reads the text of a diff line by line. */
export class PatchReader {
  readonly #lines: Lines
  /** The next line, counted from 0. */
  at = 0

  constructor(bytes: Uint8Array) {
    this.#lines = splitLines(bytes)
  }

  get done(): boolean {
    return this.at >= lineCount(this.#lines)
  }

  /** Whether the line `ahead` lines further begins with `start`, which is ASCII. */
  sees(start: string, ahead = 0): boolean {
    const { bytes, bounds } = this.#lines
    const from = bounds[this.at + ahead]
    if (from === undefined || from + start.length > bytes.length) return false
    for (let i = 0; i < start.length; i++) if (bytes[from + i] !== start.charCodeAt(i)) return false
    return true
  }

  /** The first byte of the next line; NaN at the end. */
  get first(): number {
    return this.done ? Number.NaN : this.#lines.bytes[this.#lines.bounds[this.at]!]!
  }

  /** The next line without its line end, which may have become CRLF in transit. */
  text(ahead = 0): string {
    const bytes = this.raw(ahead)
    const end = bytes.at(-1) === LF ? (bytes.at(-2) === CR ? -2 : -1) : bytes.length
    return nameFromBytes(bytes.subarray(0, end))
  }

  /** The next line with its LF, if it has one. */
  raw(ahead = 0): Uint8Array {
    const { bytes, bounds } = this.#lines
    const i = this.at + ahead
    return bytes.subarray(bounds[i] ?? bytes.length, bounds[i + 1] ?? bytes.length)
  }

  /** The lines from `start` up to the next one, unchanged. */
  since(start: number): Uint8Array {
    const { bytes, bounds } = this.#lines
    return bytes.subarray(bounds[start] ?? bytes.length, bounds[this.at] ?? bytes.length)
  }

  /** Throws `PATCH_BAD` about the next line, or about `line`, counted from 0. */
  fail(problem: string, line = this.at): never {
    throw new Fault('PATCH_BAD', { line: line + 1, problem })
  }
}
