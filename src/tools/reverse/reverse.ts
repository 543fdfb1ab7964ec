import { actorOf } from '../../app/actor.ts'
import { handler, type ToolCall } from '../../app/handler.ts'
import { recoverFirst, refuseWhenBlocked } from '../../app/recovery.ts'
import {
  captureContext,
  findSnapshotOfWorkspace,
  recreateWorkspace,
  requireWorkspace,
  withinOf,
} from '../../app/workspace-lookup.ts'
import { Fault } from '../../base/fault.ts'
import { outPath } from '../../base/quote.ts'
import { type FileChange, linesIn, writeDiff } from '../../diff/unified.ts'
import type { RecordedEdits } from '../../edits/file-change.ts'
import { fileChange } from '../../edits/file-change.ts'
import { hunksOf, onlyHunks } from '../../edits/hunk-choice.ts'
import { mergeForReversal } from '../../edits/merge-reversal.ts'
import { planReversal, type Reversal } from '../../edits/reverse-plan.ts'
import { ReverseOp } from '../../protocol/reverse.ts'
import type { RelPath } from '../../schema/path.ts'
import { capture } from '../../timeline/capture/capture.ts'
import { change, type Decide, type Outcome, presentOf, previewChange } from '../../timeline/restore/change.ts'
import { scopeOf } from '../../timeline/scan/scan-scope.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'
import { diffFields } from '../diff-text.ts'
import { type FoundDeed, leftOutWarning, toldDeed } from './deed-told.ts'
import { affectedBy, editsOf, stateIn, wishesOf } from './recorded-edits.ts'
import { remainsOf } from './remains.ts'
import { choose, sortOut } from './reverse-choice.ts'
import { filesOf, isNothing, leftOf, likelyOf, messageOf, touchedBy } from './reverse-report.ts'
import { revertCandidates } from './revert-candidates.ts'

export const reverseOp = handler(ReverseOp, async (call, input) => {
  const paths = withinOf(input.paths)
  const last = lastMeant(input.snapshot_id)
  const workspace = last ? recreateWorkspace(call, input) : requireWorkspace(call, input)
  const recovered = await recoverFirst(call, workspace)
  const found = last && (await lastDeed(call, workspace, last, paths))
  const deed = found?.deed
  const { chosen, left, stays } = deed ? sortOut([deed.meant], input) : choose(call, workspace, input)
  const all = chosen.map((snapshot) => editsOf(call, snapshot, paths, stays, found?.remains)).filter(isDoing)
  const leaving = left.map((one) => ({
    ...one,
    doing: editsOf(call, one.snapshot, paths, new Map(), both(one.only, found?.remains)),
  }))
  const leftAlone = leaving.map(({ doing }) => doing).filter(isDoing)
  if (all.length + leftAlone.length === 0) throw new Fault('NOTHING_TO_REVERT', { why: whyNothing(input) })
  const doings = input.hunks.length > 0 ? [someHunks(all, new Set(input.hunks))] : all
  const decide: Decide<Planned> = (present) => {
    const state = stateIn(present)
    const reversal = planReversal(doings, state, mergeForReversal, input.force)
    const changes = [...reversal.wishes].map(([path, wish]) => fileChange(path, state.read(path), wish))
    const left = touchedBy(planReversal(leftAlone, state, mergeForReversal, false))
    const isHeld = reversal.clashes.length > 0 && input.all_or_none && !input.force
    const wishes = isHeld || isNothing(reversal) ? undefined : wishesOf(reversal)
    return { wishes, linesChanged: () => linesIn(changes), detail: { reversal, changes, left } }
  }
  const { detail: plan, changed } = await carryOut(call, workspace, doings, decide, input)
  const stayed = leftOf(leaving, plan.left)
  const leftOut = leftOutWarning(call, workspace, doings, input.dry_run)
  const everything = [...doings, ...leftAlone].sort((a, b) => seqOf(call, a) - seqOf(call, b))
  return {
    message: messageOf(chosen, plan.reversal, stayed, input),
    reversed: chosen.map(({ id }) => id),
    left_shared: stayed.filter(({ certainty }) => certainty === 'shared').map(({ snapshot_id }) => snapshot_id),
    files: filesOf(everything),
    likely: likelyOf(chosen, doings, plan.reversal),
    left: stayed,
    affected_files: affectedBy(plan.reversal),
    ...reversedDiff(plan.changes),
    hunks: all.length === 1 ? hunksOf(all[0] as RecordedEdits) : [],
    conflicts: plan.reversal.clashes.map(({ path, id, ...rest }) => ({
      path: outPath(path),
      snapshot_id: id,
      ...rest,
    })),
    deed: found ? toldDeed(call, workspace, found) : null,
    base_id: changed?.before.id ?? null,
    new_snapshot_id: changed?.after.id ?? null,
    warnings: [...recovered, ...leftOut, ...unknownBefore(doings), ...(isTooLong(plan.changes) ? [TOO_LONG] : [])],
    dry_run: input.dry_run,
  }
})

/** Paths in both; undefined stands for all. */
function both(some: readonly RelPath[] | undefined, others: ReadonlySet<RelPath> | undefined) {
  if (some === undefined) return others
  return new Set(others === undefined ? some : some.filter((path) => others.has(path)))
}

const seqOf = (call: ToolCall, { id }: RecordedEdits): number => call.app.records.snapshots.get(id)?.seq ?? 0

