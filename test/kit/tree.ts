import { createHash } from 'node:crypto'
import * as fs from 'node:fs'

/** What stands at a path, in everything a restore promises to bring back. */
export interface Described {
  readonly kind: 'file' | 'directory' | 'symlink' | 'socket' | 'pipe' | 'device'
  readonly mode: string
  /** Microseconds since 1970. */
  readonly mtime: bigint
  /** SHA-256 and size of a file, target of a symlink. */
  readonly content?: string
}

/** A tree by path; each byte of a path is one character, so that no two names can look alike. */
export type Tree = Record<string, Described>

/** Describes everything below `root`; the names in `except` are left out at the top. */
export function describeTree(root: string, except: readonly string[] = ['.timewarp']): Tree {
  const tree: Tree = {}
  walk(Buffer.from(root), '', except, tree)
  return tree
}

function walk(dir: Buffer, path: string, except: readonly string[], tree: Tree): void {
  const names = fs.readdirSync(dir, { encoding: 'buffer' }).sort((a, b) => Buffer.compare(a, b))
  for (const name of names) {
    const key = path === '' ? name.toString('latin1') : `${path}/${name.toString('latin1')}`
    if (except.includes(key)) continue
    const at = Buffer.concat([dir, Buffer.from('/'), name])
    const described = describePath(at)
    tree[key] = described
    if (described.kind === 'directory') walk(at, key, except, tree)
  }
}

export function describePath(at: string | Buffer): Described {
  const stat = fs.lstatSync(at, { bigint: true })
  const kind = kindOf(stat)
  const content = contentOf(at, kind)
  return {
    kind,
    mode: (stat.mode & 0o7777n).toString(8),
    mtime: microsOf(stat.mtimeNs),
    ...(content === undefined ? {} : { content }),
  }
}

function kindOf(stat: fs.BigIntStats): Described['kind'] {
  if (stat.isFile()) return 'file'
  if (stat.isDirectory()) return 'directory'
  if (stat.isSymbolicLink()) return 'symlink'
  if (stat.isSocket()) return 'socket'
  return stat.isFIFO() ? 'pipe' : 'device'
}

function contentOf(at: string | Buffer, kind: Described['kind']): string | undefined {
  if (kind === 'symlink') return fs.readlinkSync(at, { encoding: 'buffer' }).toString('latin1')
  if (kind !== 'file') return undefined
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(1024 * 1024)
  const fd = fs.openSync(at, 'r')
  let size = 0
  for (let got = 1; got > 0; size += got) {
    got = fs.readSync(fd, buffer)
    hash.update(buffer.subarray(0, got))
  }
  fs.closeSync(fd)
  return `${size} ${hash.digest('hex')}`
}

const microsOf = (ns: bigint): bigint => (ns >= 0n ? ns / 1000n : (ns - 999n) / 1000n)

/** The tree without folder times, which move whenever anything in the folder does. */
export const withoutFolderTimes = (tree: Tree): Record<string, Omit<Described, 'mtime'>> =>
  Object.fromEntries(
    Object.entries(tree).map(([path, { mtime, ...rest }]) => [
      path,
      rest.kind === 'directory' ? rest : { ...rest, mtime },
    ]),
  )

/** Names, kinds and bytes alone. */
export const contentsOf = (tree: Tree): Record<string, string> =>
  Object.fromEntries(Object.entries(tree).map(([path, { kind, content }]) => [path, content ?? kind]))
