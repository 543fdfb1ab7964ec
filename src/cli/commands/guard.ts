import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { Fault } from '../../base/fault.ts'
import { columns } from '../../base/text.ts'
import {
  CLIENT_FILES,
  INSTALLABLE,
  type Installable,
  type InstallScope,
  SCOPES,
} from '../../guards/install/client-files.ts'
import { type Installing, type InstallState, install, remove, stateOf } from '../../guards/install/install.ts'
import { SHELLS, type Shell } from '../../guards/install/shell-snippet.ts'
import { readFile, stat } from '../../host/files/fs.ts'
import { command } from '../command.ts'
import { type Context, openToolClient, workspaceOf } from '../context.ts'
import { printAnswer, printJson, printText } from '../output/print.ts'
import { homeOf } from '../parse/globals.ts'
import { guardShell, type ShellGuardResult, shellStates, unguardShell } from './guard-shell.ts'

const ACTIONS = ['install', 'status', 'remove', 'judge'] as const

/** All names that `timewarp guard` takes. */
const NAMES = [...INSTALLABLE, 'shell']

interface Wanted {
  readonly client: string | undefined
  readonly scope: InstallScope | undefined
  readonly shell: Shell | undefined
  /** The command line to judge; only for `judge`. */
  readonly line: string
}
type Run = (context: Context, wanted: Wanted) => Promise<number>

export const GuardCommand = command({
  name: 'guard',
  summary: 'Let a coding agent or a shell report to the timeline; judge what a command may change',
  group: 'guards',
  input: z.object({
    action: z.enum(ACTIONS).default('status').describe('What to do'),
    client: z
      .array(z.string())
      .default([])
      .describe(`The agent: ${NAMES.join(', ')}; with judge, the command line`),
    scope: z.enum(SCOPES).optional().describe('For all projects of the user, or for this one (default: user)'),
    shell: z.enum(SHELLS).optional().describe('With shell: which one (default: yours)'),
  }),
  verb: {
    words: ['action', 'client'],
    examples: [
      'timewarp guard install claude',
      'timewarp guard install opencode --scope project',
      'timewarp guard install shell',
      'timewarp guard status',
      'timewarp guard remove claude',
      "timewarp guard judge 'rm -rf build'",
    ],
  },
  run: (context, { action, client, scope, shell }) => {
    if (action !== 'judge' && client[1] !== undefined) throw bad(`"${client[1]}" is one word too many.`)
    return ACTION[action](context, { client: client[0], scope, shell, line: client.join(' ') })
  },
})

const ACTION: Readonly<Record<(typeof ACTIONS)[number], Run>> = {
  install: async (context, wanted) => {
    if (wanted.client === 'shell') return tellOf(context, guardShell(context, wanted.shell))
    const at = placeFor(context, known(wanted.client), wanted.scope ?? 'user')
    const before = install(at)
    return tell(context, { ...facts(at, stateOf(at)), before }, installed(at, before))
  },
  status: async (context) => {
    const all = [...allPlaces(context).map((at) => facts(at, stateOf(at))), ...shellStates(context)]
    const rows = all.map(({ client, scope, state, file }) => [client, scope, state, file])
    return tell(context, { guards: all }, columns(rows))
  },
  // Without a scope, from all scopes.
  remove: async (context, wanted) => {
    if (wanted.client === 'shell') return tellOf(context, unguardShell(context, wanted.shell))
    const client = known(wanted.client)
    const scopes = wanted.scope === undefined ? SCOPES : [wanted.scope]
    const places = scopes.map((scope) => placeFor(context, client, scope))
    const gone = places.filter((at) => remove(at)).map(({ file }) => file)
    const text = gone.map((file) => `Removed from ${file}`).join('\n') || `There was no guard for ${client}.`
    return tell(context, { client, removed: gone }, text)
  },
  judge: async (context, { line }) => {
    if (line.trim() === '') throw bad('The command line is missing.')
    const desk = await openToolClient(context)
    const { spec, output } = await desk.call('guard_judge', { ...workspaceOf(context.globals), command: line })
    return printAnswer(context.io, spec, output, context.globals.json)
  },
}

const bad = (problem: string): Fault => new Fault('BAD_INPUT', { problem, command: 'guard' })
const tellOf = (context: Context, { answer, text }: ShellGuardResult): number => tell(context, answer, text)

function known(client: string | undefined): Installable {
  const found = INSTALLABLE.find((name) => name === client)
  if (found) return found
  throw bad(`Name the agent: ${NAMES.join(', ')}`)
}

const BASHES = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/opt/homebrew/bin/bash']

function placeFor({ io, globals }: Context, client: Installable, scope: InstallScope): Installing {
  const root = join(dirname(io.program), io.program.endsWith('.ts') ? '../..' : '..')
  const home = homeOf(globals, io)
  const isUsual = home === resolve(io.env['HOME'] ?? homedir(), '.timewarp')
  const call = {
    program: join(root, 'bin', 'timewarp-hook'),
    bash: BASHES.find((file) => stat(file)?.isFile()),
    home: isUsual ? undefined : home,
  }
  return {
    client,
    scope,
    file: CLIENT_FILES[client].file[scope](io.env, globals.dir ?? io.cwd),
    project: scope === 'project' ? (globals.dir ?? io.cwd) : undefined,
    home,
    call,
    plugin: () => pluginText(root, call),
  }
}

/** The plugin for opencode, with the path of the program filled in. */
function pluginText(root: string, call: Installing['call']): string {
  const file = join(root, 'plugins', 'opencode', 'timewarp.ts')
  const text = readFile(file)?.toString()
  if (text === undefined) throw new Fault('GUARD_SETTINGS', { file, problem: 'it is missing' })
  const marked = /^const INSTALLED = .*$/m
  return text.replace(
    marked,
    () => `const INSTALLED = ${JSON.stringify({ hook: call.program, home: call.home ?? null })}`,
  )
}

const allPlaces = (context: Context): Installing[] =>
  INSTALLABLE.flatMap((client) => SCOPES.map((scope) => placeFor(context, client, scope)))

const facts = ({ client, scope, file }: Installing, state: InstallState) => ({ client, scope, file, state })

/** Whether the guard is installed; false when its file cannot be read. */
function isThere(at: Installing): boolean {
  try {
    return ['installed', 'outdated'].includes(stateOf(at))
  } catch {
    return false
  }
}

/** The agents whose guards are installed, for this user or in this project. */
export const guardedClients = (context: Context, root: string): string[] => [
  ...new Set(
    allPlaces({ ...context, globals: { ...context.globals, dir: root } })
      .filter((at) => isThere(at))
      .map(({ client }) => client),
  ),
  ...(shellStates(context).some(({ state }) => state !== 'absent') ? ['shell'] : []),
]

function installed({ client, scope, file }: Installing, before: InstallState): string {
  const { remark } = CLIENT_FILES[client]
  return [
    before === 'installed' ? `${client} was guarded already, by ${file}` : `Guarded: ${client}, by ${file}`,
    ...(remark && before !== 'installed' ? [remark] : []),
    `Take it away with: timewarp guard remove ${client} --scope ${scope}`,
  ].join('\n')
}

function tell({ io, globals }: Context, answer: object, text: string): number {
  if (globals.json) printJson(io, answer)
  else printText(io, text)
  return 0
}
