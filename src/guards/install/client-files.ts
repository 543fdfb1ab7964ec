import { join } from 'node:path'
import { CLAUDE_FOUND } from '../clients/claude-edits.ts'
import { CLAUDE_READS } from '../clients/claude-tools.ts'
import type { Entries } from './settings-text.ts'

/** Where each client looks for hooks, and what is installed there. */

export const INSTALLABLE = ['claude', 'opencode', 'codex', 'gemini'] as const
export type Installable = (typeof INSTALLABLE)[number]
export const SCOPES = ['user', 'project'] as const
export type InstallScope = (typeof SCOPES)[number]

type Env = Readonly<Record<string, string | undefined>>

/** How a hook calls the program: the file, the client, and the store when it is not the default one. */
export interface HookCall {
  /** The shell that starts fastest; if undefined, the program chooses one itself. */
  readonly bash?: string | undefined
  readonly program: string
  readonly home: string | undefined
}

interface Row {
  /** The file, by scope; `dir` is the folder of the project. */
  readonly file: Readonly<Record<InstallScope, (env: Env, dir: string) => string>>
  /** Hooks in the client's settings; a client without them has a plugin in a file of its own. */
  readonly entries?: (call: HookCall) => Entries
  /** What a person has to do besides. */
  readonly remark?: string
}

const user = (env: Env, ...path: string[]): string => join(env['HOME'] || '/', ...path)

export const CLIENT_FILES: Readonly<Record<Installable, Row>> = {
  claude: {
    file: {
      user: (env) => join(env['CLAUDE_CONFIG_DIR'] || user(env, '.claude'), 'settings.json'),
      project: (_, dir) => join(dir, '.claude', 'settings.local.json'),
    },
    entries: claudeEntries,
  },
  opencode: {
    file: {
      user: (env) => join(env['XDG_CONFIG_HOME'] || user(env, '.config'), 'opencode', 'plugin', 'timewarp.ts'),
      project: (_, dir) => join(dir, '.opencode', 'plugin', 'timewarp.ts'),
    },
  },
  codex: {
    file: {
      user: (env) => join(env['CODEX_HOME'] || user(env, '.codex'), 'hooks.json'),
      project: (_, dir) => join(dir, '.codex', 'hooks.json'),
    },
    entries: codexEntries,
    remark: 'Codex runs no hook before you trust it: start codex, and accept the hooks under /hooks',
  },
  gemini: {
    file: {
      user: (env) => user(env, '.gemini', 'settings.json'),
      project: (_, dir) => join(dir, '.gemini', 'settings.json'),
    },
    entries: geminiEntries,
  },
}

const SECONDS = 10

/** The program and its arguments, without a shell in between. */
const exec = (call: HookCall, client: Installable): object => {
  const [command, ...args] = wordsOf(call, client)
  return { type: 'command', command, args, timeout: SECONDS }
}

const wordsOf = ({ bash, program, home }: HookCall, client: Installable): string[] => [
  ...(bash === undefined ? [] : [bash]),
  program,
  client,
  ...(home === undefined ? [] : [home]),
]

/** The same for a client that passes a line to a shell. */
const shell = (call: HookCall, client: Installable): string => wordsOf(call, client).map(quoted).join(' ')

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", () => `'\\''`)}'`

/** For tools that cannot change a file, no hook is run. */
const CHANGING = allBut(CLAUDE_READS)

function allBut(tools: readonly string[]): string {
  return `^(?!(?:${tools.join('|')})$)`
}

function claudeEntries(call: HookCall): Entries {
  const hook = exec(call, 'claude')
  const [all, changing] = [[{ hooks: [hook] }], [{ matcher: CHANGING, hooks: [hook] }]]
  return {
    SessionStart: all,
    UserPromptSubmit: all,
    PreToolUse: changing,
    // The end of most edits is detected from their files.
    PostToolUse: [{ matcher: allBut([...CLAUDE_READS, ...CLAUDE_FOUND]), hooks: [hook] }],
    PostToolUseFailure: changing,
    Stop: all,
    StopFailure: all,
    SubagentStart: all,
    SubagentStop: all,
    PreCompact: all,
    SessionEnd: all,
  }
}

const CODEX_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PreCompact',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'SessionEnd',
]

function codexEntries(call: HookCall): Entries {
  const entries = [{ hooks: [{ type: 'command', command: shell(call, 'codex'), timeout: SECONDS }] }]
  return Object.fromEntries(CODEX_EVENTS.map((event) => [event, entries]))
}

const GEMINI_EVENTS = ['SessionStart', 'BeforeAgent', 'BeforeTool', 'AfterTool', 'AfterAgent', 'SessionEnd']

function geminiEntries(call: HookCall): Entries {
  const hook = { name: 'timewarp', type: 'command', command: shell(call, 'gemini'), timeout: SECONDS * 1000 }
  return Object.fromEntries(GEMINI_EVENTS.map((event) => [event, [{ matcher: '*', hooks: [hook] }]]))
}
