/**
 * Changed files written as a diff that other tools read.
 *
 * `git` says everything and is what `git apply` takes: modes, symlinks, binary contents, empty files.
 * `unified` and `context` are the classic formats for text; they cannot say a mode or an empty file.
 */

import { createHash } from 'node:crypto'
import { binaryPatch } from './binary-patch.ts'
import { writeContextHunks } from './context-format.ts'
import { gitName, headerName } from './git-names.ts'
import { writeUnifiedHunks } from './hunks.ts'
import { diffLines, type LineDiff } from './lines.ts'
import { Sink } from './sink.ts'

export interface FileChange {
  /** A name as described in base/quote.ts, parts separated by `/`. */
  readonly path: string
  readonly status: 'added' | 'modified' | 'deleted'
  /** The whole st_mode; null where there is no file. */
  readonly oldMode: number | null
  readonly newMode: number | null
  /** The contents, or the target of a symlink; null where there is no file. */
  readonly old: Uint8Array | null
  readonly new: Uint8Array | null
}

export type DiffFormat = 'unified' | 'git' | 'context'

/** Files in the order given. What did not change is not mentioned. */
export function writeDiff(changes: readonly FileChange[], format: DiffFormat, context = 3): Uint8Array {
  const out = new Sink()
  for (const section of changes.flatMap(sectionsOf)) {
    if (format === 'git') writeGit(out, section, context)
    else writeClassic(out, section, format, context)
  }
  return out.bytes()
}

/** How many lines came and went; none in a binary file. */
export function countLines(change: FileChange): { added: number; removed: number } {
  const count = { added: 0, removed: 0 }
  for (const section of sectionsOf(change)) {
    if (isBinary(section)) continue
    for (const { oldStart, oldEnd, newStart, newEnd } of diffOf(section).changes) {
      count.removed += oldEnd - oldStart
      count.added += newEnd - newStart
    }
  }
  return count
}

type GitMode = '100644' | '100755' | '120000'

interface Side {
  readonly mode: GitMode
  readonly bytes: Uint8Array
}

/** What one pair of headers covers. */
interface Section {
  readonly oldName: string
  readonly newName: string
  readonly old: Side | undefined
  readonly new: Side | undefined
}

const NOTHING = new Uint8Array()
const BINARY_WITHIN = 8000

/** Usually one section; two when a file became a symlink or the other way round, for nothing can patch that. */
function sectionsOf(change: FileChange): Section[] {
  const names = { oldName: gitName('a/', change.path), newName: gitName('b/', change.path) }
  const old = change.status === 'added' ? undefined : sideOf(change.oldMode, change.old)
  const current = change.status === 'deleted' ? undefined : sideOf(change.newMode, change.new)
  if (old && current && isLink(old) !== isLink(current))
    return [
      { ...names, old, new: undefined },
      { ...names, old: undefined, new: current },
    ]
  return [{ ...names, old, new: current }]
}

const sideOf = (mode: number | null, bytes: Uint8Array | null): Side => ({
  mode: gitMode(mode ?? 0),
  bytes: bytes ?? NOTHING,
})

/** Of the permissions git knows only whether the owner may execute. */
const gitMode = (mode: number): GitMode =>
  (mode & 0o170000) === 0o120000 ? '120000' : mode & 0o100 ? '100755' : '100644'

const isLink = (side: Side): boolean => side.mode === '120000'

const bytesOf = (side: Side | undefined): Uint8Array => side?.bytes ?? NOTHING

const isBinary = (section: Section): boolean =>
  [section.old, section.new].some((side) => bytesOf(side).subarray(0, BINARY_WITHIN).includes(0))

const sameBytes = (section: Section): boolean => Buffer.compare(bytesOf(section.old), bytesOf(section.new)) === 0

const diffOf = (section: Section): LineDiff => diffLines(bytesOf(section.old), bytesOf(section.new))

function writeClassic(out: Sink, section: Section, format: 'unified' | 'context', context: number): void {
  if (sameBytes(section)) return
  if (isBinary(section)) out.add(`Binary files ${oldLabel(section)} and ${newLabel(section)} differ\n`)
  else if (format === 'unified') writeUnified(out, section, context)
  else writeContext(out, section, context)
}

function writeUnified(out: Sink, section: Section, context: number): void {
  out.add(`--- ${headerName(oldLabel(section))}\n+++ ${headerName(newLabel(section))}\n`)
  writeUnifiedHunks(out, diffOf(section), context)
}

function writeContext(out: Sink, section: Section, context: number): void {
  out.add(`*** ${headerName(oldLabel(section))}\n--- ${headerName(newLabel(section))}\n`)
  writeContextHunks(out, diffOf(section), context)
}

const oldLabel = (section: Section): string => (section.old ? section.oldName : '/dev/null')
const newLabel = (section: Section): string => (section.new ? section.newName : '/dev/null')

function writeGit(out: Sink, section: Section, context: number): void {
  const same = sameBytes(section)
  const modes = modeLines(section)
  if (same && modes === '') return
  out.add(`diff --git ${section.oldName} ${section.newName}\n${modes}`)
  if (same && section.old && section.new) return
  const binary = isBinary(section)
  out.add(indexLine(section, binary ? 40 : 7))
  if (same) return
  if (binary) out.add(binaryPatch(bytesOf(section.old), bytesOf(section.new)))
  else writeUnified(out, section, context)
}

function modeLines({ old, new: current }: Section): string {
  if (!old) return `new file mode ${current?.mode}\n`
  if (!current) return `deleted file mode ${old.mode}\n`
  return old.mode === current.mode ? '' : `old mode ${old.mode}\nnew mode ${current.mode}\n`
}

/** `git apply` takes a binary patch only with whole hashes. */
function indexLine({ old, new: current }: Section, digits: number): string {
  const mode = old?.mode === current?.mode ? ` ${old?.mode}` : ''
  return `index ${blobHash(old, digits)}..${blobHash(current, digits)}${mode}\n`
}

function blobHash(side: Side | undefined, digits: number): string {
  if (!side) return '0'.repeat(digits)
  const hash = createHash('sha1').update(`blob ${side.bytes.length}\0`).update(side.bytes)
  return hash.digest('hex').slice(0, digits)
}
