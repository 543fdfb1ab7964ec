import { join, resolve } from 'node:path'
import { Fault } from '../../base/fault.ts'
import { syncDir, writeWhole } from '../../host/files/durable.ts'
import {
  copyFile,
  lstat,
  makeDir,
  readFile,
  readNames,
  realPath,
  removeAll,
  removeFile,
  rename,
} from '../../host/files/fs.ts'
import { makeDirs } from '../../host/files/make-dirs.ts'
import type { OpenFolders } from '../../host/files/open-folders.ts'
import { ROOT, recordedPath } from '../../schema/path.ts'
import { isWholePack, packNames, writerOf } from '../../store/pack-scan.ts'
import { inFolders } from '../workspace/own-folders.ts'
import type { MaintenanceContext } from './context.ts'
import { ingestPacks, recordAll } from './rebuild.ts'

export interface Mirrored {
  readonly packs: number
  readonly bytes: number
  readonly removed: number
  readonly snapshots: number
}

const MARK = 'mirror.json'
const OBJECTS = recordedPath('objects')
type Progress = (done: number, total: number) => void

/** The mirror's manifest: for each pack, the length up to which it must be intact. */
interface Manifest {
  readonly format: 1
  readonly from: string
  readonly at: string
  readonly packs: Readonly<Record<string, number>>
}

/**
 * Updates a mirror, a folder on another disk: it gets every pack of the store that is not being written now, and each
 * copy is read back before it counts. With `verify`, packs copied earlier are read again, and copied again if damaged.
 */
export function mirrorTo(ctx: MaintenanceContext, dir: string, verify: boolean, progress: Progress): Mirrored {
  checkMirror(ctx, dir, true)
  makeDirs(dir, 0o700)
  return inFolders(dir, (folders) => bringUpToDate(ctx, folders, verify, progress))
}

function bringUpToDate(ctx: MaintenanceContext, folders: OpenFolders, verify: boolean, progress: Progress): Mirrored {
  if (lstat(folders.child(OBJECTS)) === undefined) makeDir(folders.child(OBJECTS), 0o700)
  const [dir, objects] = [folders.folder(ROOT), folders.folder(OBJECTS)]
  const rows = ctx.store.index.packs()
  const working = ctx.store.index.liveWriters()
  const unfinished = new Set(rows.filter(({ writer }) => working.has(writer)).map(({ name }) => name))
  const packs = Object.fromEntries([...ends(ctx)].filter(([name]) => !unfinished.has(name)))
  const isGood = (name: string, end: number): boolean =>
    lstat(join(objects, name)) !== undefined && (!verify || isWholePack(objects, name, end))
  const missing = Object.entries(packs).filter(([name, end]) => !isGood(name, end))
  const copied = copyPacks(ctx.store.dir, objects, missing, progress)
  const extra = packNames(objects).filter((name) => !(name in packs) && !unfinished.has(name))
  const manifest: Manifest = { format: 1, from: ctx.home, at: new Date(ctx.now()).toISOString(), packs }
  writeWhole(join(dir, MARK), JSON.stringify(manifest))
  for (const name of readNames(dir)) if (name !== OBJECTS && isOurs(name)) removeFile(join(dir, name))
  for (const name of extra) removeFile(join(objects, name))
  return { ...copied, removed: extra.length, snapshots: ctx.records.snapshots.all().length }
}

/** The offset at which the last block of each pack ends. */
function ends(ctx: MaintenanceContext): Map<string, number> {
  const rows = ctx.records.db.all<{ name: string; end: number }>(
    'SELECT p.name, max(b.offset + b.head + b.stored) AS "end" FROM packs p JOIN blocks b ON b.pack = p.id GROUP BY p.id',
  )
  return new Map(rows.map(({ name, end }) => [name, end]))
}

/** Copies every pack of a mirror that this store does not have, and records the snapshots in it. */
export function mirrorBack(ctx: MaintenanceContext, dir: string, progress: Progress): Mirrored {
  checkMirror(ctx, dir, false)
  const objects = join(dir, OBJECTS)
  const { packs } = JSON.parse(readFile(join(dir, MARK))?.toString() ?? '{}') as Manifest
  const known = new Set(ctx.store.index.packs().map(({ name }) => name))
  const missing = Object.entries(packs).filter(([name]) => !known.has(name))
  const writers = new Set(missing.map(([name]) => writerOf(name)))
  for (const writer of writers) ctx.store.index.enter(writer)
  try {
    const copied = copyPacks(objects, ctx.store.dir, missing, progress)
    const names = missing.map(([name]) => name)
    const { snapshots } = ctx.records.db.writeDurably(() => {
      const told = ingestPacks(ctx.store.index, ctx.store.dir, names, progress)
      return recordAll(ctx, told)
    })
    return { ...copied, removed: 0, snapshots }
  } finally {
    for (const writer of writers) ctx.store.index.leave(writer)
  }
}

export const isMirror = (dir: string): boolean => lstat(join(dir, MARK)) !== undefined

function checkMirror(ctx: MaintenanceContext, dir: string, make: boolean): void {
  const [mirror, home] = [resolve(dir), realPath(ctx.home)]
  const refuse = (problem: string): never => {
    throw new Fault('MIRROR_BAD', { dir, problem })
  }
  if (mirror === home || mirror.startsWith(`${home}/`) || home.startsWith(`${mirror}/`))
    refuse('it and the store lie in each other')
  const marked = readFile(join(dir, MARK)) !== undefined
  if (!marked && !make) refuse('it is not a mirror')
  if (!marked && lstat(dir) && readNames(dir).some((name) => !isOurs(name))) refuse('it holds something else')
  if (make && lstat(join(dir, OBJECTS))?.isDirectory() === false) refuse('its "objects" is not a folder of its own')
}

/** Names that a mirror run leaves behind when its process dies before the manifest is renamed. */
const isOurs = (name: string): boolean => name === OBJECTS || /^mirror\.json\.[0-9a-f]{12}\.tmp$/.test(name)

function copyPacks(
  from: string,
  to: string,
  packs: readonly [string, number][],
  progress: Progress,
): { packs: number; bytes: number } {
  let bytes = 0
  packs.forEach(([name, end], i) => {
    progress(i, packs.length)
    bytes += copyPack(from, to, name, end)
  })
  syncDir(to)
  return { packs: packs.length, bytes }
}

/**
 * The copy gets its name only after it was read back and found intact: an intact copy is never replaced by a damaged
 * one.
 */
function copyPack(from: string, to: string, name: string, end: number): number {
  const temp = `${name}.tmp`
  removeAll(join(to, temp))
  copyFile(join(from, name), join(to, temp))
  if (!isWholePack(to, temp, end)) {
    removeFile(join(to, temp))
    throw new Fault('PACK_DAMAGED', { pack: join(from, name) })
  }
  rename(join(to, temp), join(to, name))
  return lstat(join(to, name))?.size ?? 0
}
