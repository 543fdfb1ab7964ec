import { isDamage } from '../../base/fault.ts'
import { fromHex, fromKey } from '../../host/hash.ts'
import type { IssueRecord } from '../../records/issues.ts'
import type { Records } from '../../records/records.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import { Marker } from '../../store/mark.ts'
import type { ObjectStore } from '../../store/object-store.ts'
import { afterPowerLoss } from '../../store/recover-unsynced.ts'
import { OBJECT } from '../../store/store.ts'

/**
 * Corrects the records after the machine died: a snapshot of its last second whose bytes did not reach the disk is
 * withdrawn as a whole. So is a keep. An issue falls back to its newest tree that is complete; an issue without one was
 * never confirmed to the caller, and is removed. Returns the ids of all of them.
 */
export function withdrawLost(store: ObjectStore, records: Records): string[] {
  const packs = afterPowerLoss(store)
  if (packs.length === 0) return []
  const first = Math.min(...packs.map(({ id }) => id))
  const lost = records.snapshots
    .all()
    .filter((snapshot) => isYoung(store, snapshot, first) && !isWhole(store, snapshot))
  const lostKeeps = records.gitKeeps.all().filter(({ tree }) => !isWholeTree(store, fromHex(tree)))
  const lostIssues = records.issues.all().filter(({ tree }) => !isWholeTree(store, fromHex(tree)))
  records.db.writeDurably(() => {
    for (const { id } of lost) records.snapshots.remove(id)
    for (const { id } of lostKeeps) records.gitKeeps.remove(id)
    for (const issue of lostIssues) withdrawIssue(store, records, issue)
  })
  return [...lost, ...lostKeeps, ...lostIssues].map(({ id }) => id)
}

/** The next scan of the issue's files records what they hold, which may include the text that was lost. */
function withdrawIssue(store: ObjectStore, { issues }: Records, issue: IssueRecord): void {
  const at = issue.earlier.findLastIndex((tree) => isWholeTree(store, fromHex(tree)))
  issues.remove(issue.id)
  const tree = issue.earlier[at]
  if (tree !== undefined) issues.put({ ...issue, tree, earlier: issue.earlier.slice(0, at) })
}

/**
 * Whether the snapshot was recorded in one of the doubtful packs or a later one: older snapshots cannot refer to them.
 */
function isYoung(store: ObjectStore, { object }: SnapshotRecord, first: number): boolean {
  const pack = store.index.find(object)?.pack
  if (pack === undefined) return true
  return (store.index.packs().find(({ name }) => name === pack)?.id ?? first) >= first
}

function isWhole(store: ObjectStore, { object, tree, content }: SnapshotRecord): boolean {
  if (!store.index.has(object)) return false
  return !content || isWholeTree(store, tree)
}

function isWholeTree(store: ObjectStore, tree: Uint8Array): boolean {
  const marker = new Marker(store.reader, (hash) => store.index.find(hash)?.kind === OBJECT.list)
  try {
    marker.add({ hash: tree, tree: true })
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
  return marker.live.values().every((key) => store.index.has(fromKey(key)))
}
