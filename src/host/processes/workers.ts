import { availableParallelism } from 'node:os'
import { parentPort, Worker } from 'node:worker_threads'
import { Fault, type FaultCode } from '../../base/fault.ts'
import { withPlainNames } from '../files/plain-names.ts'
import { siblingFile } from '../sibling-file.ts'

/** Threads for one large job. More than a few only compete for the disk. */
export const workerCount = (): number => Math.max(1, Math.min(8, availableParallelism()))

interface Pending<R> {
  readonly resolve: (result: R) => void
  readonly reject: (error: unknown) => void
}

/** Jobs sent to each thread in advance, so that none idles while the main thread is busy for a while. */
const IN_FLIGHT = 6

/** Threads that all run the same worker file. Jobs are given to threads with a free slot, in order of submission. */
export class Pool<Job, Result> {
  readonly #workers: { worker: Worker; pending: Pending<Result>[] }[]
  readonly #queue: { job: Job; transfer: readonly ArrayBuffer[]; pending: Pending<Result> }[] = []
  #failed: unknown
  #coming: number

  constructor(folder: string, name: string, threads = workerCount()) {
    this.#coming = threads
    this.#workers = Array.from({ length: threads }, () => this.#start(siblingFile(folder, name)))
  }

  /** Whether all threads have started. Updated only when the caller yields the thread. */
  get isReady(): boolean {
    return this.#coming === 0
  }

  /** Sends every thread its setup before the first job. Does not wait for the threads to start. */
  begin(setup: unknown): this {
    for (const { worker } of this.#workers) worker.postMessage({ setup })
    return this
  }

  run(job: Job, transfer: readonly ArrayBuffer[] = []): Promise<Result> {
    if (this.#failed !== undefined) return Promise.reject(this.#failed)
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, transfer, pending: { resolve, reject } })
      this.#feed()
    })
  }

  /** Sends the same job to every thread, after the jobs that it already has. */
  all(job: Job): Promise<Result[]> {
    return Promise.all(
      this.#workers.map(
        (entry) =>
          new Promise<Result>((resolve, reject) => {
            if (this.#failed !== undefined) return reject(this.#failed)
            entry.pending.push({ resolve, reject })
            entry.worker.postMessage({ job })
          }),
      ),
    )
  }

  /** Rejects the jobs that have not been sent to a thread. */
  drop(reason: unknown): void {
    for (const { pending } of this.#queue.splice(0)) pending.reject(reason)
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map(({ worker }) => worker.terminate()))
  }

  #start(file: URL) {
    const worker = new Worker(file, { resourceLimits: { maxYoungGenerationSizeMb: 64 } })
    const entry = { worker, pending: [] as Pending<Result>[] }
    worker.on('message', (message: { result?: Result; error?: PlainError }) => {
      const pending = entry.pending.shift()
      if (message.error) pending?.reject(revive(message.error))
      else pending?.resolve(message.result as Result)
      this.#feed()
    })
    worker.once('online', () => {
      this.#coming--
    })
    worker.on('error', (error) => this.#fail(error))
    return entry
  }

  #feed(): void {
    for (const entry of this.#workers)
      while (entry.pending.length < IN_FLIGHT) {
        const next = this.#queue.shift()
        if (next === undefined) return
        entry.pending.push(next.pending)
        entry.worker.postMessage({ job: next.job }, next.transfer as ArrayBuffer[])
      }
  }

  #fail(error: unknown): void {
    this.#failed = error
    for (const { pending } of this.#workers) for (const { reject } of pending.splice(0)) reject(error)
    for (const { pending } of this.#queue.splice(0)) pending.reject(error)
  }
}

/** Handles a job in a thread; `transfer` lists buffers to transfer instead of copying. */
export type Handle<Job, Result> = (job: Job) => { result: Result; transfer?: ArrayBuffer[] }

/** The worker's side: `begin` gets the setup and returns the function that handles each job. */
export function serveJobs<Setup, Job, Result>(begin: (setup: Setup) => Handle<Job, Result>): void {
  let handle: Handle<Job, Result>
  parentPort?.on('message', (message: { setup: Setup } | { job: Job }) => {
    if ('setup' in message) handle = beginSafely(begin, message.setup)
    else answer(handle, message.job)
  })
}

/** When the setup fails, each job fails with its error. */
function beginSafely<Setup, Job, Result>(begin: (setup: Setup) => Handle<Job, Result>, setup: Setup) {
  try {
    return begin(setup)
  } catch (error) {
    return (): never => {
      throw error
    }
  }
}

function answer<Job, Result>(handle: Handle<Job, Result>, job: Job): void {
  try {
    const { result, transfer = [] } = handle(job)
    parentPort?.postMessage({ result }, transfer)
  } catch (error) {
    parentPort?.postMessage({ error: plain(error) })
  }
}

/** Classes do not survive structured cloning between threads; codes and messages do. */
interface PlainError {
  readonly message: string
  readonly stack: string | undefined
  readonly fault: { code: FaultCode; data: unknown } | undefined
  readonly rest: object
}

function plain(error: unknown): PlainError {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined, fault: undefined, rest: {} }
  // The descriptors belong to this thread, so resolve their names here.
  withPlainNames(error)
  const fault = error instanceof Fault ? { code: error.code, data: error.data as unknown } : undefined
  return {
    message: error.message,
    stack: error.stack,
    fault,
    rest: fault ? {} : Object.fromEntries(Object.entries(error)),
  }
}

function revive({ message, stack, fault, rest }: PlainError): Error {
  if (fault) return new Fault(fault.code, fault.data as never)
  return Object.assign(new Error(message), rest, { stack })
}
