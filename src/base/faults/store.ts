import { fault } from '../fault-kind.ts'
import { count } from '../text.ts'

/** The faults of stored data; a part of the table in fault.ts. */
export const STORE_FAULTS = {
  OBJECT_MISSING: fault<{ id: string }>({
    kind: 'corrupt',
    message: (d) => `Object ${d.id} is referred to but not stored.`,
    hint: () => 'See what is affected with: timewarp fsck',
  }),
  OBJECT_DAMAGED: fault<{ id: string; pack: string }>({
    kind: 'corrupt',
    message: (d) => `Object ${d.id} in ${d.pack} is damaged; its bytes are not given out.`,
    hint: () => 'See what is affected, and repair what can be repaired, with: timewarp fsck --repair',
  }),
  PACK_DAMAGED: fault<{ pack: string }>({
    kind: 'corrupt',
    message: (d) => `${d.pack} is damaged; it was not copied.`,
    hint: () => 'See what is affected, and repair what can be repaired, with: timewarp fsck --repair',
  }),
  RECORDS_DAMAGED: fault<{ path: string; problem: string }>({
    kind: 'corrupt',
    message: (d) => `${d.path} is damaged: ${d.problem}`,
    hint: () => 'Make it again from the packs with: timewarp fsck --rebuild',
  }),
  RECORDS_BEHIND: fault<{ snapshots: number }>({
    kind: 'corrupt',
    message: (d) => `Nothing was done: the packs hold ${count(d.snapshots, 'snapshot')} that the records have lost.`,
    hint: () => 'What is to be forgotten may be in them. Bring them back first with: timewarp fsck --rebuild',
  }),
  MIRROR_BAD: fault<{ dir: string; problem: string }>({
    kind: 'conflict',
    message: (d) => `${d.dir} cannot be used as a mirror: ${d.problem}.`,
    hint: () => 'Name an empty folder, or one that `timewarp mirror` has written.',
  }),
} as const
