import { errorCode } from '../host/files/fs.ts'
import { point } from '../host/points.ts'
import { bootId } from '../host/processes/process.ts'
import type { PackRow } from './index-rows.ts'
import type { ObjectStore } from './object-store.ts'
import { scanPack } from './pack-scan.ts'

/**
 * After a power loss, packs that were not synced may lack bytes that the index points to.
 *
 * Deletes the rows of blocks that are missing or damaged. Returns the packs that it checked; the caller withdraws the
 * snapshots that needed lost objects. Usually there is nothing to do.
 */
export function afterPowerLoss(store: ObjectStore): PackRow[] {
  const boot = bootId()
  const doubtful = store.index.unsynced().filter((pack) => pack.boot !== boot)
  if (doubtful.length === 0) return []
  store.index.db.writeDurably(() => {
    let lost = 0
    for (const pack of doubtful) lost += dropUnsound(store, pack)
    store.index.markSynced(doubtful.map(({ id }) => id))
    // A file without blocks is a leftover for the next collection, not a pack.
    for (const { id } of doubtful) if (!hasBlocks(store, id)) store.index.dropPack(id)
    if (lost > 0) store.index.raiseEpoch()
  })
  point('store:after-power-loss')
  return doubtful
}

const hasBlocks = (store: ObjectStore, pack: number): boolean =>
  store.index.db.get('SELECT 1 FROM blocks WHERE pack = ?', pack) !== undefined

function dropUnsound(store: ObjectStore, pack: PackRow): number {
  const sound = soundOffsets(store, pack)
  const blocks = store.index.db.all<{ id: number; offset: number }>(
    'SELECT id, offset FROM blocks WHERE pack = ?',
    pack.id,
  )
  const unsound = blocks.filter(({ offset }) => !sound.has(offset))
  for (const { id } of unsound) store.index.dropBlock(id)
  return unsound.length
}

function soundOffsets(store: ObjectStore, pack: PackRow): Set<number> {
  const sound = new Set<number>()
  try {
    for (const block of scanPack(store.dir, pack.name)) if (block.sound) sound.add(block.offset)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
  return sound
}
