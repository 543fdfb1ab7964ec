import { fault } from './fault-kind.ts'

/** The faults of guards; a part of the table in fault.ts. */
export const GUARD_FAULTS = {
  GUARD_SETTINGS: fault<{ file: string; problem: string }>({
    kind: 'conflict',
    message: (d) => `${d.file} was left as it is: ${d.problem}.`,
    hint: () => 'Put the file in order, then repeat the command. Nothing was changed.',
  }),
} as const
