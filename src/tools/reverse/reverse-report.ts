import { outPath } from '../../base/quote.ts'
import { count } from '../../base/text.ts'

import type { RecordedEdit, RecordedEdits } from '../../edits/file-change.ts'
import { isSame, type Reversal } from '../../edits/reverse-plan.ts'

import { certaintyOf } from '../../schema/cause.ts'
import { allFoldersAbove, type RelPath } from '../../schema/path.ts'
import { affectedBy } from './recorded-edits.ts'
import { type RevertChoice, whyUnsure } from './reverse-choice.ts'

/** The report of a reversal: what was done, what of it is reverted, what is left, and why. */

/** Every path that a reversal changes, or that conflicts with it. */
export const touchedBy = ({ wishes, folders, clashes }: Reversal): Set<RelPath> =>
  new Set([...wishes.keys(), ...folders.keys(), ...clashes.map(({ path }) => path)])

/** What a snapshot changed, as a person counts: files, and empty folders. */
function pathsOf({ did, folders }: RecordedEdits): RelPath[] {
  const above = allFoldersAbove(did.map(({ path }) => path))
  return [...new Set([...did, ...folders].map(({ path }) => path))].filter((path) => !above.has(path))
}

export type LeftPaths = RevertChoice['left'][number] & { readonly doing: RecordedEdits }

/** What is left alone, and why, without what has been reverted already. */
export const leftOf = (leaving: readonly LeftPaths[], touched: ReadonlySet<RelPath>) =>
  leaving
    .map(({ snapshot, certainty, reason, doing }) => ({
      snapshot_id: snapshot.id,
      certainty,
      reason,
      paths: pathsOf(doing)
        .filter((path) => touched.has(path))
        .map(outPath),
    }))
    .filter(({ paths }) => paths.length > 0)

/** What is reverted although its author is only likely. */
export function likelyOf(chosen: RevertChoice['chosen'], doings: readonly RecordedEdits[], reversal: Reversal) {
  const touched = touchedBy(reversal)
  return chosen
    .filter(({ cause }) => certaintyOf(cause) === 'likely')
    .map((snapshot) => {
      const doing = doings.find(({ id }) => id === snapshot.id)
      const paths = doing === undefined ? [] : pathsOf(doing).filter((path) => touched.has(path))
      return { snapshot_id: snapshot.id, paths: paths.map(outPath), reason: whyUnsure(snapshot) }
    })
    .filter(({ paths }) => paths.length > 0)
}

/**
 * What all the changes together did to each file: the state before the first compared with the state after the last.
 */
export function filesOf(oldestFirst: readonly RecordedEdits[]) {
  const ends = new Map<RelPath, Pick<RecordedEdit, 'before' | 'after' | 'unknown'>>()
  for (const { did } of oldestFirst)
    for (const { path, before, after, unknown } of did) {
      const known = ends.get(path)
      ends.set(path, { before: known ? known.before : before, after, ...(unknown ? { unknown } : {}) })
    }
  return [...ends]
    .filter(([, { before, after, unknown }]) => unknown || !isSame(before, after))
    .map(([path, end]) => ({ path: outPath(path), status: end.unknown ? 'modified' : statusOf(end.before, end.after) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

const statusOf = (before: unknown, after: unknown) =>
  before === undefined ? ('added' as const) : after === undefined ? ('deleted' as const) : ('modified' as const)

export const isNothing = ({ wishes, folders }: Reversal): boolean => wishes.size + folders.size === 0

/** Counts files and, separately, empty folders that are created or deleted. */
function countedPaths(reversal: Reversal): string {
  const files = reversal.wishes.size
  const known = new Set([...reversal.wishes.keys()].map(outPath))
  const folders = affectedBy(reversal).filter((path) => !known.has(path)).length
  return [...(files > 0 ? [count(files, 'file')] : []), ...(folders > 0 ? [count(folders, 'folder')] : [])].join(
    ' and ',
  )
}

export function messageOf(
  chosen: RevertChoice['chosen'],
  reversal: Reversal,
  left: readonly { readonly paths: readonly string[] }[],
  { dry_run, force, all_or_none }: { dry_run: boolean; force: boolean; all_or_none: boolean },
): string {
  const what = count(chosen.length, 'change')
  const inDoubt = left.flatMap(({ paths }) => paths)
  const inTheWay = reversal.clashes.map(({ path }) => path)
  const uncaptured = reversal.clashes.filter((clash) => clash.uncaptured)
  if (inTheWay.length > 0 && !force && (all_or_none || isNothing(reversal)))
    return `${inTheWay.length === uncaptured.length ? 'What is not captured' : 'Later work'} stands in the way of taking back ${what}.`
  if (isNothing(reversal) && inDoubt.length > 0)
    return `Nothing ${dry_run ? 'would be' : 'was'} taken back: ${count(new Set(inDoubt).size, 'path')} may be somebody else’s.`
  if (isNothing(reversal)) return `Nothing is left to take back of ${what}: the files are as they were before.`
  const took = `${dry_run ? 'Would take back' : 'Took back'} ${countedPaths(reversal)}`
  const stay = new Set([...inDoubt, ...inTheWay]).size
  return stay === 0
    ? `${took}.`
    : `${took}; ${count(stay, 'path')} ${stay === 1 ? 'stays' : 'stay'} as ${stay === 1 ? 'it is' : 'they are'}.`
}
