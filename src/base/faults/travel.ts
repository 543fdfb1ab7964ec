import { fault } from '../fault-kind.ts'

/** The faults of friction issues and journeys; a part of the table in fault.ts. */
export const TRAVEL_FAULTS = {
  INVALID_ISSUE_ID: fault<{ id: string }>({
    kind: 'usage',
    message: (d) => `"${d.id}" is not the id of an issue.`,
    hint: () => 'An id looks like i_20260228_153500_ef34gh. List them with: timewarp issues --status all',
  }),
  ISSUE_NOT_FOUND: fault<{ id: string }>({
    kind: 'missing',
    message: (d) => `There is no issue ${d.id}`,
    hint: () => 'List them with: timewarp issues --status all',
  }),
  ISSUE_BAD_MOVE: fault<{ id: string; from: string; to: string; allowed: readonly string[] }>({
    kind: 'conflict',
    message: (d) => `Issue ${d.id} is ${d.from} and cannot become ${d.to}.`,
    hint: (d) => `It can become: ${d.allowed.join(', ')}`,
  }),
  ISSUE_NEEDS_REASON: fault<{ id: string; from: string; to: string }>({
    kind: 'usage',
    message: (d) => `Issue ${d.id} goes back from ${d.from} to ${d.to}: that needs a reason.`,
    hint: (d) => `Say why: timewarp update-issue ${d.id} ${d.to} --reason '…'`,
  }),
  CRITERIA_VAGUE: fault<{ success_criteria: string; why: string }>({
    kind: 'usage',
    message: (d) => `success_criteria cannot be verified: ${d.why}.`,
    hint: () =>
      'Write a result that can be checked: the path that triggers it (which task, which input), what should or should ' +
      'not happen, and the evidence (a command that succeeds, an error that no longer occurs, at most one retry).',
  }),
  SESSION_NOT_STARTED: fault<{ session_id: string | null }>({
    kind: 'conflict',
    message: (d) =>
      d.session_id === null
        ? 'No session has been started, so there is no snapshot to tie this to.'
        : `Session ${d.session_id} has no snapshot of its beginning.`,
    hint: () => 'Start it first (on_session_start): timewarp session-start, or name a snapshot with snapshot_id.',
  }),
  ALREADY_IN_PAST: fault<{ snapshot_id: string; entered_at: string }>({
    kind: 'conflict',
    message: (d) => `The workspace is in the past already, at ${d.snapshot_id} since ${d.entered_at}`,
    hint: () => 'Come home first: timewarp return. For several journeys at once: timewarp travel ID --into DIR',
  }),
  NOT_IN_PAST: fault<{ root: string }>({
    kind: 'conflict',
    message: (d) => `${d.root} is in the present: there is nowhere to return from.`,
    hint: () => 'Go back with: timewarp travel ID',
  }),
  TRAVEL_FAILED: fault<{ snapshot_id: string; backup_id: string; problem: string; home: boolean }>({
    kind: 'conflict',
    message: (d) =>
      d.home
        ? `The journey to ${d.snapshot_id} failed, and the present is back as it was: ${d.problem}`
        : `The journey to ${d.snapshot_id} stopped in the middle: ${d.problem}`,
    hint: (d) =>
      d.home
        ? 'Nothing is lost. Look at the cause, then repeat the command.'
        : 'Nothing is lost: the next command brings the present back. If `timewarp status` still tells of the past: timewarp return',
  }),
  HOME_DIFFERS: fault<{ backup_id: string; paths: readonly string[] }>({
    kind: 'conflict',
    message: (d) =>
      `The present is not as it was before the journey, so nothing is written: ${d.paths.slice(0, 5).join(', ')}`,
    hint: (d) =>
      `See the difference with: timewarp diff ${d.backup_id}. When you know what it is: timewarp acknowledge, and then, ` +
      `to have it as it was, timewarp restore ${d.backup_id}`,
  }),
  EXPERIMENT_NOT_FOUND: fault<{ what: string }>({
    kind: 'missing',
    message: (d) => `There is no experiment ${d.what}`,
    hint: () =>
      'An experiment is recorded when the past is left: timewarp return. List them with: timewarp experiments',
  }),
  SHELL_FAILED: fault<{ command: string; problem: string }>({
    kind: 'conflict',
    message: (d) => `The command could not be started: ${d.problem}`,
    hint: () => 'Try it in a shell first.',
  }),
} as const
