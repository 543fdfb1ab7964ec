import { join } from 'node:path'
import { bytesFromName } from '../base/quote.ts'
import { lstatExact, microsOf, readFile, readLink, readNames } from '../host/files/fs.ts'
import { newHash, sha256, toHex } from '../host/hash.ts'
import { type Chunk, encodeList } from '../store/chunk-list.ts'
import { cutAt, FINE } from '../store/chunker.ts'
import type { Batch, ObjectStore } from '../store/object-store.ts'
import { OBJECT } from '../store/store.ts'
import { type Entry, encodeTree, KIND } from '../store/tree.ts'
import { isLeftOut } from './git-folders.ts'

/** Copies the files of a git folder into the store, byte for byte: everything but objects. */

export interface TakenFiles {
  readonly tree: Uint8Array
  /** Equal for two folders with the same state, even if their refs are stored differently. */
  readonly digest: Buffer
  /** Ids of objects that reflogs and the files of a merge, rebase or bisection mention. */
  readonly mentioned: ReadonlySet<string>
  /** The hash of each index by its path: the repository's, and those of linked work trees. */
  readonly indexes: ReadonlyMap<string, string>
  readonly tooLarge: readonly string[]
}

/** Collects what a keep stores; every object that the keep relies on is registered here. */
export class GitSink {
  readonly #store: ObjectStore
  readonly #batch: Batch
  readonly #others: GitSink[] = []
  readonly #needed: Uint8Array[] = []

  constructor(store: ObjectStore) {
    this.#store = store
    this.#batch = store.begin()
  }

