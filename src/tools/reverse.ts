import { Fault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { count } from '../base/text.ts'
import { fileChange, type State } from '../edits/file-change.ts'
import { hunksOf, onlyHunks } from '../edits/hunk-choice.ts'
import { mergeForReversal } from '../edits/merge-reversal.ts'
import type { PresentFolders } from '../edits/reverse-folders.ts'
import { type Did, type DidFolder, type Doing, planReversal, type Reversal } from '../edits/reverse-plan.ts'
import { type FileChange, linesIn, writeDiff } from '../edits/unified.ts'
import { ReverseOp } from '../protocol/reverse.ts'
import type { SnapshotRecord } from '../records/snapshots.ts'
import { allFoldersAbove, type RelPath } from '../schema/path.ts'
import { type Entry, KIND } from '../store/tree.ts'
import { type ChangeRequest, change, type Present, previewChange } from '../timeline/change.ts'
import { compareTrees } from '../timeline/compare.ts'
import type { Wished } from '../timeline/graft.ts'
import { leftOutSince } from '../timeline/left-out.ts'
import { placesOf } from '../timeline/places.ts'
import { Trees } from '../timeline/trees.ts'
import type { Workspace } from '../timeline/workspace.ts'
import { diffFields, stateOf } from './diff-text.ts'
import { type Call, handler } from './handler.ts'
import { meant } from './meant.ts'
import { captureRoom, findOwn, theWorkspace, withinOf } from './place.ts'
import { recoverFirst, refuseWhenBlocked } from './recovery.ts'
import { whoOf } from './who.ts'
import { nothingAt, stateAt } from './wishes.ts'

export const reverseOp = handler(ReverseOp, async (call, input) => {
  const paths = withinOf(input.paths)
  const workspace = theWorkspace(call, input)
  const recovered = await recoverFirst(call, workspace)
  const { chosen, left, stays } = choose(call, workspace, input)
  const all = chosen.map((snapshot) => doingOf(call, snapshot, paths, stays)).filter(isDoing)
  if (all.length === 0) throw new Fault('NOTHING_TO_REVERT', {})
  const doings = input.hunks.length > 0 ? [someHunks(all, new Set(input.hunks))] : all
  const plan: Planned = { reversal: { wishes: new Map(), folders: new Map(), clashes: [] }, changes: [] }
  const decide: ChangeRequest['decide'] = (present) => {
    const read = (path: RelPath): State | undefined =>
      stateOf(path, present.entry(path), (at, entry) => present.bytes(at, entry))
    plan.reversal = planReversal(doings, { read, folders: foldersIn(present) }, mergeForReversal, input.force)
    plan.changes = [...plan.reversal.wishes].map(([path, state]) => fileChange(path, read(path), state))
    if (plan.reversal.clashes.length > 0 && !input.force) throw new Clashed()
    return wishesOf(plan.reversal)
  }
  const lines = (): number => linesIn(plan.changes)
  const done = await carryOut(call, workspace, doings, { decide, linesChanged: lines }, input)
  const { clashes } = plan.reversal
  return {
    message: messageOf(chosen, plan.reversal, input),
    reversed: chosen.map(({ id }) => id),
    left_shared: left.map(({ id }) => id),
    affected_files: affectedBy(plan.reversal),
    ...reversedDiff(plan.changes),
    hunks: all.length === 1 ? hunksOf(all[0] as Doing) : [],
    conflicts: clashes.map(({ path, id, ...rest }) => ({ path: outPath(path), snapshot_id: id, ...rest })),
    base_id: done?.before.id ?? null,
    new_snapshot_id: done?.after.id ?? null,
    warnings: recovered,
    dry_run: input.dry_run,
  }
})

interface Planned {
  reversal: Reversal
  changes: FileChange[]
}

const isDoing = ({ did, folders }: Doing): boolean => did.length + folders.length > 0

/** Hunks are counted within one change. */
function someHunks(all: readonly Doing[], wanted: ReadonlySet<number>): Doing {
  const [only] = all
  if (only === undefined || all.length > 1)
    throw new Fault('HUNK_AMBIGUOUS', { snapshots: all.map(({ id }) => id), hunks: all.map(hunksOf).flat() })
  return onlyHunks(only, wanted)
}

export const foldersIn = (present: Present): PresentFolders => ({
  mode: (path) => {
    const entry = present.captured(path)
    return entry?.kind === KIND.directory ? entry.mode : undefined
  },
  names: (path) => present.names(path),
})

/** Files, and folders that come or go with nothing in them. */
export function affectedBy({ wishes, folders }: Reversal): string[] {
  const paths = [...wishes.keys(), ...folders.keys()]
  const above = allFoldersAbove(paths)
  return [...new Set(paths)]
    .filter((path) => !above.has(path))
    .sort()
    .map(outPath)
}

function reversedDiff(changes: readonly FileChange[]): { reversed_diff: string; reversed_diff_base64?: string } {
  const { diff, diff_base64 } = diffFields(writeDiff(changes, 'git'))
  return { reversed_diff: diff, ...(diff_base64 === undefined ? {} : { reversed_diff_base64: diff_base64 }) }
}

/** Ends a change that nobody wants to happen as it would. */
export class Clashed extends Error {}

async function carryOut(
  call: Call,
  workspace: Workspace,
  doings: readonly Doing[],
  { decide, linesChanged }: Required<Pick<ChangeRequest, 'decide' | 'linesChanged'>>,
  input: { dry_run: boolean; session_id?: string | undefined; actor?: string | undefined },
) {
  const room = captureRoom(call)
  const of = doings[0]?.id ?? ''
  try {
    if (input.dry_run) return void (await previewChange(room, workspace, decide))
    refuseWhenBlocked(call, workspace)
    const { before, after } = await change(room, workspace, {
      act: 'revert',
      also: placesOf(doings.flatMap(({ did }) => did.map(({ path }) => path))),
      ...{ decide, linesChanged, of },
      after: {
        source: 'edit',
        label: 'revert',
        cause: {
          role: 'change',
          act: 'revert',
          of,
          tool: 'reverse_op',
          ...whoOf(call, workspace, input),
        },
      },
    })
    return { before, after }
  } catch (error) {
    if (error instanceof Clashed) return undefined
    throw error
  }
}

function messageOf(
  chosen: readonly SnapshotRecord[],
  reversal: Reversal,
  { dry_run, force }: { dry_run: boolean; force: boolean },
): string {
  const what = count(chosen.length, 'change')
  if (reversal.clashes.length > 0 && !force) return `Later work stands in the way of taking back ${what}.`
  return `${dry_run ? 'Would take back' : 'Took back'} ${what} (${count(affectedBy(reversal).length, 'path')}).`
}

/** The snapshots meant, the newest first. */
function choose(
  call: Call,
  workspace: Workspace,
  input: { snapshot_id?: string | undefined; target_snapshot?: string | undefined; include_shared: boolean },
): Chosen {
  const { snapshots } = call.house.records
  if (input.target_snapshot !== undefined) {
    const target = findOwn(call, workspace, input.target_snapshot)
    const since = snapshots.all(workspace.id).filter(({ seq }) => seq > target.seq)
    return { chosen: since.reverse(), left: [], stays: new Map() }
  }
  if (input.snapshot_id === undefined)
    throw new Fault('BAD_INPUT', {
      problem: 'Say what to take back: a snapshot, a milestone, session:ID, prompt:ID, call:ID or actor:NAME.',
    })
  const found = input.snapshot_id.split(',').map((what) => meant(call, workspace, what.trim()))
  const sure = found.flatMap((one) => one.snapshots)
  const doubtful = found.flatMap((one) => one.doubtful)
  if (input.include_shared) return { chosen: newestFirst([...sure, ...doubtful]), left: [], stays: new Map() }
  const stays = new Map(found.flatMap((one) => [...one.doubted]))
  const chosen = newestFirst(sure)
  const isLeft = ({ id }: SnapshotRecord): boolean => stays.has(id) || !chosen.some((one) => one.id === id)
  return { chosen, left: newestFirst([...doubtful, ...sure]).filter(isLeft), stays }
}

interface Chosen {
  /** The newest first. */
  readonly chosen: SnapshotRecord[]
  /** Of these it cannot be told whether all of them is meant. */
  readonly left: SnapshotRecord[]
  /** Paths of a chosen one that are left alone. */
  readonly stays: ReadonlyMap<string, readonly RelPath[]>
}

const newestFirst = (snapshots: readonly SnapshotRecord[]): SnapshotRecord[] =>
  [...new Map(snapshots.map((snapshot) => [snapshot.id, snapshot])).values()].sort((a, b) => b.seq - a.seq)

/** What a snapshot did to files and folders, told by its base. */
function doingOf(call: Call, snapshot: SnapshotRecord, paths: readonly RelPath[], stays: Chosen['stays']): Doing {
  const base = snapshot.base === null ? undefined : call.house.records.snapshots.get(snapshot.base)
  if (base && !base.content) throw new Fault('SNAPSHOT_DROPPED', { id: base.id })
  const { id, did, folders } = doingBetween(call, base, snapshot, paths)
  const isWanted = ({ path }: { path: RelPath }): boolean => !stays.get(id)?.includes(path)
  return { id, did: did.filter(isWanted), folders: folders.filter(isWanted) }
}

/** What leads from one state to another. What is only no longer recorded was not done by anybody. */
export function doingBetween(
  call: Call,
  from: SnapshotRecord | undefined,
  to: SnapshotRecord,
  paths: readonly RelPath[],
): Doing {
  const { reader } = call.house.store
  const read = (path: RelPath, entry: Entry | undefined): State | undefined =>
    stateOf(path, entry, () => reader.get((entry as Entry).hash))
  const did: Did[] = []
  const folders: DidFolder[] = []
  const isLeftOut = from ? leftOutSince(call.house.records.snapshots, from, to) : () => false
  for (const difference of compareTrees(new Trees(reader).read, from?.tree, to.tree, paths)) {
    if (isLeftOut(difference)) continue
    const { path, old: a, new: b } = difference
    const [before, after] = [read(path, a), read(path, b)]
    if (before || after) did.push({ path, before, after })
    const [was, is] = [folderMode(a), folderMode(b)]
    if (was !== is) folders.push({ path, before: was, after: is })
  }
  return { id: to.id, did, folders }
}

const folderMode = (entry: Entry | undefined): number | undefined =>
  entry?.kind === KIND.directory ? entry.mode : undefined

/** What goes first, then folders, then files: later wishes win. */
export const wishesOf = ({ wishes, folders }: Reversal): Wished[] => [
  ...[...wishes].flatMap(([path, state]) => (state ? [] : nothingAt(path))),
  ...[...folders].map(
    ([path, mode]): Wished => (mode === undefined ? nothingAt(path) : { path, wish: { kind: 'directory', mode } }),
  ),
  ...[...wishes].flatMap(([path, state]) => (state ? stateAt(path, state) : [])),
]
