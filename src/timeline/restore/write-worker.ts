import { threadId } from 'node:worker_threads'
import { Database } from '../../host/database.ts'
import { serveJobs } from '../../host/processes/workers.ts'
import { ObjectIndex } from '../../store/object-index.ts'
import { ObjectReader } from '../../store/object-reader.ts'
import { openFolders } from '../workspace/own-folders.ts'
import { FileReplacer, type TargetFile } from './file-replacer.ts'
import type { WriteRefusal } from './put-checks.ts'
import type { WriteJob, WriteSetup } from './restore-apply.ts'

serveJobs<WriteSetup, WriteJob, WriteRefusal[]>(({ db, objects, root, id, tag, umask, fresh }) => {
  const reader = new ObjectReader(objects, new ObjectIndex(new Database(db, { readOnly: true }), { migrate: false }))
  const hand = new FileReplacer(openFolders(root, id), { tag: `${tag}-${threadId}`, umask, reader })
  const put = (wanted: TargetFile): WriteRefusal | undefined => (fresh ? hand.create(wanted) : hand.put(wanted))
  return (job) => ({ result: job.map(put).filter((refusal) => refusal !== undefined) })
})
