import { Redaction } from './stream.ts'

/**
 * Redacts bytes as a stream. Everything that is not a secret stays byte for byte, also bytes that are not UTF-8: in the
 * text such a byte is the lone surrogate U+DC00 + byte, which no valid text contains.
 */
export class ByteRedaction {
  readonly #text: Redaction
  #cut: Buffer = Buffer.alloc(0)

  constructor(options: { readonly known?: readonly string[] } = {}) {
    this.#text = new Redaction(options)
  }

  get redacted(): number {
    return this.#text.redacted
  }

  push(bytes: Uint8Array): Uint8Array {
    const all = this.#cut.length > 0 ? Buffer.concat([this.#cut, bytes]) : asBuffer(bytes)
    const end = all.length - cutLength(all)
    this.#cut = Buffer.from(all.subarray(end))
    return bytesOf(this.#text.push(textOf(all.subarray(0, end))))
  }

  end(): Uint8Array {
    const rest = this.#text.push(textOf(this.#cut))
    return bytesOf(rest + this.#text.end())
  }
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** How many bytes at the end are an incomplete character that the next bytes may complete. */
function cutLength(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return lengthOf(byte) > back ? back : 0
  }
  return 0
}

const lengthOf = (lead: number): number =>
  lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0

export function textOf(given: Uint8Array): string {
  const bytes = asBuffer(given)
  const fine = plain(bytes)
  if (fine !== undefined) return fine
  const parts: string[] = []
  let from = 0
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceAt(bytes, at)
    if (length === 0) {
      parts.push(bytes.toString('utf8', from, at), String.fromCharCode(0xdc00 + (bytes[at] ?? 0)))
      from = at + 1
    }
    at += length || 1
  }
  parts.push(bytes.toString('utf8', from))
  return parts.join('')
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function plain(bytes: Buffer): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/** The length of the character at `at`; 0 when there is no valid one. */
function sequenceAt(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0
  const length = lengthOf(lead)
  if (length < 2) return length
  const next = bytes[at + 1] ?? 0
  if (lead === 0xe0 && next < 0xa0) return 0
  if (lead === 0xed && next > 0x9f) return 0
  if (lead === 0xf0 && next < 0x90) return 0
  if (lead === 0xf4 && next > 0x8f) return 0
  for (let i = 1; i < length; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0
  return length
}

export function bytesOf(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text)
  const parts: Uint8Array[] = []
  let from = 0
  for (const lone of text.matchAll(/[\udc80-\udcff]/gu)) {
    parts.push(Buffer.from(text.slice(from, lone.index)), Uint8Array.of(lone[0].charCodeAt(0) - 0xdc00))
    from = lone.index + 1
  }
  parts.push(Buffer.from(text.slice(from)))
  return Buffer.concat(parts)
}
