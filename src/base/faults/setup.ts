import { fault } from '../fault-kind.ts'

/** A missing store is often one that is not mounted, or whose path is mistyped: creating a new one would hide that. */
export const NO_STORE_HINT = 'If there should be a store, check TIMEWARP_HOME, and whether its disk is mounted.'

/** The faults of settings and of places for workspaces and the store; a part of the table in fault.ts. */
export const SETUP_FAULTS = {
  CONFIG_BAD: fault<{ file: string; problem: string }>({
    kind: 'usage',
    message: (d) => `${d.file}: ${d.problem}`,
    hint: () => 'Every key and its meaning: timewarp config --schema',
  }),
  RETENTION_UNKNOWN: fault<{ problem: string }>({
    kind: 'conflict',
    message: (d) => `Nothing was pruned, because the settings are not known as a whole: ${d.problem}`,
    hint: () => 'Repair the file, then repeat. Every key and its meaning: timewarp config --schema',
  }),
  WORKSPACE_REFUSED: fault<{ root: string; why: string }>({
    kind: 'conflict',
    message: (d) => `${d.root} cannot be a workspace: ${d.why}.`,
    hint: () => 'Choose a project folder: timewarp -C DIR init',
  }),
  STORE_MISSING: fault<{ home: string }>({
    kind: 'missing',
    message: (d) => `There is no store in ${d.home}`,
    hint: () => `${NO_STORE_HINT} To begin one, in the folder to record: timewarp up`,
  }),
  HOME_BAD: fault<{ path: string; problem: string }>({
    kind: 'usage',
    message: (d) => `${d.path} cannot hold the store: ${d.problem}.`,
    hint: () => 'Set TIMEWARP_HOME to a folder of your own.',
  }),
} as const
