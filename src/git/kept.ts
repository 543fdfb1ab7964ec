import { Fault, isDamage } from '../base/fault.ts'
import { fromHex, toHex } from '../host/hash.ts'
import type { GitKeepRecord } from '../records/git-keeps.ts'
import type { ObjectReader } from '../store/object-reader.ts'
import { type Entry, KIND } from '../store/tree.ts'
import { Trees } from '../timeline/capture/trees.ts'
import { parseRefs, parseStashes, type Ref, type Stash } from './ask-git.ts'
import { idsIn, mayMention } from './files.ts'

/**
 * A keep as a tree: `git` holds the bytes of a linked work tree's `.git` file, if there is one, and `repositories/N`
 * holds for each repository `files` (its folder without objects), `packs`, and the listings `refs`, `stashes` and
 * `absent`.
 */
export const PART = {
  repositories: 'repositories',
  files: 'files',
  packs: 'packs',
  refs: 'refs',
  stashes: 'stashes',
  absent: 'absent',
} as const

export const numberOf = (i: number): string => String(i).padStart(4, '0')

/** One repository of a keep, read from the store on demand. */
export class KeptParts {
  readonly #reader: ObjectReader
  readonly #trees: Trees
  readonly #parts: ReadonlyMap<string, Entry>

  constructor(reader: ObjectReader, keep: GitKeepRecord, index: number) {
    this.#reader = reader
    this.#trees = new Trees(reader)
    const all = this.#folder(this.#named(this.#trees.read(fromHex(keep.tree))).get(PART.repositories))
    this.#parts = this.#named(this.#folder(all.get(numberOf(index))).values())
  }

  get refs(): Ref[] {
    return parseRefs(this.#bytes(PART.refs))
  }

  get stashes(): Stash[] {
    return parseStashes(this.#bytes(PART.stashes))
  }

  get packs(): Entry[] {
    return [...this.#folder(this.#parts.get(PART.packs)).values()]
  }

  get files(): Entry | undefined {
    return this.#parts.get(PART.files)
  }

  /**
   * Every object that refs led to or files mentioned, and that existed: all that is reachable from them is kept, or a
   * remote has it.
   */
  tips(): Set<string> {
    return this.#there([...this.refs.map(({ id }) => id), ...this.#idsBelow(this.files, '')])
  }

  /** The objects in the reflogs of the repository and of its linked work trees. */
  logged(): Set<string> {
    const files = this.#folder(this.files)
    const others = [...this.#folder(files.get('worktrees')).values()].map((entry) => this.#folder(entry).get('logs'))
    return this.#there([files.get('logs'), ...others].flatMap((logs) => this.#idsBelow(logs, 'logs')))
  }

  /** As `TakenFiles.indexes`. */
  indexes(): Map<string, string> {
    const files = this.#folder(this.files)
    const linked = [...this.#folder(files.get('worktrees')).values()].map(
      (entry) => [`worktrees/${entry.name}/index`, this.#folder(entry).get('index')] as const,
    )
    const all = [['index', files.get('index')] as const, ...linked]
    return new Map(all.flatMap(([path, entry]) => (entry ? [[path, toHex(entry.hash)]] : [])))
  }

  /** A kept file by its path in the repository's folder; undefined when there was none. */
  file(path: string): { readonly bytes: Uint8Array; readonly mode: number } | undefined {
    let entry = this.files
    for (const name of path.split('/')) entry = this.#folder(entry).get(name)
    return entry?.kind === KIND.file ? { bytes: this.#reader.get(entry.hash), mode: entry.mode } : undefined
  }

  entries(folder: Entry): Iterable<Entry> {
    return this.#folder(folder).values()
  }

  #there(ids: readonly string[]): Set<string> {
    const absent = new Set(idsIn(this.#bytes(PART.absent)))
    return new Set(ids.filter((id) => !absent.has(id)))
  }

  #idsBelow(entry: Entry | undefined, path: string): string[] {
    if (entry?.kind === KIND.file) return mayMention(path, entry.size) ? idsIn(this.#reader.get(entry.hash)) : []
    return [...this.#folder(entry).values()].flatMap((inner) =>
      this.#idsBelow(inner, path === '' ? inner.name : `${path}/${inner.name}`),
    )
  }

  #bytes(name: string): Uint8Array {
    const entry = this.#parts.get(name)
    return entry ? this.#reader.get(entry.hash) : new Uint8Array()
  }

  #folder(entry: Entry | undefined): Map<string, Entry> {
    return entry?.kind === KIND.directory ? this.#named(this.#trees.read(entry.hash)) : new Map()
  }

  #named(entries: Iterable<Entry>): Map<string, Entry> {
    return new Map([...entries].map((entry) => [entry.name, entry]))
  }
}

/** Runs `read`; undefined when retention or damage has removed some of the keep. */
export async function partsOrNone<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isDamage(error)) return undefined
    throw error
  }
}

/** The keep of this workspace that `text` names: its id, the beginning of it, or `latest`. */
export function findKeep(keeps: readonly GitKeepRecord[], text: string): GitKeepRecord {
  const found =
    text === 'latest'
      ? keeps.slice(0, 1)
      : keeps.filter(({ id }) => id === text || (text.length >= 3 && id.startsWith(text)))
  const [only] = found
  if (only === undefined || found.length > 1)
    throw new Fault('GIT_KEEP_NOT_FOUND', { id: text, matches: found.map(({ id }) => id) })
  return only
}
