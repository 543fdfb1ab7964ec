import { fingerprintOf } from '../../config/rules.ts'
import { breathe } from '../../host/clock.ts'
import { fileSize } from '../../host/files/fs.ts'
import { Pool, workerCount } from '../../host/processes/workers.ts'
import { type RelPath, ROOT } from '../../schema/path.ts'
import type { WrittenBlock } from '../../store/index-rows.ts'
import type { ObjectIndex } from '../../store/object-index.ts'
import type { PackWriter } from '../../store/pack-writer.ts'
import type { WrittenFiles } from './as-written.ts'
import { Folders } from './folders.ts'
import { loadScanIndex, type ScanIndex } from './scan-index.ts'
import { type ScanJob, Scanner, type ScanOutcome, type ScanSetup, type SomePaths } from './scan-job.ts'
import type { Scan, ScanState } from './scan-result.ts'
import type { NamesOf } from './scan-scope.ts'
import { isStored } from './store-state.ts'

/** Whether this is a full scan without an index. It sees each folder once, after the folder that contains it. */
export const isFirstLook = ({ looked, last }: Scan): boolean => looked === 'all' && last === undefined

export interface ScanOptions {
  readonly setup: Omit<ScanSetup, 'last' | 'relist' | 'distrust' | 'patient'>
  /** The index file of the last scan. */
  readonly indexFile: string
  readonly objects: ObjectIndex
  /** Where the main thread stores contents; worker threads write packs of their own. */
  readonly packs?: () => PackWriter
  /** Called before worker threads may write. */
  readonly onThreads?: () => void
  readonly epoch: number
  /** Called with blocks once they are written to pack files. */
  readonly onBlocks: (blocks: readonly WrittenBlock[]) => void
  readonly progress: (folders: number) => void
  /** Called with each folder that a first full scan finds. */
  readonly onFound?: (path: RelPath, found: Scan) => void
  /** Use worker threads always, to keep the main thread free. */
  readonly threads?: boolean
  /** The index of the last scan, if the caller has already read it. */
  readonly start?: { readonly last: ScanIndex | undefined } | undefined
  /** Called with previously unknown folders, before they are listed. */
  readonly onFresh?: (paths: readonly RelPath[]) => void
  /** Do not wait until a file that has just changed can be read safely: a watch reports further changes. */
  readonly impatient?: boolean
  /** Scan only these folders; the rest is as in `since`, not as in the index file. */
  readonly only?: SomeFolders
}

/** A scan of some folders only. */
export interface SomeFolders {
  readonly folders: readonly RelPath[]
  readonly since: ScanState
  /** The caller has just checked that all objects `since` refers to have rows. */
  readonly isStored?: boolean
  /** The files that Timewarp has just written there. */
  readonly put?: WrittenFiles
  /** The only names of a folder to scan; undefined: all. */
  readonly names?: NamesOf
}

/** An index file larger than this has many folders. */
const LARGE_INDEX = 512 * 1024
/** Below this many folders, starting threads costs more than it saves. */
const FEW_FOLDERS = 400
const PER_JOB = 24
/**
 * When the main thread has worked alone for this long and so many folders are waiting, it starts worker threads, which
 * take about as long again to start. For a scan of some folders that is seldom worth it; a first scan reads everything.
 */
const LONG_MS = { first: 8, all: 40, some: 150 } as const
const SOME_FOLDERS = 8
/** How often the main thread yields to the event loop: alone, or while it waits for worker threads to start. */
const BREATH_MS = { alone: 50, listening: 5 } as const

/**
 * Scans the workspace, or only some folders. Folders are spread over threads; changed contents are stored on the way.
 */
