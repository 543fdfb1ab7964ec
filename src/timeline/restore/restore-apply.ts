import { Fault } from '../../base/fault.ts'
import { breathe } from '../../host/clock.ts'
import type { FolderId, OpenFolders } from '../../host/files/open-folders.ts'
import { point } from '../../host/points.ts'
import { Pool } from '../../host/processes/workers.ts'
import { foldersAbove, type RelPath } from '../../schema/path.ts'
import type { ObjectStore } from '../../store/object-store.ts'
import type { Entry } from '../../store/tree.ts'
import { FileReplacer, type TargetFile } from './file-replacer.ts'
import type { ExpectedFile, WriteRefusal } from './put-checks.ts'
import type { RestorePlan } from './restore-plan.ts'

/** What every thread that writes files receives once. */
export interface WriteSetup {
  readonly root: string
  /** Identifies the root folder, which each thread opens for itself. */
  readonly id: FolderId
  readonly tag: string
  readonly umask: number
  readonly db: string
  readonly objects: string
  /** No other process uses the folder: files are written directly under their names. */
  readonly fresh: boolean
}
export type WriteJob = TargetFile[]

export interface ApplyContext {
  readonly store: ObjectStore
  readonly folders: OpenFolders
  readonly setup: WriteSetup
  /** The file at a path, as the scan saw it. */
  readonly expected: (path: RelPath) => ExpectedFile | undefined
  readonly progress: (done: number, total: number) => void
  /** Fires when the caller wants the act to stop; the caller undoes what was done by then. */
  readonly signal?: AbortSignal | undefined
}

/** Below this many files, starting threads costs more than it saves. */
const FEW_FILES = 300
const PER_JOB = 128

/** Carries out the plan step by step and makes no decisions. Returns the paths that it had to leave alone. */
export async function applyPlan(ctx: ApplyContext, plan: RestorePlan): Promise<WriteRefusal[]> {
  const { tag, umask } = ctx.setup
  const hand = new FileReplacer(ctx.folders, { tag, umask, reader: ctx.store.reader })
  const refusals: WriteRefusal[] = []
  const closed = new Set<RelPath>()
  const isOpen = (path: RelPath): boolean =>
    closed.size === 0 || (!closed.has(path) && !foldersAbove(path).some((folder) => closed.has(folder)))
  const pace = new Pace(ctx.signal)
  const each = async <T>(
    steps: readonly T[],
    pathOf: (step: T) => RelPath,
    act: (step: T) => WriteRefusal | undefined,
  ) => {
    for (const step of steps) {
      if (pace.isDue) await pace.rest()
      const refusal = isOpen(pathOf(step)) ? act(step) : cutOff(pathOf(step))
      if (refusal) refusals.push(refusal)
      point('restore:step')
    }
  }
  const path = ({ path: at }: { path: RelPath }): RelPath => at
  const self = (at: RelPath): RelPath => at
  /** A path that could not be removed, or made a folder: everything below it is left alone. */
  const close = (refusal: WriteRefusal | undefined): WriteRefusal | undefined => {
    if (refusal) closed.add(refusal.path)
    return refusal
  }
  await each(plan.unlock, path, (step) => hand.unlock(step.path, step.mode))
  await each(plan.remove, self, (step) => close(removeOne(hand, step, ctx.expected(step))))
  await each(plan.removeFolders, self, (step) => hand.removeFolder(step))
  await each(plan.makeFolders, self, (step) => close(hand.makeFolder(step)))
  const writes = Object.groupBy(plan.write, (step) => (isOpen(step.path) ? 'open' : 'cutOff'))
  refusals.push(
    ...(await writeFiles(ctx, writes.open ?? [], hand, pace)),
    ...(writes.cutOff ?? []).map((step) => cutOff(step.path)),
  )
  await each(plan.touch, path, (step) => hand.touch(asWanted(step.path, step.entry, ctx.expected(step.path))))
  await each(plan.settle, path, (step) => hand.settleFolder(step.path, step.entry))
  return refusals
}

const cutOff = (path: RelPath): WriteRefusal => ({
  path,
  why: 'changed',
  reason: 'what stands above it could not be moved',
})

function removeOne(hand: FileReplacer, path: RelPath, expect: ExpectedFile | undefined): WriteRefusal | undefined {
  return expect ? hand.remove(path, expect) : { path, why: 'changed', reason: 'it was not there when it was captured' }
}

const asWanted = (path: RelPath, entry: Entry, expect: ExpectedFile | undefined): TargetFile => {
  const { kind, mode, mtime, hash } = entry
  return { path, kind, mode, mtime, hash: new Uint8Array(hash), expect }
}

async function writeFiles(
  ctx: ApplyContext,
  writes: RestorePlan['write'],
  hand: FileReplacer,
  pace: Pace,
): Promise<WriteRefusal[]> {
  const wanted = writes.map(({ path, entry, replaces }) =>
    asWanted(path, entry, replaces ? ctx.expected(path) : undefined),
  )
  if (wanted.length <= FEW_FILES) return writeHere(ctx, wanted, hand, pace)
  const pool = new Pool<WriteJob, WriteRefusal[]>('timeline/restore', 'write-worker').begin(ctx.setup)
  let done = 0
  try {
    const jobs = Array.from({ length: Math.ceil(wanted.length / PER_JOB) }, (_, i) =>
      wanted.slice(i * PER_JOB, (i + 1) * PER_JOB),
    )
    const run = async (job: WriteJob): Promise<WriteRefusal[]> => {
      const refusals = await pool.run(job)
      ctx.progress((done += job.length), wanted.length)
      pace.stopIfAsked()
      return refusals
    }
    // After one failure no further job starts. Running jobs are awaited, because undoing must not run beside threads
    // that write.
    const results = await Promise.allSettled(
      jobs.map((job) =>
        run(job).catch((error: unknown) => {
          pool.drop(error)
          throw error
        }),
      ),
    )
    return results.flatMap((result) => {
      if (result.status === 'rejected') throw result.reason
      return result.value
    })
  } finally {
    await pool.close()
  }
}

async function writeHere(
  ctx: ApplyContext,
  wanted: readonly TargetFile[],
  hand: FileReplacer,
  pace: Pace,
): Promise<WriteRefusal[]> {
  const refusals: WriteRefusal[] = []
  for (const one of wanted) {
    if (pace.isDue) await pace.rest()
    const refusal = ctx.setup.fresh ? hand.create(one) : hand.put(one)
    if (refusal) refusals.push(refusal)
  }
  return refusals
}

const REST_EVERY_MS = 50

/** Yields to the event loop from time to time; only then is a request to stop noticed. */
class Pace {
  readonly #signal: AbortSignal | undefined
  #rested = performance.now()

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal
  }

  get isDue(): boolean {
    return performance.now() - this.#rested > REST_EVERY_MS
  }

  async rest(): Promise<void> {
    await breathe()
    this.#rested = performance.now()
    this.stopIfAsked()
  }

  stopIfAsked(): void {
    if (this.#signal?.aborted) throw new Fault('CANCELLED', { taken_back: true })
  }
}
