import { Fault } from '../../base/fault.ts'
import { guarded } from '../../host/faults.ts'
import { spareDescriptors } from '../../host/files/descriptors.ts'
import { checkWritable } from '../../host/files/writable.ts'
import { workerCount } from '../../host/processes/workers.ts'
import { ASIDE, inFolders, makeOwn } from '../workspace/own-folders.ts'

/**
 * The most descriptors that one thread may have open: folders, files it reads, writes and syncs, packs, the database.
 */
const PER_THREAD = 64

/** Refuses to write into a folder when this process has too few descriptors left. */
export function checkDescriptors(root: string): void {
  if (spareDescriptors() < (workerCount() + 1) * PER_THREAD) throw new Fault('TOO_MANY_FILES', { path: root })
}

/**
 * Refuses an act that would have to stop in the middle, before its journal opens: undoing it needs the same resources.
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
