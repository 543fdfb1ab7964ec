/**
 * Every failure that a caller may get, in one table.
 *
 * A fault has a stable code for programs, a sentence for people and, where possible, the next command to type. How a
 * kind of fault appears on each surface (exit code, HTTP status) is decided only here.
 */

import { type FaultKind, type FaultSpec, fault, KINDS } from './fault-kind.ts'
import { DAEMON_FAULTS } from './faults/daemon.ts'
import { EDIT_FAULTS } from './faults/edits.ts'
import { GIT_FAULTS } from './faults/git.ts'
import { GUARD_FAULTS, idHint } from './faults/guards.ts'
import { MCP_FAULTS } from './faults/mcp.ts'
import { PATH_FAULTS } from './faults/paths.ts'
import { RESTORE_FAULTS } from './faults/restore.ts'
import { NO_STORE_HINT, SETUP_FAULTS } from './faults/setup.ts'
import { STORE_FAULTS } from './faults/store.ts'
import { TRAVEL_FAULTS } from './faults/travel.ts'
import { shellWord } from './shell-word.ts'

export { type FaultKind, KINDS }

interface PatchMismatch {
  readonly path: string
  readonly problem: string
  /** The hunk of the file, counted from 1; null when the problem is about the whole file. */
  readonly hunk: number | null
  /** The line of the file, counted from 1, that should be `expected` and is `found`; null past the end of either. */
  readonly line: number | null
  readonly expected: string | null
  readonly found: string | null
  /** The file already is as the hunk would make it. */
  readonly already: boolean
}

