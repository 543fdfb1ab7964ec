import { fromHex } from '../../host/hash.ts'
import { point } from '../../host/points.ts'
import { encodeNote, type Note } from '../../records/notes.ts'
import type { Records } from '../../records/records.ts'
import type { Config } from '../../schema/config.ts'
import { type Collected, collect, merge } from '../../store/collect.ts'
import type { Root } from '../../store/mark.ts'
import { OBJECT } from '../../store/store.ts'
import { COLLECT_LEASE } from '../capture/capture.ts'
import type { MaintenanceContext } from '../integrity/context.ts'
import { lostPacks } from '../integrity/unrecorded.ts'
import { stacksOf } from '../restore/steps.ts'
import { outdatedKeeps } from './git-retention.ts'
import { planRetention, type RetentionPlan } from './retention-plan.ts'

/** The retention plan of a workspace at this moment. */
export function retentionOf(ctx: MaintenanceContext, workspace: string, policy: Config['retention']): RetentionPlan {
  const snapshots = ctx.records.snapshots.all(workspace)
  return planRetention({ snapshots, policy, now: ctx.now(), needed: neededNow(ctx, workspace, policy) })
}

/** Snapshots that a running process, a journal, a milestone, travel, an issue or undo needs, each with the reason. */
function neededNow(ctx: MaintenanceContext, workspace: string, policy: Config['retention']): Map<string, string> {
  const needed = new Map<string, string>()
  for (const id of ctx.records.holds.held()) needed.set(id, 'needed by a running process')
  for (const id of ctx.records.journals.needed()) needed.set(id, 'needed to finish a restore')
  for (const { id, snapshot_ids } of ctx.records.milestones.all(workspace))
    for (const member of snapshot_ids) keepMember(ctx, member, `needed by milestone ${id}`, needed)
  keepForTravel(ctx, workspace, policy, needed)
  const { undo, redo } = stacksOf(ctx.records.snapshots.all(workspace))
  const last = undo.at(-1)
  if (last?.cause.role === 'act' && last.base) needed.set(last.base, 'needed to undo the newest act')
  for (const { id, base, cause } of policy.undo_steps > 0 ? [...undo.slice(-policy.undo_steps), ...redo] : [])
    for (const at of [id, base, cause.backup])
      if (at && !needed.has(at)) needed.set(at, `within ${policy.undo_steps} steps of undo`)
  return needed
}

const A_DAY = 86_400_000

/**
 * Keeps what issues, journeys and active sessions refer to. While a workspace is on a journey, all its snapshots stay.
 */
function keepForTravel(
  { records, now }: MaintenanceContext,
  workspace: string,
  { experiments_days }: Config['retention'],
  needed: Map<string, string>,
): void {
  const keep = (id: string | null, reason: string): void => void (id && !needed.has(id) && needed.set(id, reason))
  for (const { id, snapshot_id } of records.issues.all(workspace)) keep(snapshot_id, `needed by issue ${id}`)
  const latest = records.sessions.latest(workspace)
  const isAtWork = (last_at: number, ended_at: number | null): boolean => ended_at === null && now() - last_at < A_DAY
  for (const session of records.sessions.list(workspace, 1000))
    if (session.id === latest?.id || isAtWork(session.last_at, session.ended_at))
      keep(session.snapshot_id, `needed by session ${session.id}`)
  for (const travel of records.travels.all()) {
    // Changes made during a journey are compared with the state on arrival: both stay for a while, as does the backup
    // of a present that was not restored completely.
    if (travel.ended_at !== null && now() - travel.ended_at <= experiments_days * A_DAY)
      for (const id of [travel.experiment_id, travel.arrival_id, travel.problems.length > 0 ? travel.backup_id : null])
        keep(id, `made in the past, younger than ${experiments_days} days`)
    if (travel.state === 'ended') continue
    keep(travel.backup_id, 'needed to come home')
    for (const id of [travel.snapshot_id, travel.arrival_id, travel.experiment_id]) keep(id, 'needed in the past')
  }
  if (records.travels.rulesOf(workspace) === undefined) return
  for (const { id } of records.snapshots.all(workspace)) keep(id, 'needed while the workspace is in the past')
}

/** What a member changed is the difference to its base, so the base must stay as long. */
function keepMember({ records }: MaintenanceContext, id: string, reason: string, needed: Map<string, string>): void {
  const base = records.snapshots.get(id)?.base
  for (const at of [id, base]) if (at && !needed.has(at)) needed.set(at, reason)
}

/**
 * Carries out a retention plan. The plan is made again in the transaction that removes the rows, so that no snapshot
 * that was taken or held meanwhile is lost. Each removal is recorded as a note in the packs, too.
 */
