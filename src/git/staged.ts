import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Fault } from '../base/fault.ts'
import { nameFromBytes } from '../base/quote.ts'
import { syncDir } from '../host/files/durable.ts'
import { close, errorCode, fchmod, fsync, openNew, removeAll, rename, writeAll } from '../host/files/fs.ts'
import { askGit, type GitDir } from './ask-git.ts'

/** The entries of an index without the times of files: by path, with mode, id and flags. */
export type Staged = ReadonlyMap<string, string>

/** The entries of the repository's own index, or of a kept one. Undefined when git cannot read it. */
export async function stagedIn(dir: GitDir, kept?: Uint8Array): Promise<Staged | undefined> {
  if (kept === undefined) return await listed(dir, {})
  const at = join(tmpdir(), `timewarp-index-${randomUUID()}`)
  try {
    put(at, kept, 0o600)
    return await listed(dir, { GIT_INDEX_FILE: at })
  } finally {
    removeAll(at)
  }
}

async function listed(dir: GitDir, env: Readonly<Record<string, string>>): Promise<Staged | undefined> {
  const ran = await askGit(dir, ['ls-files', '--stage', '-v', '-z'], undefined, env)
  return ran.status === 0 ? byPath(nameFromBytes(ran.out)) : undefined
}

/** The entries of a commit. */
export async function treeOf(dir: GitDir, commit: string): Promise<Staged> {
  const ran = await askGit(dir, ['ls-tree', '-r', '-z', '--full-tree', commit])
  const rows = nameFromBytes(ran.out).split('\0').filter(Boolean)
  return new Map(
    rows.map((row) => {
      const [about, path] = split(row)
      const [mode, , id] = about.split(' ')
      return [path, `H ${mode} ${id} 0`]
    }),
  )
}

/** A path in conflict has several lines. */
function byPath(text: string): Staged {
  const all = new Map<string, string>()
  for (const row of text.split('\0').filter(Boolean)) {
    const [about, path] = split(row)
    all.set(path, all.has(path) ? `${all.get(path)}\n${about}` : about)
  }
  return all
}

const split = (row: string): [string, string] => {
  const tab = row.indexOf('\t')
  return [row.slice(0, tab), row.slice(tab + 1)]
}

export const textOf = (staged: Staged): string => JSON.stringify([...staged])

/** The ids of all contents that an index has. */
export const idsOf = (staged: Staged): string[] =>
  [...staged.values()]
    .flatMap((rows) => rows.split('\n').map((row) => row.split(' ')))
    .flatMap(([, mode, id]) => (id === undefined || mode === SUBMODULE ? [] : [id]))

/** The commit of a submodule is in a repository of its own. */
const SUBMODULE = '160000'

/** Replaces the index as git itself does: under its lock, completely or not at all. */
export function replaceIndex(dir: GitDir, bytes: Uint8Array, mode: number): void {
  const lock = join(dir, 'index.lock')
  try {
    put(lock, bytes, mode)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw new Fault('GIT_LOCKED', { path: lock })
    throw error
  }
  rename(lock, join(dir, 'index'))
  syncDir(dir)
}

function put(at: string, bytes: Uint8Array, mode: number): void {
  const fd = openNew(at, mode)
  try {
    writeAll(fd, bytes)
    fchmod(fd, mode)
    fsync(fd)
  } finally {
    close(fd)
  }
}
