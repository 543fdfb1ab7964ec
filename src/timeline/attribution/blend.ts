import { type Deep, deeply } from '../../base/deeply.ts'
import { sha256 } from '../../host/hash.ts'
import { joinPath, type RelPath, ROOT } from '../../schema/path.ts'
import type { ReadTree } from '../../store/compare-trees.ts'
import { type Entry, encodeTree, KIND } from '../../store/tree.ts'

type Put = (hash: Uint8Array, tree: Uint8Array) => void

/**
 * The tree between two: as `to` at the paths for which `takes` is true, as `from` everywhere else. A folder is created
 * with the first entry in it and deleted with the last. The cost depends on what differs. `put` receives the trees that
 * neither side has.
 */
export function blend(
  read: ReadTree,
  from: Uint8Array,
  to: Uint8Array,
  takes: (path: RelPath) => boolean,
  put: Put,
): Uint8Array {
  return deeply(new Blender(read, takes, put).folder(ROOT, from, to))
}

class Blender {
  readonly #read: ReadTree
  readonly #takes: (path: RelPath) => boolean
  readonly #put: Put

  constructor(read: ReadTree, takes: (path: RelPath) => boolean, put: Put) {
    this.#read = read
    this.#takes = takes
    this.#put = put
  }

  *folder(path: RelPath, from: Uint8Array | undefined, to: Uint8Array | undefined): Deep<Uint8Array> {
    if (from && to && isSame(from, to)) return to
    const entries: Entry[] = []
    for (const { name, a, b } of this.#pairs(from, to)) {
      const at = joinPath(path, name)
      const isMixed = areFolders(a, b) && !areAlike(a, b)
      const entry = isMixed ? this.#mixed(at, a, b, yield this.folder(at, a?.hash, b?.hash)) : this.#takes(at) ? b : a
      if (entry) entries.push(entry)
    }
    const bytes = encodeTree(entries)
    const hash = sha256(bytes)
    if (!(from && isSame(hash, from)) && !(to && isSame(hash, to))) this.#put(hash, bytes)
    return hash
  }

  #pairs(from: Uint8Array | undefined, to: Uint8Array | undefined) {
    const olds = byName(from ? this.#read(from) : [])
    const news = byName(to ? this.#read(to) : [])
    const names = [...new Set([...olds.keys(), ...news.keys()])].sort((a, b) => (a < b ? -1 : 1))
    return names.map((name) => ({ name, a: olds.get(name), b: news.get(name) }))
  }

  /** The entry of a folder that differs between the sides; `hash` is its blended tree. */
  #mixed(path: RelPath, a: Entry | undefined, b: Entry | undefined, hash: Uint8Array): Entry | undefined {
    const isEmpty = isSame(hash, EMPTY)
    if (isEmpty && (a === undefined || b === undefined))
      return this.#takes(path) ? b && { ...b, hash } : a && this.#wasEmpty(a)
    const like = this.#takes(path) ? (b ?? a) : (a ?? b)
    return like && { ...like, hash }
  }

  /** A folder whose entries were all deleted is deleted with them, unless it was empty before. */
  #wasEmpty(folder: Entry): Entry | undefined {
    return isSame(folder.hash, EMPTY) ? folder : undefined
  }
}

const EMPTY = sha256(encodeTree([]))
const areFolders = (a: Entry | undefined, b: Entry | undefined): boolean =>
  (a ?? b)?.kind === KIND.directory && (b ?? a)?.kind === KIND.directory
const areAlike = (a: Entry | undefined, b: Entry | undefined): boolean =>
  a !== undefined && b !== undefined && isSame(a.hash, b.hash) && a.kind === b.kind && a.mode === b.mode
const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0
const byName = (entries: readonly Entry[]): Map<string, Entry> => new Map(entries.map((entry) => [entry.name, entry]))
