import { HASH_BYTES } from '../../store/store.ts'
import { KIND } from '../../store/tree.ts'
import { decodeFolder, hashAt, SKIPPED } from '../scan/folder.ts'
import { isStored } from '../scan/store-state.ts'
import type { Publication } from './types.ts'

/**
 * Whether an object that the new state refers to has no row. Must be called in the transaction that records the state.
 */
export const lacksObjects = (p: Publication): boolean => mayBeMissing(p) && anyMissing(p)

/**
 * Whether an object may have lost its row since the scan looked it up, or since the state was recorded from which the
 * scan started.
 */
function mayBeMissing({ ctx, seen, epoch }: Publication): boolean {
  const basis = { epoch: ctx.store.index.epoch(), index: ctx.store.index }
  return seen.distrusted ? basis.epoch !== epoch : !isStored(seen.before, epoch, basis)
}

function anyMissing({ ctx, batch, seen, assembled }: Publication): boolean {
  const { index } = ctx.store
  batch.publish()
  if (batch.reused.some((hash) => !index.has(hash))) return true
  for (const reused of seen.reused)
    for (let at = 0; at < reused.length; at += HASH_BYTES)
      if (!index.has(reused.subarray(at, at + HASH_BYTES))) return true
  for (const [, bytes] of assembled.folders.all()) {
    const folder = decodeFolder(bytes)
    if (!index.has(folder.tree)) return true
    for (let i = 0; i < folder.names.length; i++) {
      const isContent = folder.kinds[i] !== KIND.directory && folder.kinds[i] !== SKIPPED
      if (isContent && !index.has(hashAt(folder, i))) return true
    }
  }
  return false
}
