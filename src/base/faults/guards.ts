import { fault } from '../fault-kind.ts'

/** The faults of guards; a part of the table in fault.ts. */
export const GUARD_FAULTS = {
  GUARD_SETTINGS: fault<{ file: string; problem: string }>({
    kind: 'conflict',
    message: (d) => `${d.file} was left as it is: ${d.problem}.`,
    hint: () => 'Put the file in order, then repeat the command. Nothing was changed.',
  }),
  SESSION_NOT_FOUND: fault<{ id: string; matches: readonly string[] }>({
    kind: 'missing',
    message: (d) => unknownId('session', d),
    hint: (d) => idHint(d, 'List them with: timewarp sessions'),
  }),
  CALL_NOT_FOUND: fault<{ id: string; matches: readonly string[] }>({
    kind: 'missing',
    message: (d) => (d.matches.length > 1 ? unknownId('call', d) : `No call ${d.id} is known to have changed a file`),
    hint: (d) => idHint(d, 'What was changed, and by which call: timewarp log --json'),
  }),
} as const

/** The minimal length of an id prefix. */
export const LEAST_OF_ID = 4

/** How to identify a session, prompt or call uniquely. */
export function idHint({ id, matches }: { id: string; matches: readonly string[] }, list: string): string {
  if (matches.length > 1) return 'Give more of the id.'
  return id.length < LEAST_OF_ID ? `The beginning of an id has at least ${LEAST_OF_ID} characters. ${list}` : list
}

const unknownId = (kind: string, { id, matches }: { id: string; matches: readonly string[] }): string =>
  matches.length > 1
    ? `${id} is the beginning of ${matches.length} ${kind}s: ${matches.slice(0, 5).join(', ')}`
    : `There is no ${kind} ${id}`
