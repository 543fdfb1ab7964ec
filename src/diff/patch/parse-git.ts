import { BINARY_START, readBinary } from './binary-patch.ts'
import {
  type Label,
  type Prefixes,
  parseGitLine,
  parseLabel,
  parseName,
  prefixesOf,
  renamePrefixes,
} from './header-names.ts'
import { readHunks } from './parse-hunks.ts'
import type { FilePatch, PatchBody, PatchChange, PatchSide } from './patch.ts'
import type { PatchReader } from './patch-reader.ts'

export const GIT_START = 'diff --git '

/** The values of git's headers, as far as they are present. */
interface Headers {
  readonly line: number
  /** What follows `diff --git`. */
  readonly names: string
  oldMode?: number
  newMode?: number
  change?: PatchChange
  from?: string
  to?: string
  likeness?: string
  oldHash?: string
  newHash?: string
  minus?: Label
  plus?: Label
}

/** A file in git's format; undefined when there is only its first line, as a commit message may quote it. */
export function readGitFile(reader: PatchReader): Omit<FilePatch, 'lead'> | undefined {
  const start = reader.at
  const headers: Headers = { line: start, names: reader.text().slice(GIT_START.length) }
  reader.at++
  while (readHeader(reader, headers)) reader.at++
  const body = readBody(reader, headers)
  if (reader.at === start + 1) return undefined
  const change = headers.change ?? 'modified'
  const [old, current] = sidesOf(reader, headers, change)
  const { likeness = null } = headers
  return { line: start + 1, format: 'git', change, old, new: current, likeness, body }
}

type Read = (headers: Headers, value: string, reader: PatchReader) => void

const HEADERS: Readonly<Record<string, Read>> = {
  'old mode ': (headers, value, reader) => void (headers.oldMode = modeFrom(reader, value)),
  'new mode ': (headers, value, reader) => void (headers.newMode = modeFrom(reader, value)),
  'new file mode ': (headers, value, reader) =>
    void Object.assign(headers, { newMode: modeFrom(reader, value), change: 'added' }),
  'deleted file mode ': (headers, value, reader) =>
    void Object.assign(headers, { oldMode: modeFrom(reader, value), change: 'deleted' }),
  'rename from ': (headers, value, reader) =>
    void Object.assign(headers, { from: nameFrom(reader, value), change: 'renamed' }),
  'rename to ': (headers, value, reader) => void (headers.to = nameFrom(reader, value)),
  'copy from ': (headers, value, reader) =>
    void Object.assign(headers, { from: nameFrom(reader, value), change: 'copied' }),
  'copy to ': (headers, value, reader) => void (headers.to = nameFrom(reader, value)),
  'similarity index ': (headers, value) => void (headers.likeness = `similarity index ${value}`),
  'dissimilarity index ': (headers, value) => void (headers.likeness = `dissimilarity index ${value}`),
  'index ': readIndex,
}

/** Reads the next line if it is one of git's headers. */
function readHeader(reader: PatchReader, headers: Headers): boolean {
  const start = Object.keys(HEADERS).find((key) => reader.sees(key))
  if (start === undefined) return false
  HEADERS[start]?.(headers, reader.text().slice(start.length), reader)
  return true
}

function modeFrom(reader: PatchReader, value: string): number {
  return /^[0-7]{5,6}$/.test(value) ? Number.parseInt(value, 8) : reader.fail('a mode has six octal digits')
}

const nameFrom = (reader: PatchReader, value: string): string =>
  parseName(value) ?? reader.fail('there is no valid file name here')

function readIndex(headers: Headers, value: string, reader: PatchReader): void {
  const match = /^([0-9a-zA-Z]{4,64})\.\.([0-9a-zA-Z]{4,64})(?: ([0-7]{6}))?$/.exec(value)
  if (!match) return reader.fail('an index line has two hashes: index 1234567..89abcde 100644')
  Object.assign(headers, { oldHash: match[1], newHash: match[2] })
  if (match[3] === undefined) return
  const mode = modeFrom(reader, match[3])
  headers.oldMode ??= mode
  headers.newMode ??= mode
}

function readBody(reader: PatchReader, headers: Headers): PatchBody {
  if (reader.sees('--- ') && reader.sees('+++ ', 1)) {
    headers.minus = readLabel(reader)
    headers.plus = readLabel(reader)
    return { kind: 'text', hunks: readHunks(reader) }
  }
  if (reader.sees(BINARY_START)) return readBinary(reader)
  if (!reader.sees('Binary files ')) return { kind: 'none' }
  reader.at++
  return { kind: 'differ' }
}

/** The name in a `---` or `+++` line. */
export function readLabel(reader: PatchReader): Label {
  const label = parseLabel(reader.text().slice(4)) ?? reader.fail('there is no valid file name here')
  reader.at++
  return label
}

function sidesOf(reader: PatchReader, headers: Headers, change: PatchChange): [PatchSide, PatchSide] {
  const { minus, plus, oldMode = null, newMode = null, oldHash = null, newHash = null } = headers
  const { old, new: current, prefixes } = namesOf(reader, headers)
  return [
    {
      path: change === 'added' ? null : old,
      prefix: prefixes.old,
      stamp: minus?.stamp ?? null,
      mode: oldMode,
      hash: oldHash,
    },
    {
      path: change === 'deleted' ? null : current,
      prefix: prefixes.new,
      stamp: plus?.stamp ?? null,
      mode: newMode,
      hash: newHash,
    },
  ]
}

interface Names {
  readonly old: string
  readonly new: string
  readonly prefixes: Prefixes
}

const USUAL: Prefixes = { old: 'a/', new: 'b/' }

function namesOf(reader: PatchReader, headers: Headers): Names {
  const { from, to, minus, plus, line, names } = headers
  if (from !== undefined || to !== undefined) {
    if (from === undefined || to === undefined) return reader.fail('a rename or copy needs both its names', line)
    return { old: from, new: to, prefixes: renamePrefixes(names, from, to) ?? USUAL }
  }
  const both = parseGitLine(names)
  const [old, current] = [both?.old ?? minus?.name ?? plus?.name, both?.new ?? plus?.name ?? minus?.name]
  if (old == null || current == null)
    return reader.fail('the two names in this line differ, and no rename is told', line)
  const prefixes = prefixesOf(old, current)
  const found = { old: old.slice(prefixes.old.length), new: current.slice(prefixes.new.length), prefixes }
  refuseOthers(reader, headers, found)
  return found
}

/** Throws unless the names in the `---` and `+++` lines are those of the first line. */
function refuseOthers(
  reader: PatchReader,
  { minus, plus, line }: Headers,
  { old, new: current, prefixes }: Names,
): void {
  const sameOld = minus?.name == null || minus.name === prefixes.old + old
  const sameNew = plus?.name == null || plus.name === prefixes.new + current
  if (!sameOld || !sameNew) reader.fail('the names in the --- and +++ lines are not those in this line', line)
}
