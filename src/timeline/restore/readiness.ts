import { Fault } from '../../base/fault.ts'
import { guarded } from '../../host/faults.ts'
import { spareDescriptors } from '../../host/files/descriptors.ts'
import { checkWritable } from '../../host/files/writable.ts'
import { workerCount } from '../../host/processes/workers.ts'
import { ASIDE, inFolders, makeOwn } from '../workspace/own-folders.ts'

/** What one thread may have open at once: folders, what it reads, writes and syncs, packs, the records. */
const PER_THREAD = 64

/** Refuses to write into a folder with fewer descriptors than that may take. */
export function checkDescriptors(root: string): void {
  if (spareDescriptors() < (workerCount() + 1) * PER_THREAD) throw new Fault('TOO_MANY_FILES', { path: root })
}

/**
 * Refuses an act that could only stop in the middle, before its journal opens: the way back needs what the way there does.
 */
export function checkReady(root: string): void {
  checkDescriptors(root)
  guarded(root, () =>
    inFolders(root, (folders) => {
      makeOwn(folders, ASIDE)
      checkWritable(folders.folder(ASIDE))
    }),
  )
}
