import { lazily } from '../../base/lazily.ts'
import { sha256 } from '../../host/hash.ts'
import type { RelPath } from '../../schema/path.ts'
import type { ReadTree } from '../../store/compare-trees.ts'
import { OBJECT } from '../../store/store.ts'
import { type Entry, encodeTree, KIND } from '../../store/tree.ts'

/** The wanted state of a path. */
type Wish =
  | {
      readonly kind: 'file'
      readonly bytes: Uint8Array
      readonly mode: number
      /** The SHA-256 of the bytes, if it is known. */
      readonly hash?: Uint8Array
      /** The modification time in microseconds; absent: now. */
      readonly mtime?: number
    }
  | { readonly kind: 'symlink'; readonly target: Uint8Array; readonly mtime?: number }
  | { readonly kind: 'directory'; readonly mode: number }
  | { readonly kind: 'nothing' }

export interface TreeEdits {
  readonly path: RelPath
  readonly wish: Wish
}

type Put = (hash: Uint8Array, kind: typeof OBJECT.blob | typeof OBJECT.tree, bytes: Uint8Array) => void

const NEW_FOLDER = 0o755

/**
 * Makes the tree that has the wanted entries at some paths and is otherwise unchanged. Missing folders above a path are
 * created. Later edits win. Returns the hash of the new root tree; `put` receives all new objects.
 */
export function applyTreeEdits(
  read: ReadTree,
  root: Uint8Array,
  wishes: readonly TreeEdits[],
  now: number,
  put: Put,
): Uint8Array {
  const top = new Node()
  for (const { path, wish } of wishes) nodeAt(top, path).wish = wish
  return build(read, root, top, now, put)
}

/** The edits below one folder. */
class Node {
  wish: Wish | undefined
  readonly below = new Map<string, Node>()

  /** Whether an edit below it creates anything. Must not be called before all edits are added. */
  readonly holdsAnything = lazily((): boolean => {
    for (const { wish, holdsAnything } of this.below.values())
      if ((wish !== undefined && wish.kind !== 'nothing') || holdsAnything()) return true
    return false
  })

  child(name: string): Node {
    let child = this.below.get(name)
    if (child === undefined) this.below.set(name, (child = new Node()))
    return child
  }
}

const nodeAt = (top: Node, path: RelPath): Node => path.split('/').reduce((node, name) => node.child(name), top)

/** A folder on the way to an edit. */
interface Site {
  readonly node: Node
  readonly name: string
  /** The folder's entry as it was; undefined when the folder is new. */
  readonly was: Entry | undefined
  readonly above: Site | undefined
  readonly entries: Map<string, Entry>
  /** Names were created or deleted in it, so its time changes. */
  isChanged: boolean
}

/**
 * Walks from the root down to every edit, then up again with the new trees. Without recursion, so that depth is not
 * limited.
 */
function build(read: ReadTree, root: Uint8Array, top: Node, now: number, put: Put): Uint8Array {
  const sites: Site[] = [siteOf(read, root, { node: top, name: '', was: undefined, above: undefined })]
  for (const site of sites) for (const [name, node] of site.node.below) enter(site, name, node)
  return sites.reduceRight((_, site) => leave(site), root)

  function enter(above: Site, name: string, node: Node): void {
    const was = above.entries.get(name)
    const { wish } = node
    if (wish?.kind === 'nothing' && !node.holdsAnything()) setEntry(above, name, undefined)
    else if (wish?.kind === 'file' || wish?.kind === 'symlink') setEntry(above, name, content(name, wish, now, put))
    else {
      const folder = was?.kind === KIND.directory && wish?.kind !== 'nothing' ? was : undefined
      sites.push(siteOf(read, folder?.hash, { node, name, was: folder, above }))
    }
  }

  function leave({ node: { wish }, name, was, above, entries, isChanged }: Site): Uint8Array {
    const bytes = encodeTree([...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1)))
    const hash = sha256(bytes)
    put(hash, OBJECT.tree, bytes)
    const mode = wish?.kind === 'directory' ? wish.mode : (was?.mode ?? NEW_FOLDER)
    const mtime = was && !isChanged ? was.mtime : now
    if (above) setEntry(above, name, { name, kind: KIND.directory, mode, size: 0, mtime, hash })
    return hash
  }
}

const siteOf = (
  read: ReadTree,
  tree: Uint8Array | undefined,
  site: Pick<Site, 'node' | 'name' | 'was' | 'above'>,
): Site => ({
  ...site,
  entries: new Map((tree ? read(tree) : []).map((entry) => [entry.name, entry])),
  isChanged: false,
})

function setEntry(site: Site, name: string, entry: Entry | undefined): void {
  if (site.entries.has(name) !== (entry !== undefined)) site.isChanged = true
  if (entry) site.entries.set(name, entry)
  else site.entries.delete(name)
}

function content(name: string, wish: Wish & { kind: 'file' | 'symlink' }, now: number, put: Put): Entry {
  const bytes = wish.kind === 'file' ? wish.bytes : wish.target
  const hash = (wish.kind === 'file' && wish.hash) || sha256(bytes)
  put(hash, OBJECT.blob, bytes)
  const kind = wish.kind === 'file' ? KIND.file : KIND.symlink
  const mtime = wish.mtime ?? now
  return { name, kind, mode: wish.kind === 'file' ? wish.mode : 0o777, size: bytes.length, mtime, hash }
}
