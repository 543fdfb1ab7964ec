import { readIntoShared } from '../host/shared.ts'
import { Pool, workerCount } from '../host/workers.ts'
import type { RelPath } from '../schema/path.ts'
import type { ObjectIndex } from '../store/object-index.ts'
import type { WrittenBlock } from '../store/pack-writer.ts'
import { fingerprintOf } from './rules.ts'
import { ScanIndex } from './scan-index.ts'
import { type ScanJob, Scanner, type ScanOutcome, type ScanSetup } from './scan-job.ts'

/** What a scan found, compared with the last one. */
export interface Scan {
  readonly last: ScanIndex | undefined
  /** Folders that are not as they were, encoded; their trees are still to be made. */
  readonly changed: Map<RelPath, Uint8Array>
  readonly gone: Set<RelPath>
  readonly unreadable: Set<RelPath>
  readonly reused: Uint8Array[]
  readonly rules: string
}

export interface ScanOptions {
  readonly setup: Omit<ScanSetup, 'last' | 'relist' | 'distrust'>
  /** Where the last scan is kept. */
  readonly indexFile: string
  readonly objects: ObjectIndex
  readonly epoch: number
  /** Called with blocks as they get into their files. */
  readonly onBlocks: (blocks: readonly WrittenBlock[]) => void
  readonly progress: (folders: number) => void
  /** Keep the main thread free: always use worker threads. */
  readonly threads?: boolean
  /** Look at these folders alone; the rest is as this scan, and not the one in the file, left it. */
  readonly only?: { readonly folders: readonly RelPath[]; readonly last: Uint8Array }
}

/** Below this many folders, starting threads costs more than it saves. */
const FEW_FOLDERS = 400
const PER_JOB = 256

/** Looks at the whole workspace. Folders are spread over threads; contents that changed are stored on the way. */
export async function scan(options: ScanOptions): Promise<Scan> {
  const fingerprint = fingerprintOf(options.setup.rules, options.setup.maxBytes)
  const last = options.only ? shareIndex(options.only.last) : loadIndex(options.indexFile)
  const setup: ScanSetup = {
    ...options.setup,
    last: last?.shared,
    relist: last !== undefined && last.rules !== fingerprint,
    distrust: last !== undefined && last.epoch !== options.epoch,
  }
  const result: Scan = {
    last,
    changed: new Map(),
    gone: new Set(),
    unreadable: new Set(),
    reused: [],
    rules: fingerprint,
  }
  const hands = new Hands(setup, options, last)
  try {
    await sweep(hands, options, result)
  } finally {
    hands.close()
  }
  return result
}

function loadIndex(file: string): ScanIndex | undefined {
  const bytes = readIntoShared(file)
  return bytes && ScanIndex.open(bytes.shared, bytes.length)
}

function shareIndex(bytes: Uint8Array): ScanIndex | undefined {
  const shared = new SharedArrayBuffer(bytes.length)
  new Uint8Array(shared).set(bytes)
  return ScanIndex.open(shared, bytes.length)
}

/**
 * Whoever does the looking: the main thread, helped by others when there is much to do.
 * The main thread begins at once, while the others are still starting.
 */
class Hands {
  readonly #setup: ScanSetup
  readonly #scanner: Scanner
  readonly #alone: boolean
  #pool: Pool<ScanJob, ScanOutcome> | undefined

  constructor(setup: ScanSetup, options: ScanOptions, last: ScanIndex | undefined) {
    this.#setup = setup
    const store = setup.store && { ...setup.store, writer: `${setup.store.writer}-main` }
    this.#scanner = new Scanner({ ...setup, store }, store && options.objects, last)
    this.#alone = !options.threads
  }

  /** Looks at every folder of the last scan. */
  async lookAgain(folders: number, take: Take): Promise<void> {
    const claims = { claimed: new SharedArrayBuffer(4) }
    const many = folders > FEW_FOLDERS
    const helpers =
      many || !this.#alone ? this.#startPool(this.#alone ? workerCount() - 1 : workerCount()).all(claims) : []
    if (this.#alone) take(await this.#scanner.runGently(claims, breathe))
    for (const outcome of await helpers) take(outcome)
  }

  /** Looks at some folders by path. */
  async lookAt(paths: readonly RelPath[], take: Take): Promise<void> {
    const jobs = split(paths)
    const pool = paths.length > FEW_FOLDERS || !this.#alone ? this.#startPool(workerCount()) : this.#pool
    if (pool) await Promise.all(jobs.map(async (job) => take(await pool.run(job))))
    else for (const path of paths) take(await this.#scanGently(path))
  }

  #since = performance.now()

  /** One folder in the main thread, which others need now and then. */
  async #scanGently(path: RelPath): Promise<ScanOutcome> {
    const outcome = this.#scanner.run({ paths: [path] })
    if (performance.now() - this.#since > 50) await breathe()
    this.#since = performance.now()
    return outcome
  }

  async finish(): Promise<ScanOutcome[]> {
    return [this.#scanner.run({ finish: true }), ...((await this.#pool?.all({ finish: true })) ?? [])]
  }

  close(): void {
    void this.#pool?.close()
  }

  #startPool(threads: number): Pool<ScanJob, ScanOutcome> {
    this.#pool ??= new Pool<ScanJob, ScanOutcome>('timeline', 'scan-worker', this.#setup, Math.max(1, threads))
    return this.#pool
  }
}

type Take = (outcome: ScanOutcome) => void

const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function sweep(hands: Hands, options: ScanOptions, result: Scan): Promise<void> {
  let done = 0
  const deeper: Promise<void>[] = []
  const look: Take = (outcome) => {
    take(outcome, options, result)
    options.progress((done += outcome.changed.length))
    if (outcome.fresh.length > 0) deeper.push(hands.lookAt(outcome.fresh, look))
  }
  const { last } = result
  if (last && !options.only) await hands.lookAgain(last.paths.length, look)
  else await hands.lookAt(last ? (options.only?.folders ?? []) : [''], look)
  for (let next = deeper.shift(); next; next = deeper.shift()) await next
  for (const outcome of await hands.finish()) take(outcome, options, result)
}

function take(outcome: ScanOutcome, options: ScanOptions, result: Scan): void {
  for (const [path, bytes] of outcome.changed) result.changed.set(path, bytes)
  for (const path of outcome.gone) result.gone.add(path)
  for (const path of outcome.unreadable) result.unreadable.add(path)
  if (outcome.reused.length > 0) result.reused.push(outcome.reused)
  options.onBlocks(outcome.blocks)
}

const split = (paths: readonly RelPath[]): { paths: readonly RelPath[] }[] =>
  Array.from({ length: Math.ceil(paths.length / PER_JOB) }, (_, i) => ({
    paths: paths.slice(i * PER_JOB, (i + 1) * PER_JOB),
  }))
