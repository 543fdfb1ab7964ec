import { Fault } from '../base/fault.ts'
import { nearest } from '../base/text.ts'
import { CATALOGUE, type CatalogueEntry, findTool, findVerb } from '../protocol/catalogue.ts'
import type { Command } from './command.ts'

const load = (from: () => Promise<unknown>) => from as () => Promise<Command>

/**
 * The commands that are not tools, by name, and `redact`, which does what the tool of that name does, but to standard
 * input as it arrives. The code of each is loaded when it is called.
 */
export const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['up', load(() => import('./commands/up.ts').then((m) => m.Up))],
  ['oops', load(() => import('./commands/oops.ts').then((m) => m.Oops))],
  ['demo', load(() => import('./commands/demo.ts').then((m) => m.Demo))],
  ['tools', load(() => import('./commands/tools.ts').then((m) => m.Tools))],
  ['call', load(() => import('./commands/call.ts').then((m) => m.CallCommand))],
  ['guard', load(() => import('./commands/guard.ts').then((m) => m.GuardCommand))],
  ['statusline', load(() => import('./commands/statusline.ts').then((m) => m.StatusLine))],
  ['hook', load(() => import('./commands/hook.ts').then((m) => m.HookCommand))],
  ['redact', load(() => import('./commands/redact.ts').then((m) => m.RedactCommand))],
  ['daemon', load(() => import('./commands/daemon.ts').then((m) => m.DaemonCommand))],
  ['mcp', load(() => import('./commands/mcp.ts').then((m) => m.McpCommand))],
  ['completion', load(() => import('./commands/completion.ts').then((m) => m.Completion))],
])

/** Every word that may follow `timewarp`. */
export const VERBS: readonly string[] = [
  ...new Set([...COMMANDS.keys(), 'help', ...CATALOGUE.map((entry) => entry.verb)]),
]

/** The tool of a word: its verb, or its own name written with - or _. */
export const toolFor = (word: string): CatalogueEntry | undefined =>
  findVerb(word) ?? findTool(word) ?? findTool(word.replaceAll('-', '_'))

export function unknownCommand(name: string): Fault {
  const near = nearest(name, [...VERBS, ...CATALOGUE.map((entry) => entry.tool)])
  return new Fault('UNKNOWN_COMMAND', { name, ...(near === undefined ? {} : { nearest: near }) })
}