export function prune(ctx: MaintenanceContext, workspace: string, policy: Config['retention']): RetentionPlan {
  const batch = ctx.store.begin()
  try {
    return ctx.records.db.write(() => {
      const plan = retentionOf(ctx, workspace, policy)
      const note = (word: Note): void => {
        const object = batch.put(OBJECT.note, encodeNote(word))
        ctx.records.notes.add(object, word.id, word.note)
      }
      for (const id of plan.removed) {
        note({ note: 'removed', id, at: ctx.now() })
        ctx.records.snapshots.remove(id)
      }
      for (const id of plan.dropped) {
        note({ note: 'content', id, at: ctx.now() })
        ctx.records.snapshots.dropContent(id)
      }
      for (const id of outdatedKeeps(ctx.records.gitKeeps.all(workspace), policy.edits_days, ctx.now())) {
        note({ note: 'removed', id, at: ctx.now() })
        ctx.records.gitKeeps.remove(id)
      }
      batch.publish()
      point('prune:removed')
      return plan
    })
  } finally {
    batch.end()
  }
}

/** Removes keeps of git's folder durably; the next collection rewrites every pack that holds any of their bytes. */
export function removeKeeps(ctx: MaintenanceContext, ids: readonly string[]): void {
  const batch = ctx.store.begin()
  try {
    ctx.records.db.writeDurably(() => {
      for (const id of ids) {
        const object = batch.put(OBJECT.note, encodeNote({ note: 'removed', id, at: ctx.now() }))
        ctx.records.notes.add(object, id, 'removed')
        ctx.records.gitKeeps.remove(id)
      }
      batch.publish()
      ctx.store.index.setPurge(true)
    })
  } finally {
    batch.end()
  }
}

const PATIENCE_MS = 10_000

/**
 * Runs `act` while no other process removes objects or packs. Undefined when another one does so for longer than
 * `wait`.
 */
export async function undisturbed<T>(
  ctx: MaintenanceContext,
  purpose: string,
  act: () => T,
  wait = PATIENCE_MS,
): Promise<T | undefined> {
  // Where the database is read-only, no lease can be taken, and other processes cannot remove anything either.
  if (ctx.records.db.isReadOnly) return act()
  const fence = await ctx.records.leases.take(COLLECT_LEASE, purpose, wait)
  if (fence === undefined) return undefined
  try {
    return act()
  } finally {
    ctx.records.leases.release(COLLECT_LEASE, fence)
  }
}

/** Frees the objects that no record needs. Undefined when another process removes objects for longer than `wait`. */
export const freeSpace = (ctx: MaintenanceContext, wait = PATIENCE_MS): Promise<Collected | undefined> =>
  undisturbed(
    ctx,
    'gc',
    () => {
      forgetSettledNotes(ctx)
      return collect(ctx.store, () => rootsOf(ctx.records), lostPacks(ctx))
    },
    wait,
  )

/**
 * Merges small packs, and returns unused space of the database to the file system. Nothing that could be needed is
 * removed. Undefined when another process removes or merges for longer than `wait`.
 */
export const mergeSmall = (ctx: MaintenanceContext, wait = PATIENCE_MS): Promise<Collected | undefined> =>
  undisturbed(ctx, 'merge', () => merge(ctx.store, lostPacks(ctx)), wait)

/** Everything that the records refer to, without the trees of the snapshots in `without`. */
export function* rootsOf(records: Records, without: ReadonlySet<string> = NONE): Generator<Root> {
  for (const { id, tree, object, content } of records.snapshots.all()) {
    yield { hash: object, tree: false }
    if (content && !without.has(id)) yield { hash: tree, tree: true }
  }
  for (const { tree } of records.gitKeeps.all()) yield { hash: fromHex(tree), tree: true }
  for (const { object } of records.notes.all()) yield { hash: object, tree: false }
  for (const { tree, earlier } of records.issues.all())
    for (const hash of [tree, ...earlier]) yield { hash: fromHex(hash), tree: true }
  for (const tree of records.journals.trees()) yield { hash: fromHex(tree), tree: true }
}

const NONE: ReadonlySet<string> = new Set()

/**
 * Drops notes about snapshots, milestones and keeps that no longer exist, so that the collection can free them;
 * `removed` notes stay.
 */
function forgetSettledNotes({ records }: MaintenanceContext): void {
  records.db.write(() => {
    for (const { object, subject, kind } of records.notes.all())
      if (
        ((kind === 'pin' || kind === 'label' || kind === 'content' || kind === 'doubt') &&
          !records.snapshots.get(subject)) ||
        (kind === 'milestone' && !records.milestones.get(subject)) ||
        (kind === 'git_keep' && !records.gitKeeps.get(subject))
      )
        records.notes.forget(object)
    records.snapshots.removeUnusedFacts()
  })
}
