/**
 * Writes changed files as a diff for other tools.
 *
 * `git` is complete and is what `git apply` takes: modes, symlinks, binary contents, empty files. `unified` and
 * `context` are the classic formats for text; they cannot express a mode or an empty file.
 */

import { ByteSink } from './byte-sink.ts'
import { NOTHING_ABOVE } from './common-ends.ts'
import { blobHash } from './git-hash.ts'
import { patchHunksOf, writeUnifiedHunks } from './hunks.ts'
import { diffInside, diffWhole, type Inside, NEIGHBOURS } from './lines.ts'
import { binaryPatch } from './patch/binary-patch.ts'
import { writeContextHunk } from './patch/context-format.ts'
import { gitName, headerName } from './patch/git-names.ts'

export interface FileChange {
  /** A name as described in base/quote.ts, parts separated by `/`. */
  readonly path: string
  /** The previous path of a renamed file. */
  readonly oldPath?: string
  readonly status: 'added' | 'modified' | 'deleted'
  /** The whole st_mode; null where there is no file. */
  readonly oldMode: number | null
  readonly newMode: number | null
  /** The contents, or the target of a symlink; null where there is no file. */
  readonly old: Uint8Array | null
  readonly new: Uint8Array | null
  /** Git's id of the contents, for callers that have it without hashing; only for existing files. */
  readonly oldId?: () => string
  readonly newId?: () => string
}

export type DiffFormat = 'unified' | 'git' | 'context'

/** Files in the given order. Omits unchanged files. */
export const writeDiff = (changes: readonly FileChange[], format: DiffFormat, context = 3): Uint8Array =>
  written(
    changes.flatMap((change) => sectionsOf(change, format)),
    format,
    context,
  )

function written(sections: readonly Section[], format: DiffFormat, context: number): Uint8Array {
  const out = new ByteSink()
  for (const section of sections) {
    if (format === 'git') writeGit(out, section, context)
    else writeClassic(out, section, format, context)
  }
  return out.bytes()
}

/** How many lines were added and removed; none in a binary file. */
export const countLines = (change: FileChange): { added: number; removed: number } => counted(sectionsOf(change, 'git'))

/** The diff in git's format, and how many lines were added and removed: each file is compared once. */
export function writeCounted(changes: readonly FileChange[]): { diff: Uint8Array; added: number; removed: number } {
  const sections = changes.flatMap((change) => sectionsOf(change, 'git'))
  return { diff: written(sections, 'git', 3), ...counted(sections) }
}

function counted(sections: readonly Section[]): { added: number; removed: number } {
  const count = { added: 0, removed: 0 }
  for (const section of sections) {
    if (hasBinary(section)) continue
    for (const { oldStart, oldEnd, newStart, newEnd } of diffOf(section).diff.changes) {
      count.removed += oldEnd - oldStart
      count.added += newEnd - newStart
    }
  }
  return count
}

/** How many lines were added or removed in all files. */
export const linesIn = (changes: readonly FileChange[]): number =>
  changes.map(countLines).reduce((sum, { added, removed }) => sum + added + removed, 0)

type GitMode = '100644' | '100755' | '120000'

interface Side {
  readonly mode: GitMode
  readonly bytes: Uint8Array
  readonly id: () => string
}

/** The content of one pair of headers. */
interface Section {
  readonly oldPath: string
  readonly newPath: string
  readonly old: Side | undefined
  readonly new: Side | undefined
}

const NOTHING = new Uint8Array()
const BINARY_WITHIN = 8000

/** Usually one section; two where no patch leads from the old to the new. */
function sectionsOf(change: FileChange, format: DiffFormat): Section[] {
  const paths = { oldPath: change.oldPath ?? change.path, newPath: change.path }
  const old = change.status === 'added' ? undefined : sideOf(change.oldMode, change.old, change.oldId)
  const current = change.status === 'deleted' ? undefined : sideOf(change.newMode, change.new, change.newId)
  const section = { ...paths, old, new: current }
  if (!old || !current || !needsTwo(section, format)) return [section]
  return [
    { oldPath: paths.oldPath, newPath: paths.oldPath, old, new: undefined },
    { oldPath: paths.newPath, newPath: paths.newPath, old: undefined, new: current },
  ]
}

/** A file that became a symlink or vice versa; a rename, which only git's format can express. */
const needsTwo = (section: Section, format: DiffFormat): boolean =>
  isLink(section.old) !== isLink(section.new) || (format !== 'git' && isRenamed(section))

const isRenamed = ({ oldPath, newPath }: Section): boolean => oldPath !== newPath

