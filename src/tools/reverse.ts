import { Fault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { count } from '../base/text.ts'
import { mergeForReversal } from '../edits/merge-reversal.ts'
import { type Did, type Doing, planReversal, type Reversal, type State } from '../edits/reverse-plan.ts'
import { type FileChange, writeDiff } from '../edits/unified.ts'
import { ReverseOp } from '../protocol/reverse.ts'
import type { SnapshotRecord } from '../records/snapshots.ts'
import { parentOf, type RelPath } from '../schema/path.ts'
import { type Entry, KIND } from '../store/tree.ts'
import { type ChangeRequest, change, type Present, previewChange } from '../timeline/change.ts'
import { compareTrees } from '../timeline/compare.ts'
import type { Wished } from '../timeline/graft.ts'
import { Trees } from '../timeline/trees.ts'
import type { Workspace } from '../timeline/workspace.ts'
import { type Call, handler } from './handler.ts'
import { meant } from './meant.ts'
import { captureRoom, findOwn, pathsOf, theWorkspace } from './place.ts'
import { recoverFirst } from './recovery.ts'

export const reverseOp = handler(ReverseOp, async (call, input) => {
  const paths = pathsOf(input.paths)
  const workspace = theWorkspace(call, input)
  const recovered = await recoverFirst(call, workspace)
  const chosen = choose(call, workspace, input)
  const doings = chosen.map((snapshot) => doingOf(call, snapshot, paths))
  if (doings.every(({ did }) => did.length === 0)) throw new Fault('NOTHING_TO_REVERT', {})
  const plan: { reversal: Reversal; changes: FileChange[] } = {
    reversal: { wishes: new Map(), clashes: [] },
    changes: [],
  }
  const decide: ChangeRequest['decide'] = (present) => {
    const read = stateIn(present)
    plan.reversal = planReversal(doings, read, mergeForReversal, input.force)
    plan.changes = [...plan.reversal.wishes].map(([path, state]) => asChange(path, read(path), state))
    if (plan.reversal.clashes.length > 0 && !input.force) throw new Clashed()
    return wishesOf(plan.reversal)
  }
  const done = await carryOut(call, workspace, doings, decide, input)
  const { wishes, clashes } = plan.reversal
  return {
    message: messageOf(chosen, plan.reversal, input),
    reversed: chosen.map(({ id }) => id),
    affected_files: [...wishes.keys()].sort().map(outPath),
    reversed_diff: Buffer.from(writeDiff(plan.changes, 'git')).toString(),
    conflicts: clashes.map(({ path, id, ...rest }) => ({ path: outPath(path), snapshot_id: id, ...rest })),
    base_id: done?.before.id ?? null,
    new_snapshot_id: done?.after.id ?? null,
    warnings: recovered,
    dry_run: input.dry_run,
  }
})

/** Ends a change that nobody wants to happen as it would. */
class Clashed extends Error {}

async function carryOut(
  call: Call,
  workspace: Workspace,
  doings: readonly Doing[],
  decide: ChangeRequest['decide'],
  input: { dry_run: boolean; session_id?: string | undefined; actor?: string | undefined },
) {
  const room = captureRoom(call)
  const of = doings[0]?.id ?? ''
  try {
    if (input.dry_run) return void (await previewChange(room, workspace, decide))
    const { before, after } = await change(room, workspace, {
      act: 'revert',
      also: [...new Set(doings.flatMap(({ did }) => did.map(({ path }) => parentOf(path))))],
      decide,
      of,
      after: {
        source: 'edit',
        label: 'revert',
        cause: {
          role: 'change',
          act: 'revert',
          of,
          tool: 'reverse_op',
          ...(input.session_id ? { session_id: input.session_id } : {}),
          ...(input.actor ? { actor: input.actor } : {}),
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
  { wishes, clashes }: Reversal,
  { dry_run, force }: { dry_run: boolean; force: boolean },
): string {
  const what = count(chosen.length, 'change')
  if (clashes.length > 0 && !force) return `Later work stands in the way of taking back ${what}.`
  return `${dry_run ? 'Would take back' : 'Took back'} ${what} (${count(wishes.size, 'path')}).`
}

const modeOf = ({ kind, mode }: State): number => (kind === 'symlink' ? 0o120000 : 0o100000 | mode)

const asChange = (path: RelPath, old: State | undefined, next: State | undefined): FileChange => ({
  path,
  status: !old ? 'added' : !next ? 'deleted' : 'modified',
  oldMode: old ? modeOf(old) : null,
  newMode: next ? modeOf(next) : null,
  old: old?.bytes ?? null,
  new: next?.bytes ?? null,
})

/** The snapshots meant, the newest first. */
function choose(
  call: Call,
  workspace: Workspace,
  input: { snapshot_id?: string | undefined; target_snapshot?: string | undefined },
): SnapshotRecord[] {
  const { snapshots } = call.house.records
  if (input.target_snapshot !== undefined) {
    const target = findOwn(call, workspace, input.target_snapshot)
    return snapshots
      .all(workspace.id)
      .filter(({ seq }) => seq > target.seq)
      .reverse()
  }
  if (input.snapshot_id === undefined)
    throw new Fault('BAD_INPUT', {
      problem: 'Say what to take back: a snapshot, a milestone, session:ID or actor:NAME.',
    })
  const found = input.snapshot_id.split(',').flatMap((what) => meant(call, workspace, what.trim()))
  return [...new Map(found.map((snapshot) => [snapshot.id, snapshot])).values()].sort((a, b) => b.seq - a.seq)
}

/** What a snapshot did to files, told by its base. */
function doingOf(call: Call, snapshot: SnapshotRecord, paths: readonly RelPath[]): Doing {
  const base = snapshot.base === null ? undefined : call.house.records.snapshots.get(snapshot.base)
  if (base && !base.content) throw new Fault('SNAPSHOT_DROPPED', { id: base.id })
  const { read } = new Trees(call.house.store.reader)
  const bytes = (entry: Entry | undefined): State | undefined => stateOf(call, entry)
  const did: Did[] = []
  for (const { path, old: a, new: b } of compareTrees(read, base?.tree, snapshot.tree, paths)) {
    const [before, after] = [bytes(a), bytes(b)]
    if (before || after) did.push({ path, before, after })
  }
  return { id: snapshot.id, did }
}

function stateOf(call: Call, entry: Entry | undefined): State | undefined {
  if (entry === undefined || entry.kind === KIND.directory) return undefined
  const kind = entry.kind === KIND.symlink ? 'symlink' : 'file'
  return { kind, mode: entry.mode, bytes: call.house.store.reader.get(entry.hash) }
}

const stateIn =
  (present: Present) =>
  (path: RelPath): State | undefined => {
    const entry = present.entry(path)
    if (entry === undefined || entry.kind === KIND.directory) return undefined
    const kind = entry.kind === KIND.symlink ? 'symlink' : 'file'
    return { kind, mode: entry.mode, bytes: present.bytes(path, entry) }
  }

const wishesOf = ({ wishes }: Reversal): Wished[] =>
  [...wishes].map(([path, state]) => ({
    path,
    wish:
      state === undefined
        ? { kind: 'nothing' }
        : state.kind === 'symlink'
          ? { kind: 'symlink', target: state.bytes }
          : { kind: 'file', bytes: state.bytes, mode: state.mode },
  }))
