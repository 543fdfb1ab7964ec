import { join } from 'node:path'
import { errorCode, lstat } from '../../host/files/fs.ts'
import { sha256 } from '../../host/hash.ts'
import { identity } from '../../host/processes/process.ts'
import type { NewSnapshot } from '../../records/snapshot-record.ts'
import type { LostPacks } from '../../store/merge.ts'
import { decodePayload, isMark, listDirectory } from '../../store/pack-format.ts'
import { packNames, type ScannedBlock, scanPack } from '../../store/pack-scan.ts'
import { OBJECT } from '../../store/store.ts'
import { decodeSnapshot } from '../capture/snapshot-object.ts'
import type { MaintenanceContext } from './context.ts'

/** A snapshot in a pack that the database once had and has lost. */
interface Unrecorded {
  readonly id: string
  readonly pack: string
  readonly created_at: number
  /** The id of the boot in which it was recorded. */
  readonly boot: string
}

/**
 * When the machine dies, the database loses at most what was answered in the last second; a longer gap is another loss.
 */
const LAST_MS = 5000

/** Every block with a snapshot is larger than this; a mark is smaller. */
const LEAST_BYTES = 100

/**
 * Snapshots that packs hold and that the database has lost: its log is gone, or an older copy has replaced it.
 * Snapshots of the last second before the machine died are not among them, nor are those that a capture has not
 * recorded yet.
 */
export function unrecorded(ctx: MaintenanceContext): readonly Unrecorded[] {
  const ends = knownEnds(ctx)
  const lost = packNames(ctx.store.dir).flatMap((pack) => lostFrom(ctx, pack, ends.get(pack) ?? 0))
  return beyondLastSecond(lost, identity().boot)
}

/** The packs that hold such snapshots. */
export const lostPacks = (ctx: MaintenanceContext): LostPacks => new Set(unrecorded(ctx).map(({ pack }) => pack))

/**
 * Only losses that the machine's death does not explain: all of this boot, and all of an earlier boot if they span more
 * than its last moment.
 */
export function beyondLastSecond<T extends Pick<Unrecorded, 'boot' | 'created_at'>>(
  lost: readonly T[],
  now: string,
): readonly T[] {
  const newest = new Map<string, number>()
  for (const { boot, created_at } of lost) newest.set(boot, Math.max(created_at, newest.get(boot) ?? 0))
  const isCertain = (boot: string): boolean =>
    boot === now || lost.some((one) => one.boot === boot && (newest.get(boot) ?? 0) - one.created_at > LAST_MS)
  return lost.filter(({ boot }) => isCertain(boot))
}

/** For each pack, the offset at which the last block with a row ends. */
function knownEnds({ store }: MaintenanceContext): Map<string, number> {
  const rows = store.index.db.all<{ name: string; end: number }>(
    'SELECT p.name, max(b.offset + b.head + b.stored) AS end FROM packs p JOIN blocks b ON b.pack = p.id GROUP BY p.id',
  )
  return new Map(rows.map(({ name, end }) => [name, end]))
}

/** The database is read after the pack: a snapshot has its row before a mark follows it in the pack. */
function lostFrom({ store, records }: MaintenanceContext, pack: string, from: number): Unrecorded[] {
  if ((lstat(join(store.dir, pack))?.size ?? 0) - from < LEAST_BYTES) return []
  const removed = new Set<string>()
  for (const { subject, kind } of records.notes.all()) if (kind === 'removed') removed.add(subject)
  return marked(store.dir, pack, from).filter(({ id }) => !records.snapshots.get(id) && !removed.has(id))
}

function marked(dir: string, pack: string, from: number): Unrecorded[] {
  const found: Unrecorded[] = []
  let waiting: NewSnapshot[] = []
  try {
    for (const block of scanPack(dir, pack)) {
      if (!block.sound || block.offset < from) continue
      if (!isMark(block.head)) {
        waiting.push(...snapshotsOf(block))
        continue
      }
      const boot = Buffer.from(block.stored).toString()
      found.push(...waiting.map(({ id, created_at }) => ({ id, pack, created_at, boot })))
      waiting = []
    }
  } catch (error) {
    // The pack was merged meanwhile, or cannot be read by this user. Damage is reported elsewhere.
    if (errorCode(error) === undefined) throw error
  }
  return found
}

function snapshotsOf(block: ScannedBlock): NewSnapshot[] {
  const listed = [...listDirectory(block.head.directory)].filter(({ kind }) => kind === OBJECT.snapshot)
  if (listed.length === 0) return []
  const payload = decodePayload(block.head.codec, block.stored, block.head.raw)
  return listed.flatMap(({ hash, start, size }) => {
    const bytes = payload.subarray(start, start + size)
    return sha256(bytes).equals(hash) ? [decodeSnapshot(bytes, new Uint8Array(hash))] : []
  })
}
