import type { ToolCall } from '../../app/handler.ts'
import { readFile } from '../../host/files/fs.ts'
import { keyOf } from '../../host/hash.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import { allFoldersAbove, foldersAbove, type RelPath } from '../../schema/path.ts'
import { compareTrees, type TreeDifference } from '../../store/compare-trees.ts'
import { type Entry, KIND } from '../../store/tree.ts'
import { leftOutSince } from '../../timeline/capture/left-out.ts'
import { Trees } from '../../timeline/capture/trees.ts'

/**
 * What a change outside of all sessions lost: not all that its snapshot changed, only what no longer exists because of
 * it.
 */
export interface Loss {
  /** Files, and the folders that were deleted with them. */
  readonly paths: ReadonlySet<RelPath>
  /** So much at once that it is hardly intended. */
  readonly isLarge: boolean
}

/** A loss is large when it has this many files, all of a folder, or this part of all files. */
const MANY = 3
const PART = 1 / 3

/**
 * What a snapshot without a session lost against its base: files that were deleted or emptied and, after a `git reset`,
 * also those that were changed. A renamed file is not lost. Undefined when nothing is lost.
 */
export function lossOf(
  call: ToolCall,
  { gitDir }: { readonly gitDir: string | undefined },
  change: SnapshotRecord,
): Loss | undefined {
  const base = call.app.records.snapshots.baseOf(change)
  if (!base?.content) return undefined
  const { read } = new Trees(call.app.store.reader)
  const isLeftOut = leftOutSince(call.app.records.snapshots, base, change)
  const isUncaptured = new Set(change.facts.skipped.map(({ path }) => path))
  const isTold = (one: TreeDifference): boolean =>
    ![one.path, ...foldersAbove(one.path)].some((path) => isUncaptured.has(path)) && !isLeftOut(one)
  const differences = [...compareTrees(read, base.tree, change.tree)].filter(isTold)
  const acts = gitActs(gitDir, base.created_at, change.created_at)
  const { files, folders } = lostIn(differences, acts.has('reset') && !acts.has('stash'))
  if (files.length + folders.length === 0) return undefined
  const deleted = files.filter(({ new: now }) => now === undefined).length
  const isMost = deleted > change.added + change.modified
  const isMany = deleted >= MANY || deleted >= (change.files + deleted - change.added) * PART || folders.length > 0
  const isLarge = isMost && isMany
  // Files that git removed when it went to another commit can be restored by git.
  if (!isLarge && acts.has('moved')) return undefined
  return { paths: new Set([...files, ...folders].map(({ path }) => path)), isLarge: isLarge || acts.has('reset') }
}

function lostIn(differences: readonly TreeDifference[], isReset: boolean) {
  const added = new Set(
    differences.flatMap(({ old, new: now }) => (old === undefined && isFile(now) ? [keyOf(now.hash)] : [])),
  )
  const isGone = ({ old, new: now }: TreeDifference): boolean => old !== undefined && now === undefined
  const isMoved = ({ old }: TreeDifference): boolean => isFile(old) && old.size > 0 && added.has(keyOf(old.hash))
  const gone = differences.filter((one) => isGone(one) && one.old?.kind !== KIND.directory)
  const moved = gone.filter(isMoved)
  const changed = differences.filter(({ old, new: now }) => isFile(old) && isFile(now) && isWorse(old, now, isReset))
  const files = [...gone.filter((one) => !isMoved(one)), ...changed]
  // The folders of a file that moved were deleted with it.
  const [held, went] = [allFoldersAbove(files.map(({ path }) => path)), allFoldersAbove(moved.map(({ path }) => path))]
  const folders = differences.filter(
    (one) =>
      isGone(one) &&
      one.old?.kind === KIND.directory &&
      (held.has(one.path) || (moved.length === 0 && !went.has(one.path))),
  )
  return { files, folders }
}

const isFile = (entry: Entry | undefined): entry is Entry => entry?.kind === KIND.file

/** Emptied, or changed by git. */
const isWorse = (old: Entry, now: Entry, isReset: boolean): boolean =>
  (old.size > 0 && now.size === 0) || (isReset && Buffer.compare(old.hash, now.hash) !== 0)

type GitAct = 'reset' | 'stash' | 'moved'

/** What git's reflogs record between two moments; their times are whole seconds. */
function gitActs(gitDir: string | undefined, after: number, until: number): ReadonlySet<GitAct> {
  const lines = (gitDir && readFile(`${gitDir}/logs/HEAD`)?.toString().split('\n')) || []
  const isStash = (gitDir && readFile(`${gitDir}/logs/refs/stash`)?.toString().split('\n').some(isWithinTime)) || false
  const found = new Set<GitAct>(isStash ? ['stash'] : [])
  for (const line of lines.filter(isWithinTime))
    if (/\treset: moving to /.test(line)) found.add('reset')
    else if (/\t(checkout|merge|pull|rebase)\b/.test(line)) found.add('moved')
  return found

  function isWithinTime(line: string): boolean {
    const at = Number(/ (\d+) [+-]\d{4}\t/.exec(line)?.[1])
    return at >= Math.floor(after / 1000) && at <= Math.ceil(until / 1000)
  }
}
