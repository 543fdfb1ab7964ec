import { Fault, isFault } from '../base/fault.ts'
import type { GitKeepRecord } from '../records/git-keeps.ts'
import { fromHex } from '../store/hash.ts'
import type { ObjectReader } from '../store/object-reader.ts'
import { type Entry, KIND } from '../store/tree.ts'
import { parseRefs, parseStashes, type Ref, type Stash } from './git-ask.ts'
import { idsIn } from './git-files.ts'
import { Trees } from './trees.ts'

/**
 * A keep as a tree: `git` holds the bytes of a linked work tree's `.git` file, if there is one, and
 * `repositories/N` holds for each repository `files` (its folder without objects), `packs`, and the
 * listings `refs`, `stashes` and `absent`.
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

/** One repository of a keep, read from the store when asked. */
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

  /** Every object that refs and reflogs led to and that was there. */
  tips(): Set<string> {
    const absent = new Set(idsIn(this.#bytes(PART.absent)))
    const found = [...this.refs.map(({ id }) => id), ...this.reflogIds()]
    return new Set(found.filter((id) => !absent.has(id)))
  }

  /** What the reflogs speak of, of the repository and of its linked work trees. */
  reflogIds(): string[] {
    const files = this.#folder(this.files)
    const others = [...this.#folder(files.get('worktrees')).values()].map((entry) => this.#folder(entry).get('logs'))
    return [...new Set([files.get('logs'), ...others].flatMap((logs) => this.#idsBelow(logs)))]
  }

  entries(folder: Entry): Iterable<Entry> {
    return this.#folder(folder).values()
  }

  #idsBelow(entry: Entry | undefined): string[] {
    if (entry?.kind === KIND.file) return idsIn(this.#reader.get(entry.hash))
    return [...this.#folder(entry).values()].flatMap((inner) => this.#idsBelow(inner))
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

/** As the constructor; undefined when retention or damage took some of it meanwhile. */
export function partsOrNone<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (isFault(error, 'OBJECT_MISSING') || isFault(error, 'OBJECT_DAMAGED')) return undefined
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
