import { join } from 'node:path'
import { inPath } from '../base/quote.ts'
import { lstat } from '../host/fs.ts'
import type { Problem } from '../protocol/keeping.ts'
import { fromHex, keyOf, sha256 } from '../store/hash.ts'
import type { Batch } from '../store/object-store.ts'
import { decodePayload, listDirectory } from '../store/pack-format.ts'
import { packNames, scanPack } from '../store/pack-scan.ts'
import { OBJECT, type ObjectKind } from '../store/store.ts'
import type { UpkeepRoom } from './prune.ts'
import { takeFile, takeLink } from './read-stable.ts'

/** Stores damaged or missing objects again, from wherever their bytes can still be found. Returns which. */
export function repair(room: UpkeepRoom, problems: readonly Problem[], mirror: string | undefined): Set<string> {
  const wanted = new Set(problems.flatMap(({ object }) => (object ? [keyOf(fromHex(object))] : [])))
  const found = new Map<string, { kind: ObjectKind; bytes: Buffer }>()
  const offer = (hash: Uint8Array, kind: ObjectKind, bytes: Uint8Array): void => {
    const key = keyOf(hash)
    if (wanted.has(key) && !found.has(key)) found.set(key, { kind, bytes: Buffer.from(bytes) })
  }
  lookInWorkspaces(room, problems, offer)
  if (mirror !== undefined) lookInPacks(join(mirror, 'objects'), offer)
  // Another copy in the store's own packs: a twin written by two captures at once.
  lookInPacks(room.store.dir, offer)
  return putBack(room, found)
}

type Offer = (hash: Uint8Array, kind: ObjectKind, bytes: Uint8Array) => void

function lookInWorkspaces(room: UpkeepRoom, problems: readonly Problem[], offer: Offer): void {
  const places = new Set<string>()
  for (const { snapshots, paths } of problems)
    for (const id of snapshots) {
      const root = room.records.workspaces.get(room.records.snapshots.get(id)?.workspace ?? '')?.root
      if (root) for (const path of paths) places.add(join(root, inPath(path)))
    }
  for (const at of places) {
    const stat = lstat(at)
    if (stat?.isFile()) takeFile(at, Number.MAX_SAFE_INTEGER, { take: offer })
    else if (stat?.isSymbolicLink()) takeLink(at, { take: offer })
  }
}

function lookInPacks(dir: string, offer: Offer): void {
  if (!lstat(dir)?.isDirectory()) return
  for (const name of packNames(dir))
    for (const block of scanPack(dir, name)) {
      if (!block.sound) continue
      const payload = decodePayload(block.head.codec, block.stored, block.head.raw)
      for (const { hash, kind, start, size } of listDirectory(block.head.directory)) {
        const bytes = payload.subarray(start, start + size)
        if (kind === OBJECT.list || sha256(bytes).equals(hash)) offer(hash, kind, bytes)
      }
    }
}

function putBack(room: UpkeepRoom, found: ReadonlyMap<string, { kind: ObjectKind; bytes: Buffer }>): Set<string> {
  const batch: Batch = room.store.begin()
  try {
    room.records.db.writeDurably(() => {
      for (const [key, { kind, bytes }] of found) {
        const hash = Buffer.from(key, 'latin1')
        room.records.db.run('DELETE FROM objects WHERE hash = ?', hash)
        batch.putAs(hash, kind, bytes)
      }
      batch.publish()
    })
  } finally {
    batch.end()
  }
  room.store.sync()
  return new Set(found.keys())
}
