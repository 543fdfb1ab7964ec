import type { RelPath } from '../schema/path.ts'
import { sha256 } from '../store/hash.ts'
import { OBJECT } from '../store/store.ts'
import { type Entry, encodeTree, KIND } from '../store/tree.ts'
import type { ReadTree } from './compare.ts'

/** What is to be at a path. */
type Wish =
  | {
      readonly kind: 'file'
      readonly bytes: Uint8Array
      readonly mode: number
      /** The SHA-256 of the bytes, where it is known. */
      readonly hash?: Uint8Array
    }
  | { readonly kind: 'symlink'; readonly target: Uint8Array }
  | { readonly kind: 'directory'; readonly mode: number }
  | { readonly kind: 'nothing' }

export interface Wished {
  readonly path: RelPath
  readonly wish: Wish
}

type Put = (hash: Uint8Array, kind: typeof OBJECT.blob | typeof OBJECT.tree, bytes: Uint8Array) => void

const NEW_FOLDER = 0o755

/**
 * The tree that has what is wished for at some paths and everything else as it was; folders above a path are made
 * when there are none. Later wishes win. Returns the hash of the new root; `put` gets all that is new.
 */
export function graft(read: ReadTree, root: Uint8Array, wishes: readonly Wished[], now: number, put: Put): Uint8Array {
  const top = new Node()
  for (const { path, wish } of wishes) top.at(path.split('/')).wish = wish
  return build(read, root, top, now, put).hash
}

/** The wishes below one folder. */
class Node {
  wish: Wish | undefined
  readonly below = new Map<string, Node>()

  /** Whether anything is wished for below it. */
  holdsAnything(): boolean {
    return [...this.below.values()].some(
      (node) => (node.wish !== undefined && node.wish.kind !== 'nothing') || node.holdsAnything(),
    )
  }

  at(names: readonly string[]): Node {
    const [first, ...rest] = names
    if (first === undefined) return this
    let next = this.below.get(first)
    if (next === undefined) this.below.set(first, (next = new Node()))
    return next.at(rest)
  }
}

/** A folder with what is wished for in it. `changed`: names came or went, so its time moves. */
function build(read: ReadTree, tree: Uint8Array | undefined, node: Node, now: number, put: Put) {
  const entries = new Map((tree ? read(tree) : []).map((entry) => [entry.name, entry]))
  const before = entries.size
  let isChanged = false
  for (const [name, below] of node.below) {
    const was = entries.get(name)
    const is = entryOf(read, name, was, below, now, put)
    if ((was === undefined) !== (is === undefined)) isChanged = true
    if (is) entries.set(name, is)
    else entries.delete(name)
  }
  const sorted = [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const bytes = encodeTree(sorted)
  const hash = sha256(bytes)
  put(hash, OBJECT.tree, bytes)
  return { hash, isChanged: isChanged || entries.size !== before }
}

function entryOf(
  read: ReadTree,
  name: string,
  was: Entry | undefined,
  node: Node,
  now: number,
  put: Put,
): Entry | undefined {
  const { wish } = node
  if (wish?.kind === 'nothing' && !node.holdsAnything()) return undefined
  if (wish && (wish.kind === 'file' || wish.kind === 'symlink')) return content(name, wish, now, put)
  const folder = was?.kind === KIND.directory && wish?.kind !== 'nothing' ? was : undefined
  if (wish === undefined && node.below.size === 0) return was
  const built = build(read, folder?.hash, node, now, put)
  const mode = wish?.kind === 'directory' ? wish.mode : (folder?.mode ?? NEW_FOLDER)
  const mtime = folder && !built.isChanged ? folder.mtime : now
  return { name, kind: KIND.directory, mode, size: 0, mtime, hash: built.hash }
}

function content(name: string, wish: Wish & { kind: 'file' | 'symlink' }, now: number, put: Put): Entry {
  const bytes = wish.kind === 'file' ? wish.bytes : wish.target
  const hash = (wish.kind === 'file' && wish.hash) || sha256(bytes)
  put(hash, OBJECT.blob, bytes)
  const kind = wish.kind === 'file' ? KIND.file : KIND.symlink
  return { name, kind, mode: wish.kind === 'file' ? wish.mode : 0o777, size: bytes.length, mtime: now, hash }
}
