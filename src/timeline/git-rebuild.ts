import { dirname, join } from 'node:path'
import { Fault } from '../base/fault.ts'
import { bytesFromName, nameFromBytes } from '../base/quote.ts'
import { syncDir, writeWhole } from '../host/durable.ts'
import { chmod, close, lstat, makeLink, openNew, removeAll, rename, setTimeOf } from '../host/fs.ts'
import { makeDirs } from '../host/make-dirs.ts'
import { point } from '../host/points.ts'
import type { GitKeepRecord } from '../records/git-keeps.ts'
import type { ObjectReader } from '../store/object-reader.ts'
import { type Entry, KIND } from '../store/tree.ts'
import { askGit, type GitDir, present, type Ref } from './git-ask.ts'
import { KeptParts } from './git-kept.ts'
import { isRemote } from './git-pack.ts'
import { TEMPORARY } from './rules.ts'

/** Makes a git folder again that is gone. */

export interface Rebuilt {
  /** Remote-tracking refs whose commits only the remote has: a fetch brings them. */
  readonly needsFetch: readonly Ref[]
  /** Whether everything that refs lead to is there. */
  readonly complete: boolean
}

/** Under its name only when all of it is there; a crash leaves a folder that no capture sees and the next rescue replaces. */
export async function rebuildGit(
  reader: ObjectReader,
  keep: GitKeepRecord,
  target: string,
  elsewhere: boolean,
): Promise<Rebuilt> {
  const temp = join(dirname(target), `${TEMPORARY}git-${keep.id}`)
  removeAll(temp)
  makeDirs(temp, 0o755)
  for (const [i, { path }] of keep.repositories.entries()) {
    const parts = new KeptParts(reader, keep, i)
    const dir = path === '' ? temp : join(temp, path)
    makeDirs(dir, 0o755)
    if (parts.files) writeFolder(reader, parts, parts.files, dir)
    for (const name of ['info', 'pack']) makeDirs(join(dir, 'objects', name), 0o755)
    await importPacks(reader, parts, dir)
  }
  point('git:rebuilt')
  // A submodule says where its work tree lies, from where it used to be.
  if (elsewhere) await askGit(temp, ['config', '--file', join(temp, 'config'), '--unset-all', 'core.worktree'])
  appear(temp, target)
  return await whatLacks(target, new KeptParts(reader, keep, 0).refs)
}

function appear(temp: string, target: string): void {
  if (lstat(target) !== undefined) {
    removeAll(temp)
    throw new Fault('GIT_RESCUE_REFUSED', {
      why: `${target} came back meanwhile`,
      instead: 'Look again: timewarp git-rescue',
    })
  }
  rename(temp, target)
  syncDir(dirname(target))
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

/** Writes a linked work tree's `.git` file again if it is gone. */
export function relink({ link }: GitKeepRecord): boolean {
  if (link === null || lstat(link.path) !== undefined || !lstat(dirname(link.path))?.isDirectory()) return false
  writeWhole(link.path, Buffer.from(bytesFromName(link.text)), 0o644)
  return true
}

function writeFolder(reader: ObjectReader, parts: KeptParts, folder: Entry, dir: string): void {
  for (const entry of parts.entries(folder)) {
    const at = join(dir, entry.name)
    if (entry.kind === KIND.directory) {
      makeDirs(at, 0o755)
      writeFolder(reader, parts, entry, at)
    } else if (entry.kind === KIND.symlink) makeLink(nameFromBytes(reader.get(entry.hash)), at)
    else writeFile(reader, entry, at)
  }
}

/** With its time: git relies on that of the index. */
function writeFile(reader: ObjectReader, entry: Entry, at: string): void {
  const fd = openNew(at, 0o600)
  try {
    reader.copyTo(fd, entry.hash)
    if (entry.mtime > 0) setTimeOf(fd, entry.mtime)
  } finally {
    close(fd)
  }
  chmod(at, entry.mode)
}

/** Adds the kept packs that the repository does not have. */
export async function importPacks(reader: ObjectReader, parts: KeptParts, dir: GitDir): Promise<void> {
  for (const pack of parts.packs) {
    const at = join(dir, 'objects', 'pack', pack.name)
    const index = `${at.slice(0, -'.pack'.length)}.idx`
    if (lstat(index) !== undefined) continue
    removeAll(at)
    writeFile(reader, pack, at)
    const ran = await askGit(dir, ['index-pack', at])
    if (ran.status !== 0)
      throw new Fault('GIT_FAILED', { command: 'index-pack', problem: ran.err.split('\n')[0] ?? '' })
    point('git:imported')
  }
}
