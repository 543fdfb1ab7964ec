import { count, size } from '../../base/text.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import type { Config, Tier } from '../../schema/config.ts'

/** The fate of each snapshot of a workspace, with the reason for each that stays. */
export interface RetentionPlan {
  readonly kept: readonly { readonly id: string; readonly reason: string }[]
  /** Both the record and the contents are removed. */
  readonly removed: readonly string[]
  /** The contents are removed, the record stays. */
  readonly dropped: readonly string[]
}

export interface RetentionInput {
  /** All snapshots of one workspace, the oldest first. */
  readonly snapshots: readonly SnapshotRecord[]
  readonly policy: Config['retention']
  readonly now: number
  /** Snapshots that something else needs, each with the reason. */
  readonly needed: ReadonlyMap<string, string>
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/**
 * Decides by the policy alone; a snapshot stays if any rule keeps it. Pure.
 *
 * Deliberate snapshots (an edit, a tool call, a snapshot by hand) stay for days. Routine ones (on schedule, before a
 * restore) are thinned by tiers. The newest always stays.
 */
export function planRetention(input: RetentionInput): RetentionPlan {
  const { snapshots } = input
  const reasons = new Map<string, string>()
  const keep = (id: string, reason: string): void => void (reasons.has(id) || reasons.set(id, reason))
  for (const { id, pinned } of snapshots) if (pinned) keep(id, 'pinned')
  const newest = snapshots.at(-1)
  if (newest) keep(newest.id, 'newest of the workspace')
  for (const [id, reason] of input.needed) keep(id, reason)
  if (input.policy.mode === 'tiers') {
    for (const snapshot of snapshots) keepByAge(snapshot, input, keep)
    keepTiers(input, keep)
  }
  keepBases(snapshots, reasons)
  limitCount(input, reasons)
  limitBytes(input, reasons)
  return conclude(snapshots, reasons)
}

const madeByTool = ({ cause }: SnapshotRecord): boolean => cause.tool !== undefined || cause.shared !== undefined
const takenInPassing = ({ source, cause }: SnapshotRecord): boolean =>
  source === 'scheduled' || cause.role === 'backup' || cause.role === 'act' || source.endsWith('-guard')

function keepByAge(
  snapshot: SnapshotRecord,
  { policy, now }: RetentionInput,
  keep: (id: string, reason: string) => void,
): void {
  const days = (now - snapshot.created_at) / DAY
  if (madeByTool(snapshot) && days <= policy.edits_days)
    keep(snapshot.id, `made by a tool call, younger than ${policy.edits_days} days`)
  else if (!madeByTool(snapshot) && !takenInPassing(snapshot) && days <= policy.manual_days)
    keep(snapshot.id, `taken by hand, younger than ${policy.manual_days} days`)
}

/** In each tier, keeps one snapshot per interval: a labelled one if there is one, else the newest. */
function keepTiers({ snapshots, policy, now }: RetentionInput, keep: (id: string, reason: string) => void): void {
  let from = 0
  for (const tier of policy.tiers) {
    const inTier = snapshots.filter(({ created_at }) => {
      const age = (now - created_at) / MINUTE
      return age >= from && age < tier.within_minutes
    })
    for (const { id } of thin(inTier, tier))
      keep(id, `one per ${span(tier.every_minutes)} for ${span(tier.within_minutes)}`)
    from = tier.within_minutes
  }
}

function thin(snapshots: readonly SnapshotRecord[], tier: Tier): SnapshotRecord[] {
  const buckets = new Map<number, SnapshotRecord>()
  for (const snapshot of snapshots) {
    const bucket = Math.floor(snapshot.created_at / (tier.every_minutes * MINUTE))
    const rival = buckets.get(bucket)
    if (!rival || prefers(snapshot, rival)) buckets.set(bucket, snapshot)
  }
  return [...buckets.values()].slice(-tier.at_most)
}

const hasOwnLabel = ({ label, source, cause }: SnapshotRecord): boolean =>
  label !== null && cause.role === 'change' && source !== 'scheduled'

const prefers = (a: SnapshotRecord, b: SnapshotRecord): boolean =>
  hasOwnLabel(a) === hasOwnLabel(b) ? a.seq > b.seq : hasOwnLabel(a)

const span = (minutes: number): string =>
  minutes % 1440 === 0 ? `${minutes / 1440} d` : minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`

/** The policy as a sentence. */
export function retentionText(policy: Config['retention']): string {
  if (!policy.auto) return 'everything is kept until timewarp prune'
  if (policy.mode === 'issues') return 'what an issue refers to, and what is pinned, is kept; nothing else'
  const longest = span(Math.max(0, ...policy.tiers.map(({ within_minutes }) => within_minutes)))
  const limits = [
    ...(policy.max_snapshots === null ? [] : [`at most ${count(policy.max_snapshots, 'snapshot')}`]),
    ...(policy.max_bytes === null ? [] : [`at most ${size(policy.max_bytes)}`]),
  ]
  return [
    `snapshots by hand ${policy.manual_days} d, changes by tool calls ${policy.edits_days} d`,
    `scheduled ones and backups are thinned and gone after ${longest}`,
    `pinned ones and the newest stay`,
    ...limits,
  ].join('; ')
}

/** What a tool call changed is the difference to its base, so the base must stay as long. */
function keepBases(snapshots: readonly SnapshotRecord[], reasons: Map<string, string>): void {
  const known = new Set(snapshots.map(({ id }) => id))
  for (const snapshot of snapshots)
    if (
      reasons.has(snapshot.id) &&
      madeByTool(snapshot) &&
      snapshot.base &&
      known.has(snapshot.base) &&
      !reasons.has(snapshot.base)
    )
      reasons.set(snapshot.base, `base of ${snapshot.id}`)
}

/** Reasons that no limit overrides. */
const isFirm = (reason: string): boolean =>
  reason === 'pinned' || reason.startsWith('newest') || reason.startsWith('needed')

/** Snapshots that may be removed when a limit is exceeded: unlabelled ones before labelled ones, the oldest first. */
const expendable = (snapshots: readonly SnapshotRecord[], reasons: ReadonlyMap<string, string>): SnapshotRecord[] =>
  snapshots
    .filter(({ id }) => reasons.has(id) && !isFirm(reasons.get(id) ?? ''))
    .sort((a, b) => Number(hasOwnLabel(a)) - Number(hasOwnLabel(b)) || a.seq - b.seq)

function limitCount({ snapshots, policy }: RetentionInput, reasons: Map<string, string>): void {
  if (policy.max_snapshots === null) return
  for (const { id } of expendable(snapshots, reasons)) {
    if (reasons.size <= policy.max_snapshots) return
    reasons.delete(id)
  }
}

function limitBytes({ snapshots, policy }: RetentionInput, reasons: Map<string, string>): void {
  if (policy.max_bytes === null) return
  let bytes = snapshots.filter(({ id }) => reasons.has(id)).reduce((sum, { stored_bytes }) => sum + stored_bytes, 0)
  for (const { id, stored_bytes } of expendable(snapshots, reasons)) {
    if (bytes <= policy.max_bytes) return
    reasons.delete(id)
    bytes -= stored_bytes
  }
}

function conclude(snapshots: readonly SnapshotRecord[], reasons: ReadonlyMap<string, string>): RetentionPlan {
  const gone = snapshots.filter(({ id }) => !reasons.has(id))
  return {
    kept: snapshots.filter(({ id }) => reasons.has(id)).map(({ id }) => ({ id, reason: reasons.get(id) ?? '' })),
    removed: gone.filter((snapshot) => !madeByTool(snapshot)).map(({ id }) => id),
    dropped: gone.filter((snapshot) => madeByTool(snapshot) && snapshot.content).map(({ id }) => id),
  }
}
