import { lstat } from '../../host/files/fs.ts'
import type { OpenFolders } from '../../host/files/open-folders.ts'
import { keyOf } from '../../host/hash.ts'
import { point } from '../../host/points.ts'
import { allFoldersAbove, isWithin, type RelPath, ROOT } from '../../schema/path.ts'
import { OBJECT, type ObjectKind } from '../../store/store.ts'
import { KIND } from '../../store/tree.ts'
import { type NewObject, storeAnew } from '../capture/store-anew.ts'
import type { Captured } from '../capture/types.ts'
import type { CaptureContext } from '../scan/context.ts'
import { treeOfEncoded } from '../scan/encoded.ts'
import { headOf } from '../scan/folder.ts'
import { type ContentSink, takeFile, takeLink } from '../scan/read-stable.ts'
import { openFolders } from '../workspace/own-folders.ts'
import type { ExpectedFile } from './put-checks.ts'
import type { RestorePlan } from './restore-plan.ts'
import { expectations } from './restore-scope.ts'

/**
 * The plan, without the paths whose present bytes cannot be secured.
 *
 * That a file is captured means that the store has a record of its bytes; the disk may have lost them since. So before
 * a file is overwritten or removed, its stored bytes are read back and verified, with the trees that lead to them. What
 * cannot be read is stored again from the workspace, durably. Where that is impossible, the path is left alone.
 */
export function keepReadable(
  ctx: CaptureContext,
  { root }: { readonly root: string },
  plan: RestorePlan,
  present: Captured,
): RestorePlan {
  const stakes = stakesOf(plan, present)
  if (stakes.size === 0) return plan
  const folders = treesAbove(stakes.keys(), present)
  const hashes = [...[...stakes.values()].map(({ hash }) => hash), ...[...folders.values()].map(treeHash)]
  const lost = ctx.store.reader.unreadable(hashes)
  if (lost.size === 0) return plan
  const trees = [...folders.values()].filter((folder) => lost.has(keyOf(treeHash(folder)))).map(asTree)
  const contents = [...stakes].filter(([, { hash }]) => lost.has(keyOf(hash)))
  const opened = openFolders(root)
  try {
    storeAnew(ctx, trees)
    const gone = contents.filter(([path, expect]) => !storeFile(ctx, opened, path, expect)).map(([path]) => path)
    point('restore:readable')
    return without(plan, gone)
  } finally {
    opened.close()
  }
}

const treeHash = (folder: Uint8Array): Uint8Array => headOf(folder).tree

const asTree = (folder: Uint8Array): NewObject => ({
  hash: treeHash(folder),
  kind: OBJECT.tree,
  bytes: treeOfEncoded(folder),
})

/** The files that the plan overwrites or removes, as the scan saw them. */
function stakesOf(plan: RestorePlan, present: Captured): Map<RelPath, ExpectedFile> {
  const expected = expectations(present.assembled)
  const replaced = plan.write.filter(({ replaces }) => replaces).map(({ path }) => path)
  const stakes = new Map<RelPath, ExpectedFile>()
  for (const path of [...plan.remove, ...replaced]) {
    const expect = expected(path)
    if (expect) stakes.set(path, expect)
  }
  return stakes
}

/** The folders above some paths, as the scan saw them. */
function treesAbove(paths: Iterable<RelPath>, { assembled }: Captured): Map<RelPath, Uint8Array> {
  const folders = new Map<RelPath, Uint8Array>()
  for (const folder of [ROOT, ...allFoldersAbove(paths)]) {
    const encoded = assembled.folders.get(folder)
    if (encoded) folders.set(folder, encoded)
  }
  return folders
}

/**
 * Stores those parts of a file that cannot be read back. False when the file no longer holds what was captured, or
 * cannot be stored.
 */
function storeFile(ctx: CaptureContext, folders: OpenFolders, path: RelPath, expect: ExpectedFile): boolean {
  folders.rest()
  const objects: NewObject[] = []
  const take = (hash: Uint8Array, kind: ObjectKind, bytes: Uint8Array): void => {
    if (kind === OBJECT.list || !ctx.store.reader.isReadable(hash))
      objects.push({ hash, kind, bytes: Buffer.from(bytes) })
  }
  try {
    if (!holds(folders.child(path), expect, { take })) return false
  } catch {
    return false
  }
  storeAnew(ctx, objects)
  return ctx.store.reader.unreadable([expect.hash]).size === 0
}

function holds(at: string, expect: ExpectedFile, sink: ContentSink): boolean {
  const isLink = lstat(at)?.isSymbolicLink() === true
  if (isLink !== (expect.kind === KIND.symlink)) return false
  const taken = isLink ? takeLink(at, sink) : takeFile(at, Number.MAX_SAFE_INTEGER, sink)
  return typeof taken === 'object' && 'hash' in taken && Buffer.compare(taken.hash, expect.hash) === 0
}

const REASON = 'what it holds now could not be read back from the store, nor stored again'

/** Leaves out these paths and everything below them, and keeps the folders above them. */
function without(plan: RestorePlan, paths: readonly RelPath[]): RestorePlan {
  if (paths.length === 0) return plan
  const needed = allFoldersAbove(paths)
  const isFree = (path: RelPath): boolean => !paths.some((kept) => isWithin(path, kept))
  const isFreeAt = ({ path }: { readonly path: RelPath }): boolean => isFree(path)
  return {
    ...plan,
    remove: plan.remove.filter(isFree),
    removeFolders: plan.removeFolders.filter((path) => isFree(path) && !needed.has(path)),
    makeFolders: plan.makeFolders.filter(isFree),
    write: plan.write.filter(isFreeAt),
    touch: plan.touch.filter(isFreeAt),
    settle: plan.settle.filter(isFreeAt),
    skipped: [...plan.skipped, ...paths.map((path) => ({ path, reason: REASON }))],
  }
}
