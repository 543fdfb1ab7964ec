import { lazily } from '../../base/lazily.ts'
import { Rules, type RulesData } from '../../config/rules.ts'
import { breathe } from '../../host/clock.ts'
import { Database } from '../../host/database.ts'
import { OpenFolders } from '../../host/files/open-folders.ts'
import { sha256 } from '../../host/hash.ts'
import { type RelPath, ROOT } from '../../schema/path.ts'
import { HashSet } from '../../store/hash-set.ts'
import type { WrittenBlock } from '../../store/index-rows.ts'
import { ObjectIndex } from '../../store/object-index.ts'
import { PackWriter } from '../../store/pack-writer.ts'
import { OBJECT, type ObjectKind } from '../../store/store.ts'
import { StoredObjects } from '../../store/stored.ts'
import type { WrittenFiles } from './as-written.ts'
import { isLeafAt, treeOfEncoded } from './encoded.ts'
import { HEAD } from './folder.ts'
import type { Folders } from './folders.ts'
import type { ContentSink } from './read-stable.ts'
import { type FolderScanContext, scanFolder, scanFolderQuickly } from './scan-folder.ts'
import { ScanIndex } from './scan-index.ts'
import type { NamesOf } from './scan-scope.ts'

/** What every thread of a scan receives once. */
export interface ScanSetup {
  readonly root: string
  readonly rules: RulesData
  readonly maxBytes: number
  readonly relist: boolean
  readonly patient: boolean
  /** The last scan, in shared memory. */
  readonly last: SharedArrayBuffer | undefined
  /** Check whether unchanged contents are still stored, because objects may have been removed since the last scan. */
  readonly distrust: boolean
  /** Where new contents are stored; undefined: nothing is stored, as in a dry run. */
  readonly store: StorePlace | undefined
}

interface StorePlace {
  readonly db: string
  readonly objects: string
  readonly writer: string
}

/** Folders to scan: the last scan's, claimed in portions, or some by path. */
export type ScanJob = Claims | SomePaths | { readonly finish: true }

/** `known` holds the record of each folder, for a thread that does not have them. */
export interface SomePaths {
  readonly paths: readonly RelPath[]
  readonly known?: readonly (Uint8Array | undefined)[]
}

/** How many of the last scan's folders have been claimed, in memory that all threads share. */
export interface Claims {
  readonly claimed: SharedArrayBuffer
}

const PORTION = 64

export interface ScanOutcome {
  /** Folders that changed, encoded. */
  readonly changed: [RelPath, Uint8Array][]
  readonly gone: RelPath[]
  readonly unreadable: RelPath[]
  /** Folders below the changed ones that the last scan did not know. */
  readonly fresh: RelPath[]
  /** Folders with files that have several hard links, each with the inodes of those files if the folder changed. */
  readonly linked: [RelPath, readonly number[]][]
  /** Blocks that are written to pack files and have to be published. */
  readonly blocks: WrittenBlock[]
  /** Hashes of contents found in the store: they must still be there when the snapshot is published. */
  readonly reused: Uint8Array
  /**
   * Contents that a worker thread leaves to the main thread to store, because they are few; returned when it finishes.
   */
  readonly few: readonly Content[]
  /** Changed folders that a worker thread leaves to the main thread to scan, because they are few. */
  readonly left: readonly RelPath[]
}

interface Content {
  readonly hash: Uint8Array
  readonly kind: ObjectKind
  readonly bytes: Uint8Array
}

/** Below this size a thread writes no pack of its own: a file, an index lookup and a sync would cost more. */
const FEW_BYTES = 256 * 1024

/** Up to this many changed folders, a worker does not load the code that reads files: the main thread has loaded it. */
const LEFT_FOLDERS = 32

type Findings = Omit<ScanOutcome, 'blocks' | 'reused' | 'few' | 'left'>
const noFindings = (): Findings => ({ changed: [], gone: [], unreadable: [], fresh: [], linked: [] })

/**
 * What the main thread already has open. A worker thread has only `leavesFew`: it leaves small work to the main thread.
 */