export async function scan(options: ScanOptions): Promise<Scan> {
  const { only } = options
  const rules = fingerprintOf(options.setup.rules, options.setup.maxBytes)
  // Worker threads start while the index is being read.
  const early = !only && fileSize(options.indexFile) > LARGE_INDEX ? startPool(options.threads ? 0 : 1) : undefined
  const last = only ? only.since.last : options.start ? options.start.last : loadScanIndex(options.indexFile)
  const before = only?.since.folders ?? new Folders(last)
  const known = only ? only.since : last
  const basis = { epoch: options.epoch, index: options.objects }
  const distrusted = known !== undefined && !only?.isStored && !isStored(before, known.epoch, basis)
  const setup: ScanSetup = {
    ...options.setup,
    last: only ? undefined : last?.shared,
    patient: !options.impatient,
    relist: known !== undefined && known.rules !== rules,
    distrust: distrusted,
  }
  const result: Scan = {
    last,
    before,
    changed: new Map(),
    made: new Set(),
    gone: new Set(),
    unreadable: new Set(),
    linked: new Map(),
    looked: only?.folders ?? 'all',
    reused: [],
    rules,
    distrusted,
  }
  const hands = new Hands(setup, options, result, early)
  try {
    await sweep(hands, options, result)
  } catch (error) {
    // The caller cleans up after a failure: no thread may still be writing then.
    await hands.close()
    throw error
  }
  void hands.close()
  return result
}

/**
 * The threads of a scan: the main thread, and worker threads when there is much to do. The main thread begins at once,
 * while the others are still starting.
 */
class Hands {
  readonly #setup: ScanSetup
  readonly #scanner: Scanner
  readonly #alone: boolean
  /** The record of a folder, for worker threads that do not have it; undefined when they do. */
  readonly #known: ((path: RelPath) => Uint8Array | undefined) | undefined
  readonly #isKnown: (path: RelPath) => boolean
  readonly #onFresh: (paths: readonly RelPath[]) => void
  readonly #onThreads: () => void
  #pool: ScanPool | undefined

