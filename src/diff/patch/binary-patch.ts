import { zlib } from '../../host/builtins.ts'

/** The part of a git patch below its headers with complete contents, forward and backward. */

import { ByteSink } from '../byte-sink.ts'
import { decodeLine, encode85 } from './base85.ts'
import { type BinaryPart, endsInNewline, type PatchBody } from './patch.ts'
import type { PatchReader } from './patch-reader.ts'

export const BINARY_START = 'GIT binary patch'

/** Replaces `before` by `after`, and the reverse with `-R`. */
export function binaryPatch(before: Uint8Array, after: Uint8Array): Uint8Array {
  const out = new ByteSink()
  writeBinary(out, { kind: 'binary', forward: literal(after), backward: literal(before) })
  return out.bytes()
}

// Git's compression level: small files come out as git would write them.
const literal = (data: Uint8Array): BinaryPart => ({
  method: 'literal',
  data,
  deflated: zlib().deflateSync(data, { level: 1 }),
})

type BinaryBody = PatchBody & { readonly kind: 'binary' }

export function writeBinary(out: ByteSink, { forward, backward }: BinaryBody): void {
  out.add(`${BINARY_START}\n`)
  for (const part of backward ? [forward, backward] : [forward]) {
    out.add(`${part.method} ${part.data.length}\n`)
    out.add(encode85(part.deflated))
    out.add('\n')
  }
}

export function readBinary(reader: PatchReader): BinaryBody {
  reader.at++
  const forward = readPart(reader)
  if (!forward) return reader.fail('"literal" or "delta" and a size should be here')
  return { kind: 'binary', forward, backward: readPart(reader) ?? null }
}

function readPart(reader: PatchReader): BinaryPart | undefined {
  const match = /^(literal|delta) (\d{1,10})$/.exec(reader.text())
  if (!match) return undefined
  const line = reader.at++
  const deflated = readDeflated(reader)
  const data = inflate(deflated, Number(match[2]))
  if (!data) return reader.fail(`the data does not come to the ${match[2]} bytes announced`, line)
  return { method: match[1] as BinaryPart['method'], data, deflated }
}

/** Reads lines of data up to an empty one, or to the end of the text. */
function readDeflated(reader: PatchReader): Uint8Array {
  const parts: Uint8Array[] = []
  for (; !reader.done && reader.text() !== ''; reader.at++) {
    const raw = reader.raw()
    const bytes = decodeLine(withoutEnd(raw))
    if (!bytes) return reader.fail('this is not a line of binary data')
    parts.push(bytes)
  }
  reader.at++
  return Buffer.concat(parts)
}

const withoutEnd = (raw: Uint8Array): Uint8Array => {
  const line = endsInNewline(raw) ? raw.subarray(0, -1) : raw
  return line.at(-1) === 0x0d ? line.subarray(0, -1) : line
}

function inflate(deflated: Uint8Array, size: number): Uint8Array | undefined {
  try {
    // Unpacks no more than announced: a small patch must not fill the memory.
    const data = zlib().inflateSync(deflated, { maxOutputLength: Math.max(size, 1) })
    return data.length === size ? data : undefined
  } catch {
    return undefined
  }
}
