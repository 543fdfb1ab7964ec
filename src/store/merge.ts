import type { PackRow } from './index-rows.ts'
import type { ObjectStore } from './object-store.ts'
import { rewriteGroup } from './rewrite.ts'

/** Names of packs with snapshots that are missing from the records, perhaps after blocks that do have rows. */
export type LostPacks = ReadonlySet<string>

/** A pack that may be merged, with the bytes it takes. */
export interface Mergeable extends PackRow {
  readonly bytes: number
}

const KiB = 1024
const MiB = 1024 * KiB

/**
 * Packs of similar size are merged once there are this many of them. Each byte is therefore copied only a few times in
 * the life of a store, and few files remain.
 */
const TIERS = [
  { below: 64 * KiB, several: 64 },
  { below: MiB, several: 16 },
  { below: 8 * MiB, several: 8 },
] as const
/** The size of a group that is merged into one pack: the extra space that a merge needs at most. */
const GROUP_BYTES = 32 * MiB

/** Groups packs to merge, by their sizes alone. */
export function planMerge(packs: readonly Mergeable[], isEager: boolean): Mergeable[][] {
  const tiers = TIERS.map(() => [] as Mergeable[])
  for (const pack of packs) tiers[TIERS.findIndex(({ below }) => pack.bytes < below)]?.push(pack)
  return tiers.flatMap((tier, i) => {
    const { several } = TIERS[i] as (typeof TIERS)[number]
    return tier.length >= (isEager ? EAGER : several) ? groupsOf(tier) : []
  })
}

/** With `isEager` (a caller waits for a full collection) fewer packs are enough for a merge. */
const EAGER = 8

function groupsOf(packs: readonly Mergeable[]): Mergeable[][] {
  const groups: Mergeable[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const pack of packs) {
    if (bytes + pack.bytes > GROUP_BYTES) {
      groups.push([])
      bytes = 0
    }
    groups.at(-1)?.push(pack)
    bytes += pack.bytes
  }
  return groups.filter((group) => group.length > 1)
}

/**
 * Merges many small packs into few large ones. It removes no object, so captures continue and need not notice. The
 * caller holds the collect lease. Returns how many packs were merged.
 */
export function mergePacks(store: ObjectStore, lost: LostPacks, { isEager = false } = {}): number {
  // List the packs before the writers: a writer that has left by the time the writers are listed adds nothing to the
  // packs listed before.
  const packs = store.index.syncedPacks()
  const working = store.index.liveWriters()
  const groups = planMerge(
    packs.filter(({ name, writer }) => !working.has(writer) && !lost.has(name)),
    isEager,
  )
  for (const group of groups) rewriteGroup(store, group)
  return groups.flat().length
}

/** Whether there are enough small packs to be worth a merge. Cheap. */
export const isMergeDue = (store: ObjectStore): boolean => planMerge(store.index.syncedPacks(), false).length > 0
