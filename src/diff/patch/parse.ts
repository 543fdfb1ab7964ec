/**
 * Parses diffs of any number of files: git's complete format, and the output of `diff -u` and `diff -c`.
 *
 * Text before, between and after the diffs is skipped. The diff itself must be correct to the last line: a patch that
 * was damaged in transit, or has wrong counts, is refused with the line number and the reason.
 */

import { type Label, parseLabel, prefixesOf } from './header-names.ts'
import { readContextHunks } from './parse-context.ts'
import { GIT_START, readGitFile, readLabel } from './parse-git.ts'
import { readHunks, seesHunk } from './parse-hunks.ts'
import type { FilePatch, Patch, PatchBody, PatchChange, PatchFormat, PatchLine, PatchSide } from './patch.ts'
import { PatchReader } from './patch-reader.ts'

/** Throws `PATCH_BAD`. */
export function parsePatch(bytes: Uint8Array): Patch {
  const reader = new PatchReader(bytes)
  const files: FilePatch[] = []
  let passed = 0
  while (!reader.done) {
    const start = reader.at
    const file = readFile(reader)
    if (!file) {
      reader.at = start + 1
      continue
    }
    const end = reader.at
    reader.at = start
    files.push({ ...file, lead: reader.since(passed) })
    reader.at = end
    passed = end
  }
  return { files, tail: reader.since(passed) }
}

type FileRead = Omit<FilePatch, 'lead'>

function readFile(reader: PatchReader): FileRead | undefined {
  if (reader.sees(GIT_START)) return readGitFile(reader)
  if (reader.sees('--- ') && reader.sees('+++ ', 1)) return readClassic(reader, 'unified')
  if (reader.sees('*** ') && reader.sees('--- ', 1) && reader.sees('***************', 2))
    return readClassic(reader, 'context')
  if (reader.sees('Binary files ')) return readSentence(reader)
  if (seesHunk(reader)) reader.fail('a hunk stands here without the name of a file before it')
  if (reader.sees('diff --cc ') || reader.sees('diff --combined '))
    reader.fail('the diff of a merge has several old sides and cannot be applied')
  return undefined
}

function readClassic(reader: PatchReader, format: 'unified' | 'context'): FileRead {
  const line = reader.at + 1
  const [old, current] = [readLabel(reader), readLabel(reader)]
  if (old.name === null && current.name === null) reader.fail('both names are /dev/null', line - 1)
  const hunks = format === 'unified' ? readHunks(reader) : readContextHunks(reader)
  return classicFile(line, format, old, current, { kind: 'text', hunks })
}

const SENTENCE = /^Binary files (.+) and (.+) differ$/s

/** The only statement of the classic formats about binary contents. */
function readSentence(reader: PatchReader): FileRead | undefined {
  const match = SENTENCE.exec(reader.text())
  const [old, current] = [parseLabel(match?.[1] ?? ''), parseLabel(match?.[2] ?? '')]
  if (!old || !current || old.name === current.name) return undefined
  reader.at++
  return classicFile(reader.at, 'unified', old, current, { kind: 'differ' })
}

function classicFile(line: number, format: PatchFormat, old: Label, current: Label, body: PatchBody): FileRead {
  const prefixes = prefixesOf(old.name, current.name)
  return {
    line,
    format,
    change: changeOf(old, current, body),
    old: sideOf(old, prefixes.old),
    new: sideOf(current, prefixes.new),
    likeness: null,
    body,
  }
}

const sideOf = ({ name, stamp }: Label, prefix: string): PatchSide => ({
  path: name?.slice(prefix.length) ?? null,
  prefix,
  stamp,
  mode: null,
  hash: null,
})

/** `diff -N` names a missing file and gives it the time 0. */
function changeOf(old: Label, current: Label, body: PatchBody): PatchChange {
  const has = (mark: PatchLine['mark']): boolean =>
    body.kind === 'text' && body.hunks.some(({ lines }) => lines.some((line) => line.mark !== mark))
  if (old.name === null || (isEpoch(old.stamp) && !has('+'))) return 'added'
  return current.name === null || (isEpoch(current.stamp) && !has('-')) ? 'deleted' : 'modified'
}

const TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.0+)? ([-+]\d\d):?(\d\d)$/
const TIME_IN_WORDS = /^[A-Z][a-z]{2} ((?:Dec 31|Jan +1) \d\d:\d\d:\d\d (?:1969|1970))$/
const FARTHEST_ZONE = 14 * 3_600_000

/** In the text form of `diff -c`, the time has no zone. */
function isEpoch(stamp: string | null): boolean {
  const [time, words] = [TIME.exec(stamp ?? ''), TIME_IN_WORDS.exec(stamp ?? '')]
  if (words) return Math.abs(Date.parse(`${words[1]} UTC`)) <= FARTHEST_ZONE
  return time !== null && Date.parse(`${time[1]}T${time[2]}${time[3]}:${time[4]}`) === 0
}
