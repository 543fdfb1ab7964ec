import { mergeBytes } from '../diff/merge.ts'
import type { Merge } from './reverse-plan.ts'

/** A merge as a reversal needs it: conflicts have the line numbers of the present. */
export const mergeForReversal: Merge = (base, ours, theirs) => {
  const merged = mergeBytes(base, ours, theirs)
  if ('bytes' in merged) return merged
  const conflicts = merged.conflicts.map((one) => ({
    line: one.ours.line,
    ours: one.ours.bytes,
    theirs: one.theirs.bytes,
  }))
  return { conflicts, forced: merged.forced }
}
