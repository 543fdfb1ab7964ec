/**
 * Why a path is not in a snapshot. A restore never changes such a path. Separate from `cause.ts`, because worker
 * threads load this.
 */
export const SKIP_REASONS = ['unreadable', 'oversized', 'special', 'busy', 'budget'] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

/** The reason that `forget` records: the path was captured, and was removed from the snapshot later. */
export const FORGOTTEN = 'forgotten'
