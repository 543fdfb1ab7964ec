import { join, resolve } from 'node:path'
import { Fault } from '../base/fault.ts'
import { syncDir, writeWhole } from '../host/durable.ts'
import { copyFile, lstat, makeDirs, readFile, readNames, removeFile, rename } from '../host/fs.ts'
import { packNames, scanPack, writerOf } from '../store/pack-scan.ts'
import type { UpkeepRoom } from './prune.ts'
import { ingestPacks, recordAll } from './rebuild.ts'

export interface Mirrored {
  readonly packs: number
  readonly bytes: number
  readonly removed: number
  readonly snapshots: number
}

const MARK = 'mirror.json'

/** Brings a folder on another disk up to date: every pack the store has, each read back and verified there. */
export function mirrorTo(room: UpkeepRoom, dir: string, progress: (done: number, total: number) => void): Mirrored {
  const objects = openMirror(room, dir, true)
  const working = room.store.index.liveWriters()
  const names = room.store.index
    .packs()
    .filter(({ writer }) => !working.has(writer))
    .map(({ name }) => name)
  const copied = copyPacks(room.store.dir, objects, names, progress)
  const wanted = new Set(names)
  const extra = packNames(objects).filter((name) => !wanted.has(name) && !working.has(writerOf(name)))
  for (const name of extra) removeFile(join(objects, name))
  writeWhole(join(dir, MARK), JSON.stringify({ format: 1, from: room.home, at: new Date(room.now()).toISOString() }))
  return { ...copied, removed: extra.length, snapshots: room.records.snapshots.all().length }
}

/** Takes over every pack of a mirror that this store does not have, with the snapshots in it. */
export function mirrorBack(room: UpkeepRoom, dir: string, progress: (done: number, total: number) => void): Mirrored {
  const objects = openMirror(room, dir, false)
  const known = new Set(room.store.index.packs().map(({ name }) => name))
  const names = packNames(objects).filter((name) => !known.has(name))
  const batchOf = (name: string): string => writerOf(name)
  for (const writer of new Set(names.map(batchOf))) room.store.index.enter(writer)
  try {
    const copied = copyPacks(objects, room.store.dir, names, progress)
    const { snapshots } = room.records.db.writeDurably(() =>
      recordAll(room, ingestPacks(room.store.index, room.store.dir, names, progress)),
    )
    return { ...copied, removed: 0, snapshots }
  } finally {
    for (const writer of new Set(names.map(batchOf))) room.store.index.leave(writer)
  }
}

function openMirror(room: UpkeepRoom, dir: string, make: boolean): string {
  const objects = join(dir, 'objects')
  const [mirror, home] = [resolve(dir), resolve(room.home)]
  const refuse = (problem: string): never => {
    throw new Fault('MIRROR_BAD', { dir, problem })
  }
  if (mirror === home || mirror.startsWith(`${home}/`) || home.startsWith(`${mirror}/`))
    refuse('it and the store lie in each other')
  const marked = readFile(join(dir, MARK)) !== undefined
  if (!marked && !make) refuse('it is not a mirror')
  if (!marked && lstat(dir) && readNames(dir).some((name) => name !== 'objects')) refuse('it holds something else')
  if (make) makeDirs(objects, 0o700)
  return objects
}

function copyPacks(
  from: string,
  to: string,
  names: readonly string[],
  progress: (done: number, total: number) => void,
): { packs: number; bytes: number } {
  const missing = names.filter((name) => lstat(join(to, name))?.size !== lstat(join(from, name))?.size)
  let bytes = 0
  missing.forEach((name, i) => {
    progress(i, missing.length)
    bytes += copyPack(from, to, name)
  })
  syncDir(to)
  return { packs: missing.length, bytes }
}

/** Under its name only after it has been read back and found sound. */
function copyPack(from: string, to: string, name: string): number {
  const temp = join(to, `${name}.tmp`)
  copyFile(join(from, name), temp)
  for (const block of scanPack(to, `${name}.tmp`))
    if (!block.sound) throw new Fault('OBJECT_DAMAGED', { id: `at byte ${block.offset}`, pack: name })
  rename(temp, join(to, name))
  return lstat(join(to, name))?.size ?? 0
}
