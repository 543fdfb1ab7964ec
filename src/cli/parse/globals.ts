import { resolve } from 'node:path'
import { Fault } from '../../base/fault.ts'
import type { Io } from '../io.ts'
import type { Flags, Given } from './args.ts'
import type { Field } from './grammar.ts'

/** The flags that every command takes, before or after its name. */

export interface Globals {
  /** The folder named with -C, absolute, or the id of a workspace. */
  readonly dir: string | undefined
  readonly home: string | undefined
  readonly json: boolean
  readonly daemon: boolean
  readonly help: boolean
  readonly version: boolean
}

const field = (name: string, kind: 'boolean' | 'string', about: string): Field => ({
  name,
  flag: name,
  kind,
  many: false,
  required: false,
  choices: [],
  fallback: undefined,
  about,
})
const DIR = field('dir', 'string', 'The workspace: a folder in it, or its id (default: the current folder)')
const HOME = field('home', 'string', 'Where the store is (default: $TIMEWARP_HOME, or ~/.timewarp)')
const ONLY_JSON = field('json', 'boolean', 'Print one JSON document and nothing else')
const DAEMON = field('daemon', 'boolean', 'Do the work in this process, as TIMEWARP_DAEMON=off does')
const HELP = field('help', 'boolean', 'Tell how to use a command')
const VERSION = field('version', 'boolean', 'Tell which Timewarp this is')

export const globalFlags: Flags = new Map([
  ['-C', { field: DIR, alone: true }],
  ['--home', { field: HOME, alone: true }],
  ['--json', { field: ONLY_JSON, alone: true }],
  ['--no-daemon', { field: DAEMON, alone: false }],
  ['-h', { field: HELP, alone: true }],
  ['--help', { field: HELP, alone: true }],
  ['--version', { field: VERSION, alone: true }],
])

/** The same flags, described for people. */
export const GLOBAL_FLAGS: readonly (readonly [spelling: string, about: string])[] = [
  ['-C DIR', DIR.about],
  ['--home DIR', HOME.about],
  ['--json', ONLY_JSON.about],
  ['--no-daemon', DAEMON.about],
  ['-h, --help', HELP.about],
  ['--version', VERSION.about],
]

const WORKSPACE_ID = /^w_\d{8}_\d{6}_[0-9a-z]{6}$/

export function globalsOf(given: Given, io: Io): Globals {
  const dir = given.get(DIR) as string | undefined
  if (dir === '') throw new Fault('BAD_INPUT', { problem: '-C needs a folder.' })
  return {
    dir: dir === undefined || WORKSPACE_ID.test(dir) ? dir : resolve(io.cwd, dir),
    home: given.get(HOME) as string | undefined,
    json: given.get(ONLY_JSON) === true,
    daemon: given.get(DAEMON) !== false && !/^(off|no|false|0)$/i.test(io.env.TIMEWARP_DAEMON ?? ''),
    help: given.get(HELP) === true,
    version: given.get(VERSION) === true,
  }
}

/** The store's folder. Only commands that open the store call this, so that help works without a home. */
export function homeOf(globals: Globals, io: Io): string {
  const named = globals.home || io.env.TIMEWARP_HOME
  if (named) return resolve(io.cwd, named)
  const user = io.env.HOME
  if (user) return resolve(io.cwd, user, '.timewarp')
  throw new Fault('BAD_INPUT', { problem: 'There is no place for the store: neither TIMEWARP_HOME nor HOME is set.' })
}
