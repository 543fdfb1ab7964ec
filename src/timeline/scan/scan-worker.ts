import { threadId } from 'node:worker_threads'
import { serveJobs } from '../../host/processes/workers.ts'
import { type ScanJob, Scanner, type ScanOutcome, type ScanSetup } from './scan-job.ts'

serveJobs<ScanSetup, ScanJob, ScanOutcome>((setup) => {
  // Each thread writes packs of its own, under its own writer name.
  const store = setup.store && { ...setup.store, writer: `${setup.store.writer}-${threadId}` }
  const scanner = new Scanner({ ...setup, store }, { leavesFew: true })
  return (job) => {
    const result = scanner.run(job)
    return { result, transfer: result.changed.map(([, bytes]) => bytes.buffer as ArrayBuffer) }
  }
})