interface Known {
  readonly leavesFew?: boolean
  readonly index?: ObjectIndex | undefined
  readonly packs?: (() => PackWriter) | undefined
  readonly last?: ScanIndex | undefined
  readonly before?: Folders | undefined
  readonly put?: WrittenFiles | undefined
  readonly names?: NamesOf | undefined
}

/** One thread's part of a scan. The same code runs in a worker and, for small workspaces, in the main thread. */
export class Scanner {
  readonly #scene: FolderScanContext
  /** The folders opened on the way, until the scan ends. */
  #folders: OpenFolders | undefined
  readonly #last: ScanIndex | undefined
  readonly #before: (path: RelPath) => Uint8Array | undefined
  readonly #sink: StoreSink | HashSink
  #objects: ObjectIndex | undefined
  #db: Database | undefined
  readonly #left: RelPath[] = []
  #mayLeave: number

  constructor(setup: ScanSetup, { leavesFew, index, packs, last, before, put, names }: Known = {}) {
    const objects = (): ObjectIndex => (this.#objects ??= index ?? this.#ownIndex((setup.store as StorePlace).db))
    this.#mayLeave = leavesFew && !setup.relist && !setup.distrust ? LEFT_FOLDERS : 0
    this.#last = last ?? (setup.last && ScanIndex.attach(setup.last))
    this.#before = before ? (path) => before.get(path) : (path) => this.#last?.folder(path)
    this.#sink = setup.store ? new StoreSink(objects, setup.store, packs, leavesFew) : new HashSink()
    this.#scene = {
      root: setup.root,
      enter: (path) => this.#enter(path),
      rules: lazily(() => new Rules(setup.rules)),
      maxBytes: setup.maxBytes,
      sink: this.#sink,
      relist: setup.relist,
      patient: setup.patient,
      put,
      names,
      isKnown: (path) => this.#before(path) !== undefined,
      isStored: setup.distrust && setup.store ? (hash) => objects().has(hash) : undefined,
    }
  }

  #ownIndex(path: string): ObjectIndex {
    this.#db = new Database(path, { readOnly: true })
    return new ObjectIndex(this.#db, { migrate: false })
  }

  run(job: ScanJob): ScanOutcome {
    const outcome = noFindings()
    if ('finish' in job) return this.#told(outcome, this.#finish())
    if ('paths' in job)
      job.paths.forEach((path, i) => {
        this.#look(path, job.known ? job.known[i] : this.#before(path), outcome)
      })
    else while (this.#claim(job, outcome));
    return this.#told(outcome)
  }

  #enter(path: RelPath): string {
    try {
      return this.#opened(path)
    } catch {
      // A folder on the way was replaced after it was opened: open the present one.
      this.closeFolders()
      return this.#opened(path)
    }
  }

