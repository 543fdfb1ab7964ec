import { threadId } from 'node:worker_threads'
import { Database } from '../host/database.ts'
import { serveJobs } from '../host/workers.ts'
import { ObjectIndex } from '../store/object-index.ts'
import { ObjectReader } from '../store/object-reader.ts'
import { Hand, type Refusal, type Wanted } from './put-file.ts'
import type { WriteJob, WriteSetup } from './restore-apply.ts'

serveJobs<WriteSetup, WriteJob, Refusal[]>((setup) => {
  const index = new ObjectIndex(new Database(setup.db, { readOnly: true }), { migrate: false })
  const reader = new ObjectReader(setup.objects, index)
  const hand = new Hand(setup.root, setup.aside, `${setup.tag}-${threadId}`, setup.umask, reader)
  const put = (wanted: Wanted): Refusal | undefined => (setup.fresh ? hand.create(wanted) : hand.put(wanted))
  return (job) => ({ result: job.map(put).filter((refusal) => refusal !== undefined) })
})