export const FAULTS = {
  BAD_INPUT: fault<{ problem: string; command?: string }>({
    kind: 'usage',
    message: (d) => d.problem,
    hint: (d) => `See: timewarp ${d.command ? `${d.command} ` : ''}--help`,
  }),
  UNKNOWN_COMMAND: fault<{ name: string; nearest?: string }>({
    kind: 'usage',
    message: (d) => `There is no command "${d.name}".`,
    hint: (d) => (d.nearest ? `Did you mean: timewarp ${d.nearest}` : 'See: timewarp --help'),
  }),
  UNKNOWN_TOOL: fault<{ name: string; nearest?: string }>({
    kind: 'missing',
    message: (d) => `There is no tool "${d.name}".`,
    hint: (d) => (d.nearest ? `Did you mean "${d.nearest}"? All tools: timewarp tools` : 'All tools: timewarp tools'),
  }),
  WORKSPACE_UNKNOWN: fault<{ root: string; no_store?: string }>({
    kind: 'missing',
    message: (d) =>
      d.no_store === undefined
        ? `${d.root} is not in a workspace.`
        : `${d.root} is not in a workspace: there is no store in ${d.no_store}`,
    hint: (d) =>
      `Start one with: timewarp -C ${shellWord(d.root)} init${d.no_store === undefined ? '' : `\n${NO_STORE_HINT}`}`,
  }),
  ROOT_MISSING: fault<{ root: string }>({
    kind: 'missing',
    message: (d) => `The folder ${d.root} does not exist.`,
    hint: (d) => `If it was a workspace, bring it back with: timewarp -C ${shellWord(d.root)} restore latest`,
  }),
  ROOT_LINKED: fault<{ root: string; leads_to: string | null }>({
    kind: 'conflict',
    message: (d) => `${d.root} leads to ${d.leads_to ?? 'nothing'} now, through a link. Nothing was done.`,
    hint: (d) =>
      d.leads_to === null
        ? 'Put the folders above it back, or remove the link.'
        : `Put the folders above it back. If the other folder is meant, name it: timewarp -C ${shellWord(d.leads_to)} …`,
  }),
  SNAPSHOT_NOT_FOUND: fault<{ id: string }>({
    kind: 'missing',
    message: (d) => `There is no snapshot ${d.id}`,
    hint: () => 'List them with: timewarp log',
  }),
  SNAPSHOT_AMBIGUOUS: fault<{ id: string; matches: readonly string[] }>({
    kind: 'usage',
    message: (d) => `${d.id} is the beginning of ${d.matches.length} snapshots: ${d.matches.slice(0, 5).join(', ')}`,
    hint: () => 'Give more of the id.',
  }),
  SNAPSHOT_DROPPED: fault<{ id: string }>({
    kind: 'missing',
    message: (d) => `The contents of snapshot ${d.id} were removed by retention; only its record is left.`,
    hint: () => 'Keep contents longer with retention.edits_days, or pin a snapshot: timewarp pin ID',
  }),
  FOLDER_NOT_EMPTY: fault<{ path: string }>({
    kind: 'conflict',
    message: (d) => `${d.path} is not an empty folder.`,
    hint: () => 'Name a folder that is empty or does not exist yet.',
  }),
  FOLDER_REFUSED: fault<{ path: string; why: string }>({
    kind: 'conflict',
    message: (d) => `${d.path} cannot be used: ${d.why}.`,
    hint: () => 'Name another folder.',
  }),
  SNAPSHOT_FOREIGN: fault<{ id: string; workspace: string }>({
    kind: 'conflict',
    message: (d) => `Snapshot ${d.id} is of another workspace: ${d.workspace}`,
    hint: (d) => `Write it into a folder of its own with: timewarp materialise ${d.id} DIR`,
  }),
  NOTHING_TO_UNDO: fault<{ why: string }>({
    kind: 'conflict',
    message: (d) => `There is nothing to undo: ${d.why}.`,
    hint: () => 'See what happened with: timewarp log',
  }),
  NOTHING_TO_REDO: fault<{ why: string }>({
    kind: 'conflict',
    message: (d) => `There is nothing to redo: ${d.why}.`,
    hint: () => 'See what happened with: timewarp log',
  }),
  WORKSPACE_BUSY: fault<{ root: string; holder: string; purpose: string; since: string }>({
    kind: 'busy',
    message: (d) => `${d.root} is busy: ${d.holder} has been running ${d.purpose} since ${d.since}.`,
    hint: () => 'Wait until it is done, then repeat the command.',
  }),
  STORE_BUSY: fault<{ path: string }>({
    kind: 'busy',
    message: (d) => `Another process is writing to ${d.path} and did not finish in time.`,
    hint: () => 'Repeat the command.',
  }),
  CAPTURE_UNSETTLED: fault<{ root: string; tries: number }>({
    kind: 'busy',
    message: (d) => `${d.root} could not be captured: the store was cleaned up ${d.tries} times meanwhile.`,
    hint: () => 'Repeat the command.',
  }),
  STORE_NEWER: fault<{ path: string; found: number; known: number }>({
    kind: 'conflict',
    message: (d) => `${d.path} was written by a newer Timewarp (format ${d.found}; this one knows ${d.known}).`,
    hint: () => 'Update Timewarp on this machine. Nothing was changed.',
  }),
  NO_SPACE: fault<{ path: string }>({
    kind: 'conflict',
    message: (d) => `There is no space left on the disk of ${d.path}.`,
    hint: () =>
      'Free some space, for example with: timewarp prune && timewarp gc. Nothing that was answered is lost, and all of it can still be read: timewarp cat, timewarp materialise ID DIR (on another disk).',
  }),
  READ_ONLY: fault<{ path: string }>({
    kind: 'conflict',
    message: (d) => `${d.path} is on a file system that is read-only.`,
    hint: () => 'What was captured can still be read: timewarp log, timewarp cat, timewarp materialise ID DIR',
  }),
  TOO_MANY_FILES: fault<{ path: string }>({
    kind: 'conflict',
    message: (d) => `${d.path} could not be opened: this process has too many files open.`,
    hint: () => 'Allow more with: ulimit -n 4096. Nothing was changed.',
  }),
  NO_PERMISSION: fault<{ path: string }>({
    kind: 'conflict',
    message: (d) => `There is no permission for ${d.path}.`,
    hint: () => 'Check owner and mode of that path, or run as the user who owns it.',
  }),
  ...STORE_FAULTS,
  MILESTONE_NOT_FOUND: fault<{ id: string; matches: readonly string[] }>({
    kind: 'missing',
    message: (d) =>
      d.matches.length === 0
        ? `There is no milestone ${d.id}`
        : `${d.id} is the beginning of ${d.matches.length} milestones: ${d.matches.slice(0, 5).join(', ')}`,
    hint: () => 'List them with: timewarp milestones',
  }),
  PROMPT_NOT_FOUND: fault<{ id: string; matches: readonly string[] }>({
    kind: 'missing',
    message: (d) =>
      d.matches.length === 0
        ? `There is no prompt ${d.id}`
        : `${d.id} is the beginning of ${d.matches.length} prompts: ${d.matches.slice(0, 5).join(', ')}`,
    hint: (d) => idHint(d, 'List them with: timewarp sessions'),
  }),
  MILESTONE_EMPTY: fault<{ why: string }>({
    kind: 'missing',
    message: (d) => `There is nothing to make a milestone of: ${d.why}.`,
    hint: () => 'What was changed, and when: timewarp log',
  }),
  EXPORT_REFUSED: fault<{ why: string }>({
    kind: 'conflict',
    message: (d) => `Nothing was exported: ${d.why}.`,
    hint: () => 'Name a new branch, in a workspace that is in a git work tree: timewarp export --git BRANCH',
  }),
  NOTHING_TO_FORGET: fault<{ pattern: string; nearest?: string; finished?: boolean; git_keeps: number }>({
    kind: 'missing',
    message: (d) =>
      `No snapshot has ${d.pattern}${d.finished ? '; what an earlier forget had left in the packs is purged now' : ''}`,
    hint: (d) =>
      (d.nearest
        ? `Did you mean: timewarp forget ${shellWord(d.nearest)}`
        : 'Find the path with: timewarp history PATH') +
      (d.git_keeps > 0 ? '\nWhat git holds is kept apart; purge that with: timewarp git-rescue --forget-all' : ''),
  }),
  FORGETS_EVERYTHING: fault<{ pattern: string; root: string }>({
    kind: 'conflict',
    message: (d) => `"${d.pattern}" stands for every path in every snapshot of ${d.root}`,
    hint: (d) => `To purge them all: timewarp forget ${shellWord(d.pattern)} --everything`,
  }),
  NOTHING_TO_REVERT: fault<{ why: string }>({
    kind: 'missing',
    message: (d) => `There is nothing to take back: ${d.why}.`,
    hint: () => 'What happened, and when: timewarp log. Go back one step, whoever made it, with: timewarp undo',
  }),
  EDIT_STUCK: fault<{ path: string; reason: string }>({
    kind: 'conflict',
    message: (d) => `${d.path} could not be changed: ${d.reason}. Nothing was.`,
    hint: () => 'Read it again, and edit what is there now.',
  }),
  EDIT_INTERRUPTED: fault<{ backup_id: string; problem: string }>({
    kind: 'conflict',
    message: (d) => `The change stopped in the middle and could not be taken back yet: ${d.problem}`,
    hint: (d) => `Nothing is lost: the next command takes it back. The state before it is ${d.backup_id}`,
  }),
  ...EDIT_FAULTS,
  ...GUARD_FAULTS,
  ...MCP_FAULTS,
  ...SETUP_FAULTS,
  ...PATH_FAULTS,
  ...GIT_FAULTS,
  ...TRAVEL_FAULTS,
  ...RESTORE_FAULTS,
  ...DAEMON_FAULTS,
  PATCH_BAD: fault<{ line: number; problem: string }>({
    kind: 'usage',
    message: (d) => `The patch cannot be read, line ${d.line}: ${d.problem}.`,
    hint: () => 'Make it again, for example with: git diff --binary. Nothing was changed.',
  }),
  PATCH_MISMATCH: fault<PatchMismatch>({
    kind: 'conflict',
    message: (d) => `The patch does not fit ${d.path}: ${d.problem}.`,
    hint: (d) =>
      d.already
        ? 'It seems to have been applied already. Nothing was changed.'
        : `Look at ${d.path} as it is now and make the patch again. Nothing was changed.`,
  }),
  INTERNAL: fault<{ problem: string }>({
    kind: 'bug',
    message: (d) => `Something went wrong inside Timewarp: ${d.problem}`,
    hint: () => 'This is a bug. Your files and everything captured are safe; please report it.',
  }),
} as const

