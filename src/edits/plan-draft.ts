import { Fault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { sha256, toHex } from '../host/hash.ts'
import { joinPath, movedPath, nameOf, parentOf, type RelPath, ROOT, refuseProtected } from '../schema/path.ts'
import type { StoredState } from './file-change.ts'

/**
 * The workspace as it is and, on top of it, as the edits so far would make it.
 *
 * The caller provides `PresentFiles`. It is queried only for the paths that the edits touch and for the folders above
 * them; never for anything behind a symlink.
 */
export interface PresentFiles {
  /** The entry at a path, without following a symlink; undefined where there is nothing. */
  read(path: RelPath): DraftEntry | undefined
  /** All names in a folder. Called when a folder is deleted or moved. */
  list(folder: RelPath): Iterable<string>
}

export type DraftEntry =
  | FolderEntry
  | (DraftContent & { /** SHA-256 of the bytes, in hexadecimal digits. */ readonly hash: string })

interface FolderEntry {
  readonly kind: 'directory'
  readonly mode: number
}

/**
 * A file, or a symlink with its target as bytes.
 *
 * A getter of `bytes` must load what was there when the edits were planned, even if it is called later: a file that is
 * only moved is not read before the plan is carried out.
 */
export type DraftContent = StoredState

interface FileNode {
  readonly kind: DraftContent['kind']
  readonly content: DraftContent
  /** The path of the file before all edits, if it existed. */
  readonly origin: RelPath | undefined
}
export type DraftNode = FolderEntry | FileNode

/** The expected hash of a path where nothing exists, and of a folder. */
export const ABSENT = 'absent'
const FOLDER = 'directory'

const [FOLDER_MODE, FILE_MODE] = [0o755, 0o644]
const ROOT_FOLDER: FolderEntry = { kind: 'directory', mode: FOLDER_MODE }

export class Draft {
  readonly #present: PresentFiles
  readonly #was = new Map<RelPath, DraftNode | undefined>([[ROOT, ROOT_FOLDER]])
  readonly #now = new Map<RelPath, DraftNode | undefined>()
  /** Names that were added to a folder. */
  readonly #came = new Map<RelPath, Set<string>>()

  constructor(present: PresentFiles) {
    this.#present = present
  }

  /** Every path that was written or removed. */
  touched(): IterableIterator<RelPath> {
    return this.#now.keys()
  }

  /** The entry as the edits so far would leave it. */
  at(path: RelPath): DraftNode | undefined {
    return this.#now.has(path) ? this.#now.get(path) : this.was(path)
  }

  /** The entry before all edits. */
  was(path: RelPath): DraftNode | undefined {
    if (!this.#was.has(path)) this.#was.set(path, this.#look(path))
    return this.#was.get(path)
  }

  #look(path: RelPath): DraftNode | undefined {
    if (this.was(parentOf(path))?.kind !== 'directory') return undefined
    const entry = this.#present.read(path)
    return entry === undefined || entry.kind === 'directory'
      ? entry
      : { kind: entry.kind, content: entry, origin: path }
  }

  /** The file at a path, to be read or written; undefined where there is nothing. */
  file(path: RelPath): DraftContent | undefined {
    const node = this.at(path)
    if (node?.kind === 'symlink') throw new Fault('PATH_SYMLINK', { path: outPath(path), link: outPath(path) })
    if (node?.kind === 'directory')
      throw new Fault('PATH_KIND', { path: outPath(path) || '.', wanted: 'file', found: 'directory' })
    return node?.content
  }

  /**
   * Writes a file; an existing one keeps its permissions, but not set-uid and the like. Missing folders above it are
   * created.
   */
  write(path: RelPath, bytes: Uint8Array, mode = this.file(path)?.mode ?? FILE_MODE, origin?: RelPath): void {
    this.#put(path, {
      kind: 'file',
      content: { kind: 'file', bytes, mode: mode & 0o777 },
      origin: origin ?? this.originOf(path),
    })
  }

  makeFolder(path: RelPath): void {
    if (this.at(path) === undefined) this.#put(path, { kind: 'directory', mode: FOLDER_MODE })
  }

  /** Removes a path with everything below it. */
  remove(path: RelPath): void {
    for (const [each] of this.#below(path)) this.#now.set(each, undefined)
  }

  /** Moves a path with everything below it to one where nothing exists. */
  move(from: RelPath, to: RelPath): void {
    const nodes = this.#below(from)
    for (const [path] of nodes) this.#now.set(path, undefined)
    for (const [path, node] of nodes) this.#put(movedPath(path, from, to), node)
  }

  /** Whether a folder holds nothing but folders. */
  isHollow(path: RelPath): boolean {
    return this.#below(path).every(([, node]) => node.kind === 'directory')
  }

  /** The path of the file before all edits. */
  originOf(path: RelPath): RelPath | undefined {
    const node = this.at(path)
    return node && node.kind !== 'directory' ? node.origin : undefined
  }

  #put(path: RelPath, node: DraftNode): void {
    for (const folder of this.#missingAbove(path)) this.#set(folder, { kind: 'directory', mode: FOLDER_MODE })
    this.#set(path, node)
  }

  /** The missing folders above a path, from the deepest up. */
  #missingAbove(path: RelPath): RelPath[] {
    const missing: RelPath[] = []
    for (let above = parentOf(path); this.at(above) === undefined; above = parentOf(above)) missing.push(above)
    return missing
  }

  #set(path: RelPath, node: DraftNode): void {
    this.#now.set(path, node)
    const folder = parentOf(path)
    const names = this.#came.get(folder)
    if (names === undefined) this.#came.set(folder, new Set([nameOf(path)]))
    else names.add(nameOf(path))
  }

  /** The entries at a path and below it, each folder before its contents. */
  #below(path: RelPath): [RelPath, DraftNode][] {
    const found: [RelPath, DraftNode][] = []
    const visit = (each: RelPath): void => {
      const node = this.at(each)
      if (node === undefined) return
      refuseProtected(each)
      found.push([each, node])
      if (node.kind === 'directory') for (const name of this.#names(each)) visit(joinPath(each, name))
    }
    visit(path)
    return found
  }

  #names(folder: RelPath): Set<string> {
    const names = this.was(folder)?.kind === 'directory' ? this.#present.list(folder) : []
    return new Set([...names, ...(this.#came.get(folder) ?? [])])
  }

  /** The hashes that a caller may expect at a path: before all edits, and now. */
  hashes(path: RelPath): { readonly was: string; readonly now: string } {
    return { was: hashOf(this.was(this.originOf(path) ?? path)), now: hashOf(this.at(path)) }
  }
}

function hashOf(node: DraftNode | undefined): string {
  if (node === undefined) return ABSENT
  if (node.kind === 'directory') return FOLDER
  return contentHash(node.content)
}

/** Computed once per content: hashing a large file takes a while. */
export function contentHash(content: DraftContent): string {
  if ('hash' in content) return content.hash as string
  const known = hashes.get(content)
  if (known !== undefined) return known
  const hash = toHex(sha256(content.bytes))
  hashes.set(content, hash)
  return hash
}
const hashes = new WeakMap<DraftContent, string>()
