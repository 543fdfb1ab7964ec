import type { RecordedEdits } from '../../edits/file-change.ts'
import { type Merge, type PresentReader, planReversal, type Reversal } from '../../edits/reverse-plan.ts'

/**
 * Repeats in the present what was done elsewhere, and leaves alone what the present has changed since. Pure.
 *
 * To repeat a change is to revert its inverse: the state before it is the common ancestor, the present is one side, the
 * state after it the other.
 */
export function planReplay(doing: RecordedEdits, present: PresentReader, merge: Merge, force: boolean): Reversal {
  const plan = planReversal([inverse(doing)], present, merge, force)
  const made = new Map(doing.did.map((did) => [did.path, did]))
  const clashes = plan.clashes.map((clash) => {
    const did = made.get(clash.path)
    return clash.line === undefined && did ? { ...clash, reason: reasonFor(did, present.read(clash.path)) } : clash
  })
  return { ...plan, clashes }
}

const inverse = ({ id, did, folders }: RecordedEdits): RecordedEdits => ({
  id,
  did: did.map(({ path, before, after }) => ({ path, before: after, after: before })),
  folders: folders.map(({ path, before, after }) => ({ path, before: after, after: before })),
})

function reasonFor({ before, after }: RecordedEdits['did'][number], now: unknown): string {
  if (now === undefined) return 'the experiment changes it, and it has been deleted since'
  if (after === undefined) return 'the experiment deletes it, and it has changed since'
  if (before === undefined) return 'the experiment makes it, and there is another one now'
  return 'the experiment changes it, and it has changed since'
}