  /** Runs `act` with a sink of its own. If `isGood` rejects the result, nothing that `act` stored is kept. */
  async attempt<T>(act: (sink: GitSink) => Promise<T>, isGood: (result: T) => boolean): Promise<T> {
    const sink = new GitSink(this.#store)
    let good = false
    try {
      const result = await act(sink)
      good = isGood(result)
      return result
    } finally {
      if (good) this.#others.push(sink)
      else sink.#batch.giveUp()
    }
  }

  /** Registers an object stored earlier that the keep refers to. */
  rely(hash: Uint8Array): void {
    this.#needed.push(hash)
  }

  /** Makes everything findable. Must be called inside a transaction. */
  publish(): void {
    for (const sink of [...this.#others, this]) sink.#batch.publish()
  }

  /** Whether the store lacks anything that was stored or relied on. */
  get isMissing(): boolean {
    return [this, ...this.#others].some((sink) => sink.#needed.some((hash) => !this.#store.index.has(hash)))
  }

  get stored(): number {
    return [this, ...this.#others].reduce((sum, sink) => sum + sink.#batch.stored, 0)
  }

  note(bytes: Uint8Array): Uint8Array {
    return this.#batch.put(OBJECT.note, bytes)
  }

  end(): void {
    for (const sink of [...this.#others, this]) sink.#batch.end()
  }

  /** Stores a file's content; a longer one in small chunks, so that the next keep stores only what changed in it. */
  file(bytes: Uint8Array): Uint8Array {
    const hash = sha256(bytes)
    this.rely(hash)
    if (bytes.length <= FINE.normal || this.#store.index.has(hash)) this.#batch.putAs(hash, OBJECT.blob, bytes)
    else this.#list(hash, bytes)
    return hash
  }

  chunk(bytes: Uint8Array): Chunk {
    const hash = sha256(bytes)
    this.rely(hash)
    this.#batch.putAs(hash, OBJECT.blob, bytes)
    return { hash, size: bytes.length }
  }

  list(hash: Uint8Array, chunks: readonly Chunk[]): void {
    this.rely(hash)
    this.#batch.putAs(hash, OBJECT.list, encodeList(chunks))
  }

  tree(entries: readonly Entry[]): Uint8Array {
    const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1))
    const hash = this.#batch.put(OBJECT.tree, encodeTree(sorted))
    this.rely(hash)
    return hash
  }

  #list(hash: Uint8Array, bytes: Uint8Array): void {
    const chunks: Chunk[] = []
    for (let at = 0; at < bytes.length; at += chunks.at(-1)?.size ?? 0) {
      const rest = bytes.subarray(at)
      chunks.push(this.chunk(rest.subarray(0, cutAt(rest, FINE))))
    }
    this.list(hash, chunks)
  }
}

/** No file of git's own state is larger, apart from an index. */
const MOST_BYTES = 64 * 1024 * 1024

export function takeFiles(sink: GitSink, dir: string): TakenFiles {
  const taking = new Taking(sink, dir)
  const tree = taking.folder('')
  const { mentioned, indexes, tooLarge } = taking
  return { tree, digest: taking.digest.digest(), mentioned, indexes, tooLarge }
}

class Taking {
  readonly #sink: GitSink
  readonly #dir: string
  readonly digest = newHash()
  readonly mentioned = new Set<string>()
  readonly indexes = new Map<string, string>()
  readonly tooLarge: string[] = []

  constructor(sink: GitSink, dir: string) {
    this.#sink = sink
    this.#dir = dir
  }

  folder(path: string): Uint8Array {
    const names = readNames(path === '' ? this.#dir : join(this.#dir, path))
    return this.#sink.tree(names.flatMap((name) => this.#entry(path === '' ? name : `${path}/${name}`, name) ?? []))
  }

  /** Undefined for what is not copied, and for what was deleted meanwhile. */
  #entry(path: string, name: string): Entry | undefined {
    const at = join(this.#dir, path)
    const stat = isLeftOut(path) ? undefined : lstatExact(at)
    if (stat === undefined) return undefined
    const common = { name, mode: Number(stat.mode) & 0o7777, mtime: microsOf(stat.mtimeNs) }
    if (stat.isDirectory()) return { ...common, kind: KIND.directory, size: 0, hash: this.folder(path) }
    if (stat.isSymbolicLink()) {
      const target = bytesFromName(readLink(at))
      this.#note(path, target)
      return { ...common, kind: KIND.symlink, size: target.length, hash: this.#sink.file(target) }
    }
    if (!stat.isFile()) return undefined
    if (stat.size > MOST_BYTES && name !== 'index') {
      this.tooLarge.push(path)
      return undefined
    }
    const bytes = readFile(at)
    if (bytes === undefined) return undefined
    this.#note(path, bytes)
    const hash = this.#sink.file(bytes)
    if (isIndex(path)) this.indexes.set(path, toHex(hash))
    return { ...common, kind: KIND.file, size: bytes.length, hash }
  }

  #note(path: string, bytes: Uint8Array): void {
    if (mayMention(path, bytes.length)) for (const id of idsIn(bytes)) this.mentioned.add(id)
    if (isToldOtherwise(path)) return
    this.digest.update(`${path}\0${bytes.length}\0`)
    this.digest.update(bytes)
  }
}

const isIndex = (path: string): boolean => /^(worktrees\/[^/]+\/)?index$/.test(path)

/**
 * Files that the digest leaves out: git lists refs and the index itself; the rest, and the indexes of other work trees,
 * do not define the state.
 */
const isToldOtherwise = (path: string): boolean =>
  /^(refs\/|reftable\/|packed-refs$)|^(worktrees\/[^/]+\/)?(index|FETCH_HEAD|ORIG_HEAD|COMMIT_EDITMSG)$/.test(path)

const NO_IDS = /^(hooks|info|refs|reftable|rr-cache)\/|(^|\/)(config|index|packed-refs|description)(\.|$)/
const MOST_MENTIONED = 8 * 1024 * 1024

export const mayMention = (path: string, length: number): boolean => !NO_IDS.test(path) && length <= MOST_MENTIONED

/** All that looks like the id of an object. */
export const idsIn = (bytes: Uint8Array): string[] =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .match(/(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-f])/g)
    ?.filter((id) => !/^0+$/.test(id)) ?? []
