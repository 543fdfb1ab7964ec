import { bytesFromName } from '../../base/quote.ts'
import { ByteSink } from '../byte-sink.ts'
import { parseLabel } from './header-names.ts'
import { PatchReader } from './patch-reader.ts'

/**
 * The diff without the times after its file names; everything else stays. Takes any text: text that is not a diff is
 * unchanged, and so is a line of a hunk that looks like a header.
 */
export function cleanTimestamps(bytes: Uint8Array): Uint8Array {
  const reader = new PatchReader(bytes)
  const out = new ByteSink()
  while (!reader.done) {
    const isPair =
      (reader.sees('--- ') && reader.sees('+++ ', 1)) ||
      (reader.sees('*** ') && reader.sees('--- ', 1) && !reader.sees('*** ', 1))
    const start = reader.at
    if (isPair) {
      addCleaned(out, reader)
      addCleaned(out, reader)
    } else {
      if (!skipHunk(reader)) reader.at++
      out.add(reader.since(start))
    }
  }
  return out.bytes()
}

function addCleaned(out: ByteSink, reader: PatchReader): void {
  const text = reader.text()
  const label = parseLabel(text.slice(4))
  const raw = reader.raw()
  reader.at++
  if (!label?.stamp) return out.add(raw)
  const end = text.length - label.stamp.length
  // The TAB stays where it shows that the name contains a space.
  const kept = text.slice(0, end).trimEnd() + (label.name?.includes(' ') ? '\t' : '')
  out.add(bytesFromName(kept))
  out.add(raw.subarray(bytesFromName(text).length))
}

const RANGES = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/

/** Skips a hunk, as long as its lines agree with its header. */
function skipHunk(reader: PatchReader): boolean {
  const match = reader.sees('@@ ') ? RANGES.exec(reader.text()) : null
  if (!match) return false
  let [olds, news] = [Number(match[1] ?? 1), Number(match[2] ?? 1)]
  for (reader.at++; olds > 0 || news > 0; reader.at++) {
    const mark = String.fromCharCode(reader.first)
    if (!' -+\\\n'.includes(mark)) return true
    if (mark !== '+' && mark !== '\\') olds--
    if (mark !== '-' && mark !== '\\') news--
  }
  return true
}