export type FaultCode = keyof typeof FAULTS
export type FaultData<C extends FaultCode> = Parameters<(typeof FAULTS)[C]['message']>[0]

export interface FaultJson {
  readonly code: FaultCode
  readonly message: string
  readonly hint: string | null
  readonly data: unknown
}

export class Fault<C extends FaultCode = FaultCode> extends Error {
  override readonly name = 'Fault'
  readonly code: C
  readonly data: FaultData<C>

  constructor(code: C, data: FaultData<C>, options?: ErrorOptions) {
    super((FAULTS[code] as unknown as FaultSpec<FaultData<C>>).message(data), options)
    this.code = code
    this.data = data
  }

  get kind(): FaultKind {
    return FAULTS[this.code].kind
  }

  get hint(): string | undefined {
    return (FAULTS[this.code] as unknown as FaultSpec<FaultData<C>>).hint?.(this.data)
  }

  toJSON(): FaultJson {
    return { code: this.code, message: this.message, hint: this.hint ?? null, data: this.data }
  }
}

/** Whether a stored object or record is missing or unusable. */
export const isDamage = (error: unknown): error is Fault =>
  error instanceof Fault && ['OBJECT_MISSING', 'OBJECT_DAMAGED', 'PATH_DAMAGED'].includes(error.code)

/** Narrows an unknown thrown value to a fault with this exact code. */
export function isFault<C extends FaultCode>(error: unknown, code: C): error is Fault<C> {
  return error instanceof Fault && error.code === code
}

/** Any thrown value as a fault. A value that is not a fault is a bug, and is reported as one. */
export function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error
  const problem = error instanceof Error ? error.message : String(error)
  return new Fault('INTERNAL', { problem }, { cause: error })
}