  constructor(setup: ScanSetup, options: ScanOptions, { last, before }: Scan, early: ScanPool | undefined) {
    this.#setup = setup
    this.#pool = early?.begin(setup)
    this.#scanner = new Scanner(setup, {
      index: setup.store && options.objects,
      packs: options.packs,
      last,
      before,
      put: options.only?.put,
      names: options.only?.names,
    })
    this.#pace = options.only ? 'some' : last ? 'all' : 'first'
    this.#alone = !options.threads
    this.#known = options.only ? (path) => before.get(path) : undefined
    this.#isKnown = options.only ? (path) => before.has(path) : () => false
    this.#onFresh = options.onFresh ?? (() => {})
    this.#onThreads = options.onThreads ?? (() => {})
    if (early) this.#onThreads()
  }

  /** Scans every folder of the last scan. */
  async lookAgain(folders: number, take: Take): Promise<void> {
    const claims = { claimed: new SharedArrayBuffer(4) }
    const many = folders > FEW_FOLDERS
    const helpers = many || !this.#alone ? this.#begin(this.#alone ? 1 : 0).all(claims) : []
    if (this.#alone) take(await this.#scanner.runGently(claims))
    for (const outcome of await helpers) {
      take(outcome)
      for (const path of outcome.left) take(await this.#scanGently(path))
    }
  }

  /** Scans folders by path, and the unknown folders found in them. */
  async lookAt(paths: readonly RelPath[], take: Take): Promise<void> {
    const queue = [...paths]
    const seen = new Set(paths)
    const running = new Set<Promise<void>>()
    const done = (outcome: ScanOutcome): void => {
      const fresh = outcome.fresh.filter((path) => !seen.has(path) && !this.#isKnown(path))
      for (const path of fresh) {
        seen.add(path)
        queue.push(path)
      }
      if (fresh.length > 0) this.#onFresh(fresh)
      take(outcome)
    }
    while (queue.length > 0 || running.size > 0) {
      const pool = this.#helpers(queue.length)
      if (pool)
        for (const job of split(queue.splice(0), this.#known)) {
          const run: Promise<void> = pool
            .run(job)
            .then(done)
            .finally(() => running.delete(run))
          running.add(run)
        }
      else done(await this.#scanGently(queue.shift() ?? ROOT))
      if (running.size > 0) await Promise.race(running)
    }
  }

  /** The worker threads, once there is enough work and they have started; until then the main thread goes on alone. */
  #helpers(waiting: number): ScanPool | undefined {
    if (!this.#alone && !this.#known) return this.#begin(0)
    const busy = performance.now() - this.#started > LONG_MS[this.#pace] && waiting > SOME_FOLDERS
    if (waiting > FEW_FOLDERS || busy) this.#begin(0)
    return this.#pool?.isReady ? this.#pool : undefined
  }

  readonly #pace: keyof typeof LONG_MS
  readonly #started = performance.now()
  #breathed = performance.now()

  /** Scans one folder in the main thread, yielding to the event loop from time to time. */
  async #scanGently(path: RelPath): Promise<ScanOutcome> {
    const outcome = this.#scanner.run({ paths: [path] })
    const isListening = this.#pool !== undefined && !this.#pool.isReady
    if (performance.now() - this.#breathed < BREATH_MS[isListening ? 'listening' : 'alone']) return outcome
    await breathe()
    this.#breathed = performance.now()
    return outcome
  }

  async finish(): Promise<ScanOutcome[]> {
    const others = (await this.#pool?.all({ finish: true })) ?? []
    for (const { few } of others) this.#scanner.adopt(few)
    return [this.#scanner.run({ finish: true }), ...others]
  }

  async close(): Promise<void> {
    this.#scanner.closeFolders()
    await this.#pool?.close()
  }

  #begin(mainThreads: number): ScanPool {
    if (this.#pool === undefined) this.#onThreads()
    this.#pool ??= startPool(mainThreads).begin(this.#setup)
    return this.#pool
  }
}

type ScanPool = Pool<ScanJob, ScanOutcome>

/**
 * Starts the useful number of worker threads, less `mainThreads`, the share of the main thread (0 when it must stay
 * free).
 */
const startPool = (mainThreads: number): ScanPool =>
  new Pool('timeline/scan', 'scan-worker', Math.max(1, workerCount() - mainThreads))

type Take = (outcome: ScanOutcome) => void

async function sweep(hands: Hands, options: ScanOptions, result: Scan): Promise<void> {
  let done = 0
  const fresh: RelPath[] = []
  const look: Take = (outcome) => {
    take(outcome, options, result)
    options.progress((done += outcome.changed.length))
  }
  if (options.only) await hands.lookAt(options.only.folders, look)
  else if (result.last) {
    await hands.lookAgain(result.last.paths.length, (outcome) => {
      fresh.push(...outcome.fresh)
      look(outcome)
    })
    if (fresh.length > 0) options.onFresh?.(fresh)
    await hands.lookAt(fresh, look)
  } else await hands.lookAt([ROOT], look)
  for (const outcome of await hands.finish()) take(outcome, options, result)
}

function take(outcome: ScanOutcome, options: ScanOptions, result: Scan): void {
  const isFirst = isFirstLook(result)
  for (const [path, bytes] of outcome.changed) {
    result.changed.set(path, bytes)
    if (isFirst) options.onFound?.(path, result)
  }
  for (const path of outcome.gone) result.gone.add(path)
  for (const path of outcome.unreadable) result.unreadable.add(path)
  for (const [path, inodes] of outcome.linked) result.linked.set(path, inodes)
  if (outcome.reused.length > 0) result.reused.push(outcome.reused)
  options.onBlocks(outcome.blocks)
}

const split = (
  paths: readonly RelPath[],
  known: ((path: RelPath) => Uint8Array | undefined) | undefined,
): SomePaths[] =>
  Array.from({ length: Math.ceil(paths.length / PER_JOB) }, (_, i) => {
    const some = paths.slice(i * PER_JOB, (i + 1) * PER_JOB)
    return { paths: some, ...(known ? { known: some.map(known) } : {}) }
  })
