import { fault } from '../fault-kind.ts'

/** Faults of the daemon, and of commands that were asked to stop; a part of the table in fault.ts. */
export const DAEMON_FAULTS = {
  DAEMON_RUNNING: fault<{ home: string; holder: string; since: string }>({
    kind: 'busy',
    message: (d) => `The daemon of ${d.home} already runs: ${d.holder}, since ${d.since}.`,
    hint: () => 'Start it anew with: timewarp daemon restart',
  }),
  DAEMON_FAILED: fault<{ problem: string; log: string }>({
    kind: 'bug',
    message: (d) => `The daemon did not start: ${d.problem}`,
    hint: (d) => `What it said is in ${d.log}. Everything works without it: timewarp --no-daemon …`,
  }),
  DAEMON_STOPPED: fault<{ home: string }>({
    kind: 'conflict',
    message: (d) => `The daemon of ${d.home} was stopped while it started.`,
    hint: () => 'Start it with: timewarp daemon start',
  }),
  DAEMON_STUCK: fault<{ holder: string; problem: string }>({
    kind: 'busy',
    message: (d) => `The daemon still runs, ${d.holder}: ${d.problem}.`,
    hint: () => 'Killing it loses nothing. Everything works without it: timewarp --no-daemon …',
  }),
  CANCELLED: fault<{
    taken_back: boolean
    again?: string
    /** The folder from which everything that had been written was removed again. */
    emptied?: string
    /** The folder that has become a workspace. */
    begun?: string
  }>({
    kind: 'cancelled',
    message: (d) => {
      if (d.begun !== undefined) return `Stopped before the first snapshot. ${d.begun} is a workspace all the same.`
      if (d.emptied !== undefined) return `Stopped. What had been written to ${d.emptied} was removed again.`
      return d.taken_back
        ? 'Stopped. What had been done was taken back: the files are as they were.'
        : 'Stopped. Nothing was changed.'
    },
    hint: (d) => (d.again ? `Try again with: ${d.again}` : undefined),
  }),
  DAEMON_LOST: fault<{ home: string }>({
    kind: 'busy',
    message: (d) => `The daemon of ${d.home} went away while it did this.`,
    hint: () => 'See what was done with: timewarp log. An interrupted restore is finished by the next command.',
  }),
} as const
