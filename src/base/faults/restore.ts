import { fault } from '../fault-kind.ts'

/** The faults of restoring files; a part of the table in fault.ts. */
export const RESTORE_FAULTS = {
  ROOT_REPLACED: fault<{ root: string }>({
    kind: 'conflict',
    message: (d) => `Another folder was put in the place of ${d.root} in this moment. Nothing was done to it.`,
    hint: () => 'See what is there now with: timewarp status. Then try again.',
  }),
  RESTORE_FAILED: fault<{ backup_id: string; problem: string; is_back: boolean; again?: string }>({
    kind: 'conflict',
    message: (d) =>
      d.is_back
        ? `The restore could not be finished, and the files are as they were before it: ${d.problem}`
        : `The restore stopped in the middle and could not be taken back yet: ${d.problem}`,
    hint: (d) =>
      d.is_back
        ? `Remove the cause (where the disk is full, free some space). ${d.again ? `Try again with: ${d.again}` : 'Then try again.'}`
        : `Nothing is lost: the next command takes it back. The state before it is ${d.backup_id}`,
  }),
  RESTORE_DAMAGED: fault<{ backup_id: string; paths: readonly string[] }>({
    kind: 'corrupt',
    message: (d) =>
      `${d.paths.length} files could not be restored because the store is damaged: ${d.paths.slice(0, 3).join(', ')}`,
    hint: (d) =>
      `Everything else was restored. Repair with: timewarp fsck --repair, or go back with: timewarp restore ${d.backup_id}`,
  }),
} as const
