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
    await hands.close()
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

/** Whoever does the looking: the main thread while there is little to do, threads when there is more. */
class Hands {
  readonly #setup: ScanSetup
  readonly #scanner: Scanner
  #pool: Pool<ScanJob, ScanOutcome> | undefined

  constructor(setup: ScanSetup, options: ScanOptions, last: ScanIndex | undefined) {
    this.#setup = setup
    const store = setup.store && { ...setup.store, writer: `${setup.store.writer}-main` }
    this.#scanner = new Scanner({ ...setup, store }, store && options.objects, last)
    const folders = options.only?.folders.length ?? last?.paths.length ?? 0
    if (options.threads || folders > FEW_FOLDERS) this.#startPool()
  }

  async run(jobs: readonly ScanJob[], take: (outcome: ScanOutcome) => void): Promise<void> {
    if (jobs.length > FEW_FOLDERS / PER_JOB && jobs.every(isFull)) this.#startPool()
    const pool = this.#pool
    await Promise.all(jobs.map(async (job) => take(pool ? await pool.run(job) : this.#scanner.run(job))))
  }

  async finish(): Promise<ScanOutcome[]> {
    return [this.#scanner.run({ finish: true }), ...((await this.#pool?.all({ finish: true })) ?? [])]
  }

  async close(): Promise<void> {
    await this.#pool?.close()
  }

  #startPool(): void {
    this.#pool ??= new Pool<ScanJob, ScanOutcome>('timeline', 'scan-worker', this.#setup, workerCount())
  }
}

async function sweep(hands: Hands, options: ScanOptions, result: Scan): Promise<void> {
  let done = 0
  const look = async (jobs: readonly ScanJob[]): Promise<void> => {
    const deeper: Promise<void>[] = []
    await hands.run(jobs, (outcome) => {
      take(outcome, options, result)
      options.progress((done += outcome.changed.length))
      if (outcome.fresh.length > 0) deeper.push(look(split(outcome.fresh)))
    })
    await Promise.all(deeper)
  }
  await look(firstJobs(result.last, options.only?.folders))
  for (const outcome of await hands.finish()) take(outcome, options, result)
}

function firstJobs(last: ScanIndex | undefined, only: readonly RelPath[] | undefined): readonly ScanJob[] {
  if (last === undefined) return [{ paths: [''] }]
  return only ? only.map((path) => ({ paths: [path] })) : ranges(last.paths.length)
}

function take(outcome: ScanOutcome, options: ScanOptions, result: Scan): void {
  for (const [path, bytes] of outcome.changed) result.changed.set(path, bytes)
  for (const path of outcome.gone) result.gone.add(path)
  for (const path of outcome.unreadable) result.unreadable.add(path)
  if (outcome.reused.length > 0) result.reused.push(outcome.reused)
  options.onBlocks(outcome.blocks)
}

const isFull = (job: ScanJob, i: number, jobs: readonly ScanJob[]): boolean =>
  i === jobs.length - 1 || !('paths' in job) || job.paths.length === PER_JOB

const ranges = (count: number): ScanJob[] =>
  Array.from({ length: Math.ceil(count / PER_JOB) }, (_, i) => ({
    from: i * PER_JOB,
    to: Math.min(count, (i + 1) * PER_JOB),
  }))

const split = (paths: readonly RelPath[]): ScanJob[] =>
  Array.from({ length: Math.ceil(paths.length / PER_JOB) }, (_, i) => ({
    paths: paths.slice(i * PER_JOB, (i + 1) * PER_JOB),
  }))
