/** Writes a parsed diff, byte for byte as git or `diff` would write it. */

import { bytesFromName } from '../../base/quote.ts'
import { ByteSink } from '../byte-sink.ts'
import { NO_NEWLINE, rangeOf } from '../hunks.ts'
import { writeBinary } from './binary-patch.ts'
import { writeContextHunk } from './context-format.ts'
import { gitName } from './git-names.ts'
import {
  endsInNewline,
  type FilePatch,
  newCount,
  oldCount,
  type Patch,
  type PatchHunk,
  type PatchSide,
  pathOf,
} from './patch.ts'

export function formatPatch(patch: Patch): Uint8Array {
  const out = new ByteSink()
  for (const file of patch.files) writeFile(out, file)
  out.add(patch.tail)
  return out.bytes()
}

function writeFile(out: ByteSink, file: FilePatch): void {
  out.add(file.lead)
  if (file.format === 'git') out.add(gitHeaders(file))
  const { body } = file
  if (body.kind === 'binary') writeBinary(out, body)
  if (body.kind === 'differ') out.add(`Binary files ${nameOf(file.old)} and ${nameOf(file.new)} differ\n`)
  if (body.kind !== 'text') return
  const [oldMark, newMark] = file.format === 'context' ? ['***', '---'] : ['---', '+++']
  writeName(out, oldMark, file.old)
  writeName(out, newMark, file.new)
  for (const hunk of body.hunks) {
    if (file.format === 'context') writeContextHunk(out, hunk)
    else writeUnifiedHunk(out, hunk)
  }
}

const nameOf = ({ prefix, path }: PatchSide): string => (path === null ? '/dev/null' : gitName(prefix, path))

/** The time is the only part of a header that may not be ASCII. */
function writeName(out: ByteSink, mark: string, side: PatchSide): void {
  out.add(`${mark} ${nameOf(side)}${side.stamp === null ? '' : '\t'}`)
  if (side.stamp) out.add(bytesFromName(side.stamp))
  out.add('\n')
}

function gitHeaders(file: FilePatch): string {
  const { old, new: current, change } = file
  const lines = [`diff --git ${gitLineName(file, old)} ${gitLineName(file, current)}`, ...modeLines(file)]
  if (file.likeness !== null) lines.push(file.likeness)
  if (change === 'renamed' || change === 'copied') {
    const verb = change === 'renamed' ? 'rename' : 'copy'
    lines.push(`${verb} from ${gitName('', old.path ?? '')}`, `${verb} to ${gitName('', current.path ?? '')}`)
  }
  if (old.hash !== null && current.hash !== null) lines.push(indexLine(file))
  return lines.map((line) => `${line}\n`).join('')
}

/** In this line both sides have a name, also where there is no file. */
const gitLineName = (file: FilePatch, side: PatchSide): string => gitName(side.prefix, side.path ?? pathOf(file))

function modeLines({ old, new: current, change }: FilePatch): string[] {
  if (change === 'added') return [`new file mode ${octal(current.mode)}`]
  if (change === 'deleted') return [`deleted file mode ${octal(old.mode)}`]
  return old.mode === current.mode ? [] : [`old mode ${octal(old.mode)}`, `new mode ${octal(current.mode)}`]
}

const octal = (mode: number | null): string => (mode ?? 0o100644).toString(8).padStart(6, '0')

function indexLine({ old, new: current }: FilePatch): string {
  const mode = old.mode !== null && old.mode === current.mode ? ` ${octal(old.mode)}` : ''
  return `index ${old.hash}..${current.hash}${mode}`
}

function writeUnifiedHunk(out: ByteSink, hunk: PatchHunk): void {
  const old = rangeOf(hunk.oldStart, oldCount(hunk))
  out.add(`@@ -${old} +${rangeOf(hunk.newStart, newCount(hunk))} @@`)
  out.add(hunk.heading)
  out.add('\n')
  for (const { mark, bytes } of hunk.lines) {
    out.add(mark)
    out.add(bytes)
    if (!endsInNewline(bytes)) out.add(NO_NEWLINE)
  }
}
