import { fault } from '../fault-kind.ts'
import { shellWord } from '../shell-word.ts'

/** The faults of keeping and rescuing git; a part of the table in fault.ts. */
export const GIT_FAULTS = {
  GIT_KEEP_NOT_FOUND: fault<{ id: string; matches: readonly string[] }>({
    kind: 'missing',
    message: (d) =>
      d.matches.length > 1
        ? `${d.id} is the beginning of ${d.matches.length} kept states of git: ${d.matches.slice(0, 5).join(', ')}`
        : `There is no kept state of git ${d.id}`,
    hint: () => 'List them with: timewarp git-rescue',
  }),
  GIT_RESCUE_REFUSED: fault<{ why: string; instead: string }>({
    kind: 'conflict',
    message: (d) => `Nothing was rescued: ${d.why}.`,
    hint: (d) => d.instead,
  }),
  GIT_LOCKED: fault<{ path: string }>({
    kind: 'conflict',
    message: (d) => `git is at work, or was cut short: its lock ${d.path} is there.`,
    hint: (d) => `Try again when it is over. If no git is running: rm ${shellWord(d.path)}`,
  }),
  GIT_FAILED: fault<{ command: string; problem: string }>({
    kind: 'conflict',
    message: (d) => `git ${d.command} failed: ${d.problem}`,
    hint: () =>
      'Nothing of yours was overwritten. Rescue into a folder of its own with: timewarp git-rescue ID --into DIR',
  }),
} as const
