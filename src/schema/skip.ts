/** Why a path is not in a snapshot. Such a path is never touched by a restore. Apart from `cause.ts`: threads load this. */
export const SKIP_REASONS = ['unreadable', 'oversized', 'special', 'busy', 'budget'] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

/** The reason that `forget` records: the path was captured, and was taken out of the snapshot later. */
export const FORGOTTEN = 'forgotten'