  #opened(path: RelPath): string {
    this.#folders ??= new OpenFolders(this.#scene.root)
    this.#folders.rest()
    return `${this.#folders.folder(path)}/.`
  }

  /** The caller must call this when the scan ends, also when it failed. */
  closeFolders(): void {
    this.#folders?.close()
    this.#folders = undefined
  }

  #told(findings: Findings, few: readonly Content[] = []): ScanOutcome {
    const left = this.#left.splice(0)
    return { ...findings, few, left, blocks: this.#sink.takeBlocks(), reused: this.#sink.takeReused() }
  }

  /** Stores the contents that other threads left to this one. */
  adopt(few: readonly Content[]): void {
    for (const { hash, kind, bytes } of few) this.#sink.take(hash, kind, bytes)
  }

  #look(path: RelPath, last: Uint8Array | undefined, outcome: Findings): void {
    const look = scanFolder(this.#scene, path, last)
    if (look.state === 'gone') outcome.gone.push(path)
    if (look.state === 'unreadable') outcome.unreadable.push(path)
    if (look.state === 'same' && look.linked) outcome.linked.push([path, []])
    if (look.state === 'changed' && look.linked.length > 0) outcome.linked.push([path, look.linked])
    if (look.state !== 'changed') return
    if (isLeafAt(look.folder)) this.#makeTree(look.folder)
    outcome.changed.push([path, look.folder])
    outcome.fresh.push(...look.fresh)
  }

  #makeTree(folder: Uint8Array): void {
    const tree = treeOfEncoded(folder)
    const hash = sha256(tree)
    folder.set(hash, HEAD.tree)
    this.#sink.take(hash, OBJECT.tree, tree)
  }

  /** As `run` for the last scan's folders, yielding to the event loop from time to time. */
  async runGently(claims: Claims): Promise<ScanOutcome> {
    const outcome = noFindings()
    for (let since = performance.now(); this.#claim(claims, outcome); ) {
      if (performance.now() - since < 50) continue
      await breathe()
      since = performance.now()
    }
    return this.#told(outcome)
  }

  /** Claims and scans the next portion of folders; false when none is left. */
  #claim({ claimed }: Claims, outcome: Findings): boolean {
    const paths = this.#last?.paths ?? []
    const from = Atomics.add(new Int32Array(claimed), 0, PORTION)
    for (let i = from; i < Math.min(from + PORTION, paths.length); i++)
      this.#pass(paths[i] ?? ROOT, this.#last?.folderAt(i), outcome)
    return from + PORTION < paths.length
  }

  /** Scans a folder, or leaves it to the main thread if it changed and this thread may still leave some. */
  #pass(path: RelPath, last: Uint8Array | undefined, outcome: Findings): void {
    if (this.#mayLeave === 0) return this.#look(path, last, outcome)
    const seen = scanFolderQuickly(this.#scene, path, last)
    if (seen?.linked) outcome.linked.push([path, []])
    if (seen) return
    this.#mayLeave--
    this.#left.push(path)
  }

  #finish(): readonly Content[] {
    this.closeFolders()
    const few = this.#sink.close()
    this.#db?.close()
    return few
  }
}

/** Stores contents that the store does not have yet. */
class StoreSink implements ContentSink {
  readonly #index: () => ObjectIndex
  readonly #packs: () => PackWriter
  #own: PackWriter | undefined
  /** Contents held back until they are enough for a pack; undefined when nothing is held back. */
  #few: Content[] | undefined
  #fewBytes = 0
  readonly #fresh = new HashSet()
  #blocks: WrittenBlock[] = []
  #reused: Uint8Array[] = []

  constructor(
    index: () => ObjectIndex,
    store: StorePlace,
    packs: (() => PackWriter) | undefined,
    leavesFew: boolean | undefined,
  ) {
    this.#index = index
    this.#packs = packs ?? lazily(() => this.#ownPacks(store))
    this.#few = leavesFew ? [] : undefined
  }

  take(hash: Uint8Array, kind: ObjectKind, bytes: Uint8Array): void {
    if (!this.#fresh.add(hash)) return
    if (this.#few && (this.#fewBytes += bytes.length) > FEW_BYTES) this.#becomeMany(this.#few)
    if (this.#few) this.#few.push({ hash: new Uint8Array(hash), kind, bytes: new Uint8Array(bytes) })
    else this.#packs().add(hash, kind, bytes)
  }

  #becomeMany(few: readonly Content[]): void {
    this.#few = undefined
    for (const { hash, kind, bytes } of few) this.#packs().add(hash, kind, bytes)
  }

  #ownPacks(store: StorePlace): PackWriter {
    this.#own = new PackWriter(store.objects, store.writer, (block) => this.#blocks.push(block), {
      stored: { objects: new StoredObjects(this.#index), reused: (hash) => this.#reused.push(hash) },
    })
    return this.#own
  }

  takeBlocks(): WrittenBlock[] {
    const blocks = this.#blocks
    this.#blocks = []
    return blocks
  }

  takeReused(): Uint8Array {
    const reused = Buffer.concat(this.#reused)
    this.#reused = []
    return new Uint8Array(reused)
  }

  /** Returns the contents that never were enough for a pack. */
  close(): readonly Content[] {
    this.#own?.close()
    return this.#few ?? []
  }
}

/** Stores nothing. */
class HashSink implements ContentSink {
  take(): void {}
  takeBlocks(): WrittenBlock[] {
    return []
  }
  takeReused(): Uint8Array {
    return new Uint8Array()
  }
  close(): readonly Content[] {
    return []
  }
}
