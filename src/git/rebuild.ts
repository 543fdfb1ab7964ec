import { basename, dirname, join } from 'node:path'
import { Fault } from '../base/fault.ts'
import { bytesFromName, nameFromBytes } from '../base/quote.ts'
import { TEMPORARY } from '../config/rules.ts'
import { syncDir, writeWhole } from '../host/files/durable.ts'
import { close, fchmod, lstat, makeDir, makeLink, openNew, removeAll, rename, setTimeOf } from '../host/files/fs.ts'
import type { OpenFolders } from '../host/files/open-folders.ts'
import { removeTree } from '../host/files/remove-tree.ts'
import { point } from '../host/points.ts'
import type { GitKeepRecord } from '../records/git-keeps.ts'
import { foldersAbove, joinPath, type RelPath, ROOT, recordedPath } from '../schema/path.ts'
import type { ObjectReader } from '../store/object-reader.ts'
import { type Entry, KIND } from '../store/tree.ts'
import { asReplaced, inFolders, openFolders } from '../timeline/workspace/own-folders.ts'
import { askGit, type GitDir, present, type Ref } from './ask-git.ts'
import { KeptParts } from './kept.ts'
import { isRemote } from './pack.ts'

/** Rebuilds a git folder that is gone. */

export interface Rebuilt {
  /** Remote-tracking refs whose commits only the remote has: a fetch is needed. */
  readonly needsFetch: readonly Ref[]
  /** Whether everything that refs lead to exists. */
  readonly complete: boolean
}

/**
 * The folder gets its name only when it is complete. A crash leaves a temporary folder that no capture records and the
 * next rescue replaces.
 */
export async function rebuildGit(
  reader: ObjectReader,
  keep: GitKeepRecord,
  target: string,
  elsewhere: boolean,
): Promise<Rebuilt> {
  const folders = openFolders(dirname(target))
  try {
    await build({ reader, folders }, keep, joinPath(ROOT, basename(target)), elsewhere)
  } catch (error) {
    throw asReplaced(error)
  } finally {
    folders.close()
  }
  return await whatLacks(target, new KeptParts(reader, keep, 0).refs)
}

/** Files are written through folders that were opened without following a link; git itself gets plain paths. */
interface Site {
  readonly reader: ObjectReader
  readonly folders: OpenFolders
}

async function build(site: Site, keep: GitKeepRecord, target: RelPath, elsewhere: boolean): Promise<void> {
  const { reader, folders } = site
  const temp = joinPath(ROOT, `${TEMPORARY}git-${keep.id}`)
  removeTree(folders, temp)
  for (const [i, { path }] of keep.repositories.entries()) {
    const parts = new KeptParts(reader, keep, i)
    const dir = path === '' ? temp : recordedPath(`${temp}/${path}`)
    makeAll(folders, dir)
    if (parts.files) writeFolder(site, parts, parts.files, dir)
    for (const name of ['info', 'pack']) makeAll(folders, joinPath(joinPath(dir, 'objects'), name))
    const packs = folders.folder(joinPath(joinPath(dir, 'objects'), 'pack'))
    await importPacks(reader, parts, folders.plain(dir), packs)
    folders.rest()
  }
  point('git:rebuilt')
  // A submodule's setting gives the path of its work tree relative to its old place.
  const plain = folders.plain(temp)
  if (elsewhere) await askGit(plain, ['config', '--file', join(plain, 'config'), '--unset-all', 'core.worktree'])
  appear(folders, temp, target)
}

function makeAll(folders: OpenFolders, dir: RelPath): void {
  for (const path of [...foldersAbove(dir), dir])
    if (lstat(folders.child(path)) === undefined) makeDir(folders.child(path), 0o755)
}

function appear(folders: OpenFolders, temp: RelPath, target: RelPath): void {
  if (lstat(folders.child(target)) !== undefined) {
    removeTree(folders, temp)
    throw new Fault('GIT_RESCUE_REFUSED', {
      why: `${folders.plain(target)} came back meanwhile`,
      instead: 'Look again: timewarp git-rescue',
    })
  }
  rename(folders.child(temp), folders.child(target))
  syncDir(folders.folder(ROOT))
}

async function whatLacks(dir: GitDir, refs: readonly Ref[]): Promise<Rebuilt> {
  const remote = refs.filter(isRemote)
  const there = await present(
    dir,
    remote.map(({ id }) => id),
  )
  const needsFetch = remote.filter(({ id }) => !there.has(id))
  const complete =
    needsFetch.length === 0 && (await askGit(dir, ['rev-list', '--objects', '--all', '--quiet'])).status === 0
  return { needsFetch, complete }
}

/** Creates the `.git` file of a linked work tree, or the symbolic link to a repository, again if it is gone. */
export function relink({ link }: GitKeepRecord): boolean {
  if (link === null || lstat(link.path) !== undefined || !lstat(dirname(link.path))?.isDirectory()) return false
  const { text, symlink } = link
  const name = joinPath(ROOT, basename(link.path))
  inFolders(dirname(link.path), (folders) => {
    if (symlink) makeLink(text, folders.child(name))
    else writeWhole(folders.child(name), Buffer.from(bytesFromName(text)), 0o644)
  })
  return true
}

function writeFolder(site: Site, parts: KeptParts, folder: Entry, dir: RelPath): void {
  for (const entry of parts.entries(folder)) {
    site.folders.rest()
    const path = joinPath(dir, entry.name)
    if (entry.kind === KIND.directory) {
      makeAll(site.folders, path)
      writeFolder(site, parts, entry, path)
    } else if (entry.kind === KIND.symlink)
      makeLink(nameFromBytes(site.reader.get(entry.hash)), site.folders.child(path))
    else writeFile(site.reader, entry, site.folders.child(path))
  }
}

/** Writes a file with its mtime: git relies on that of the index. */
function writeFile(reader: ObjectReader, entry: Entry, at: string): void {
  const fd = openNew(at, 0o600)
  try {
    reader.copyTo(fd, entry.hash)
    if (entry.mtime > 0) setTimeOf(fd, entry.mtime)
    fchmod(fd, entry.mode)
  } finally {
    close(fd)
  }
}

/** Adds the kept packs that the repository does not have. `packs` is the path of the folder to write them to. */
export async function importPacks(
  reader: ObjectReader,
  parts: KeptParts,
  dir: GitDir,
  packs = join(dir, 'objects', 'pack'),
): Promise<void> {
  for (const pack of parts.packs) {
    const at = join(packs, pack.name)
    const index = `${at.slice(0, -'.pack'.length)}.idx`
    if (lstat(index) !== undefined) continue
    removeAll(at)
    writeFile(reader, pack, at)
    const ran = await askGit(dir, ['index-pack', join(dir, 'objects', 'pack', pack.name)])
    if (ran.status !== 0)
      throw new Fault('GIT_FAILED', { command: 'index-pack', problem: ran.err.split('\n')[0] ?? '' })
    point('git:imported')
  }
}