/** Parses `last`, the newest deed, and `last:ID`, the deed that a snapshot belongs to. */
function lastMeant(what: string | undefined): { readonly at: string | undefined } | undefined {
  const [, at] = /^last(?::(.+))?$/.exec(what ?? '') ?? [undefined, null]
  return at === null ? undefined : { at }
}

/** The newest deed that is not fully restored. The present is captured first, so that the latest changes count. */
async function lastDeed(
  call: ToolCall,
  workspace: Workspace,
  { at }: { readonly at: string | undefined },
  paths: readonly RelPath[],
): Promise<FoundDeed> {
  const ctx = captureContext(call)
  const { assembled, trees } = await capture(ctx, workspace, {
    source: 'edit',
    label: 'pre-revert',
    cause: { role: 'change' },
    ifChanged: true,
  })
  const upTo = at === undefined ? undefined : findSnapshotOfWorkspace(call, workspace, at)
  const present = presentOf(ctx, workspace, assembled.tree, trees)
  const state = stateIn(present)
  const plan = (doings: RecordedEdits[]) => planReversal(doings, state, mergeForReversal, false)
  let found: FoundDeed | undefined
  for (const deed of revertCandidates(call, workspace, upTo)) {
    const remains = remainsOf(call, deed, present, paths)
    if (upTo) return { deed, remains, before: undefined }
    if (remains.size === 0 || (found === undefined && deed.isMinor)) continue
    const { chosen } = sortOut([deed.meant], { include_shared: true, only_certain: false })
    const doings = chosen.map((snapshot) => editsOf(call, snapshot, paths, new Map(), remains))
    if (touchedBy(plan(doings)).size === 0) continue
    if (found !== undefined) return { ...found, before: { deed, files: filesOf(doings.reverse()) } }
    found = { deed, remains, before: undefined }
  }
  if (found !== undefined) return found
  throw new Fault('NOTHING_TO_REVERT', { why: NOTHING_LEFT })
}

const NOTHING_LEFT = 'no prompt changed a file and no file was lost, or all of it is back'

interface Named {
  readonly snapshot_id?: string | undefined
  readonly target_snapshot?: string | undefined
  readonly paths: readonly RelPath[]
}

/** Why nothing was found to revert. */
function whyNothing({ snapshot_id: what, target_snapshot, paths }: Named): string {
  const [, kind, id] = /^(session|prompt|call):([^,]+)$/.exec(what ?? '') ?? []
  const who = kind
    ? `the ${kind} ${id}`
    : what?.includes(',')
      ? 'what was named'
      : (what ?? `all since ${target_snapshot}`)
  return `${who} changed ${paths.length > 0 ? 'nothing at these paths' : 'no file'}`
}

const unknownBefore = (doings: readonly RecordedEdits[]): string[] =>
  doings
    .flatMap(({ did }) => did.filter(({ isOlder }) => isOlder))
    .map(
      ({ path }) => `${outPath(path)} was not captured just before; it goes back to the version that was captured last`,
    )

interface Planned {
  readonly reversal: Reversal
  readonly changes: readonly FileChange[]
  /** Paths where something could be reverted and is left because another session may have made it. */
  readonly left: ReadonlySet<RelPath>
}

const isDoing = ({ did, folders }: RecordedEdits): boolean => did.length + folders.length > 0

/** Hunks are numbered within one change. */
function someHunks(all: readonly RecordedEdits[], wanted: ReadonlySet<number>): RecordedEdits {
  const [only] = all
  if (only === undefined || all.length > 1)
    throw new Fault('HUNK_AMBIGUOUS', { snapshots: all.map(({ id }) => id), hunks: all.map(hunksOf).flat() })
  return onlyHunks(only, wanted)
}

/** A longer diff is of no use to a reader, and may exceed the longest string when a whole project is restored. */
const LONGEST_DIFF = 32 * 1024 * 1024

const TOO_LONG = 'the diff is left out: the files have more than 32 MiB; compare single ones with: timewarp diff'

const isTooLong = (changes: readonly FileChange[]): boolean =>
  changes.reduce((sum, { old, new: now }) => sum + (old?.length ?? 0) + (now?.length ?? 0), 0) > LONGEST_DIFF

function reversedDiff(changes: readonly FileChange[]): { reversed_diff: string; reversed_diff_base64?: string } {
  if (isTooLong(changes)) return { reversed_diff: '' }
  const { diff, diff_base64 } = diffFields(writeDiff(changes, 'git'))
  return { reversed_diff: diff, ...(diff_base64 === undefined ? {} : { reversed_diff_base64: diff_base64 }) }
}

async function carryOut(
  call: ToolCall,
  workspace: Workspace,
  doings: readonly RecordedEdits[],
  decide: Decide<Planned>,
  input: { dry_run: boolean; session_id?: string | undefined; actor?: string | undefined },
): Promise<Outcome<Planned>> {
  const ctx = captureContext(call)
  const of = doings[0]?.id ?? ''
  if (input.dry_run) return previewChange(ctx, workspace, decide)
  refuseWhenBlocked(call, workspace)
  return change(ctx, workspace, {
    act: 'revert',
    also: scopeOf(doings.flatMap(({ did }) => did.map(({ path }) => path))),
    decide,
    of,
    after: {
      source: 'edit',
      label: 'revert',
      cause: { role: 'change', act: 'revert', of, tool: 'reverse_op', ...actorOf(call, workspace, input) },
    },
  })
}
