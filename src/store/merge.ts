import type { PackRow } from './index-rows.ts'
import type { ObjectStore } from './object-store.ts'
import { rewriteGroup } from './rewrite.ts'

/** The names of packs that hold snapshots which the records have lost, perhaps behind blocks that have rows. */
export type LostPacks = ReadonlySet<string>

/** A pack that may be merged, with the bytes it takes. */
export interface Mergeable extends PackRow {
  readonly bytes: number
}

const KiB = 1024
const MiB = 1024 * KiB

/**
 * Packs of about one size are merged once there are so many of them. Each byte is so copied only a few times, however long a
 * store is in use, and what is left are few files.
 */
const TIERS = [
  { below: 64 * KiB, several: 64 },
  { below: MiB, several: 16 },
  { below: 8 * MiB, several: 8 },
] as const
/** As many are merged into one: a merge needs this much extra space at most. */
const GROUP_BYTES = 32 * MiB

/** Which packs are to be merged with which, decided from their sizes alone. */
export function planMerge(packs: readonly Mergeable[], isEager: boolean): Mergeable[][] {
  const tiers = TIERS.map(() => [] as Mergeable[])
  for (const pack of packs) tiers[TIERS.findIndex(({ below }) => pack.bytes < below)]?.push(pack)
  return tiers.flatMap((tier, i) => {
    const { several } = TIERS[i] as (typeof TIERS)[number]
    return tier.length >= (isEager ? EAGER : several) ? groupsOf(tier) : []
  })
}

/** Whoever waits for the result wants it whole. */
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
 * Makes few large packs of many small ones. Nothing is taken away, so captures go on and need not notice; the caller holds the
 * lease of collections. Returns how many packs were merged.
 */
export function mergePacks(store: ObjectStore, lost: LostPacks, { isEager = false } = {}): number {
  // The packs come first: a writer that has left by the time the writers are listed adds nothing to what was listed.
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