function sideOf(mode: number | null, content: Uint8Array | null, id?: () => string): Side {
  const bytes = content ?? NOTHING
  return { mode: gitMode(mode ?? 0), bytes, id: id ?? (() => blobHash(bytes)) }
}

/** Of the permissions, git records only whether the owner may execute. */
const gitMode = (mode: number): GitMode =>
  (mode & 0o170000) === 0o120000 ? '120000' : mode & 0o100 ? '100755' : '100644'

const isLink = (side: Side | undefined): boolean => side?.mode === '120000'

const bytesOf = (side: Side | undefined): Uint8Array => side?.bytes ?? NOTHING

/** Whether git treats it as binary. */
export const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, BINARY_WITHIN).includes(0)

const hasBinary = (section: Section): boolean => [section.old, section.new].some((side) => isBinary(bytesOf(side)))

const sameBytes = (section: Section): boolean => Buffer.compare(bytesOf(section.old), bytesOf(section.new)) === 0

const diffs = new WeakMap<Section, Inside>()

/** Compared once and cached. For long texts it has only the part that differs, with enough around it. */
function diffOf(section: Section): Inside {
  const known = diffs.get(section)
  if (known) return known
  const [old, current] = [bytesOf(section.old), bytesOf(section.new)]
  const diff = diffInside(old, current) ?? { diff: diffWhole(old, current), above: NOTHING_ABOVE }
  diffs.set(section, diff)
  return diff
}

/** As `diffOf`, with at least `context` lines around each change. */
function diffWith(section: Section, context: number): Inside {
  if (context <= NEIGHBOURS) return diffOf(section)
  return { diff: diffWhole(bytesOf(section.old), bytesOf(section.new)), above: NOTHING_ABOVE }
}

function writeClassic(out: ByteSink, section: Section, format: 'unified' | 'context', context: number): void {
  if (sameBytes(section)) return
  if (hasBinary(section)) out.add(`Binary files ${oldLabel(section)} and ${newLabel(section)} differ\n`)
  else if (format === 'unified') writeUnified(out, section, context)
  else writeContext(out, section, context)
}

function writeUnified(out: ByteSink, section: Section, context: number): void {
  out.add(`--- ${headerName(oldLabel(section))}\n+++ ${headerName(newLabel(section))}\n`)
  const { diff, above } = diffWith(section, context)
  writeUnifiedHunks(out, diff, context, above)
}

function writeContext(out: ByteSink, section: Section, context: number): void {
  out.add(`*** ${headerName(oldLabel(section))}\n--- ${headerName(newLabel(section))}\n`)
  const { diff, above } = diffWith(section, context)
  for (const hunk of patchHunksOf(diff, context, above)) writeContextHunk(out, hunk)
}

const oldName = ({ oldPath }: Section): string => gitName('a/', oldPath)
const newName = ({ newPath }: Section): string => gitName('b/', newPath)
const oldLabel = (section: Section): string => (section.old ? oldName(section) : '/dev/null')
const newLabel = (section: Section): string => (section.new ? newName(section) : '/dev/null')

function writeGit(out: ByteSink, section: Section, context: number): void {
  const same = sameBytes(section)
  const headers = modeLines(section) + renameLines(section, same)
  if (same && headers === '') return
  out.add(`diff --git ${oldName(section)} ${newName(section)}\n${headers}`)
  if (same && section.old && section.new) return
  const binary = hasBinary(section)
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

function renameLines(section: Section, same: boolean): string {
  if (!isRenamed(section)) return ''
  const [from, to] = [gitName('', section.oldPath), gitName('', section.newPath)]
  return `similarity index ${same ? 100 : likeness(section)}%\nrename from ${from}\nrename to ${to}\n`
}

/** The percentage of the larger of two files that is in lines of both. */
function likeness(section: Section): number {
  if (hasBinary(section)) return 0
  const { old, changes } = diffOf(section).diff
  const removed = changes.reduce((sum, { oldStart, oldEnd }) => sum + old.bounds[oldEnd]! - old.bounds[oldStart]!, 0)
  const size = Math.max(bytesOf(section.old).length, bytesOf(section.new).length)
  return Math.min(99, Math.floor((100 * (old.bytes.length - removed)) / size))
}

/** `git apply` accepts a binary patch only with full hashes. */
function indexLine({ old, new: current }: Section, digits: number): string {
  const mode = old?.mode === current?.mode ? ` ${old?.mode}` : ''
  return `index ${shortHash(old, digits)}..${shortHash(current, digits)}${mode}\n`
}

const shortHash = (side: Side | undefined, digits: number): string =>
  side ? side.id().slice(0, digits) : '0'.repeat(digits)
