import { z } from 'zod'
import { columns } from '../../base/text.ts'
import { CATALOGUE } from '../../protocol/catalogue.ts'
import { takesPaths } from '../../protocol/paths.ts'
import type { Spec } from '../../protocol/spec.ts'
import { type Command, command } from '../command.ts'
import type { Context } from '../context.ts'
import { GLOBAL_FLAGS } from '../parse/globals.ts'
import { type Grammar, grammarOf } from '../parse/grammar.ts'
import { aboutOf, flagsOf, spellingOf, usageOf, wordOf, wordsOf } from '../parse/usage.ts'
import { COMMANDS, toolFor, unknownCommand } from '../verbs.ts'
import { type Paint, paintFor } from './paint.ts'
import { printJson } from './print.ts'

/** The groups of the overview, in order. */
export const GROUPS = {
  start: 'Start here',
  timeline: 'Timeline',
  edits: 'Edits and milestones',
  travel: 'Travel and friction issues',
  store: 'Store',
  guards: 'Agents and guards',
  setup: 'Workspaces and settings',
  shell: 'For shells and programs',
} as const

/** One word that may follow `timewarp`: a tool with its verb, or a command. */
export interface Topic {
  readonly word: string
  readonly about: Spec | Command
}

export const Help = command({
  name: 'help',
  summary: 'Tell what the commands are, or how to use one',
  group: 'shell',
  input: z.object({ command: z.string().optional().describe('The command') }),
  verb: { words: ['command'], examples: ['timewarp help', 'timewarp help restore'] },
  run: (context, input) => printHelp(context, input.command),
})

export async function printHelp({ io, globals }: Context, word?: string): Promise<number> {
  const paint = paintFor(globals.json ? { NO_COLOR: '1' } : io.env, io.outIsTerminal)
  const text =
    word === undefined ? overview((await allTopics()).filter(isOwn), paint) : detail(await topicFor(word), paint)
  if (globals.json) printJson(io, { help: text })
  else io.out(`${text}\n`)
  return 0
}

/** Loads all tools and commands, which is slow: only for help, the tool list and the reference. */
export async function allTopics(): Promise<Topic[]> {
  const tools = CATALOGUE.map(async ({ verb, load }) => ({ word: verb, about: await load() }))
  const commands = [...COMMANDS].map(async ([word, load]) => ({ word, about: await load() }))
  return [...(await Promise.all([...commands, ...tools])), { word: 'help', about: Help as Command }]
}

/** False for a tool that also exists as a command of the same name: it is listed once. */
const isOwn = ({ word, about }: Topic): boolean => !('effect' in about && COMMANDS.has(word))

async function topicFor(word: string): Promise<Topic> {
  if (word === 'help') return { word, about: Help as Command }
  const about = await (COMMANDS.get(word) ?? toolFor(word)?.load)?.()
  if (about === undefined) throw unknownCommand(word)
  return { word, about }
}

function overview(topics: readonly Topic[], paint: Paint): string {
  const groups = Object.entries(GROUPS).map(([group, title]) =>
    section(title, rowsOf(topics.filter(({ about }) => about.group === group)), paint),
  )
  return [
    'Timewarp: the time machine of a workspace in which agents and people work together',
    'Usage: timewarp [-C DIR] [--home DIR] [--json] [--no-daemon] COMMAND …',
    ...groups.filter((group) => group !== ''),
    section('Flags of every command', GLOBAL_FLAGS, paint),
    ABOUT_PATHS,
    'More about one command: timewarp help COMMAND',
  ].join('\n\n')
}

const ABOUT_PATHS =
  'Paths that you type start in the current folder, or in that of -C. Paths that are printed start at the root of the workspace.'

const rowsOf = (topics: readonly Topic[]): string[][] => topics.map(({ word, about }) => [word, about.summary])

function detail({ word, about }: Topic, paint: Paint): string {
  const grammar = grammarOf(word, about)
  return [
    about.summary,
    `Usage: ${usageOf(grammar)}`,
    section('Words', wordRows(grammar), paint),
    section('Flags', flagRows(grammar), paint),
    section('Flags of every command', GLOBAL_FLAGS, paint),
    section(
      'Examples',
      (about.verb?.examples ?? []).map((example) => [example]),
      paint,
    ),
    takesPaths(about.input) ? ABOUT_PATHS : '',
    ...('effect' in about ? [`As a tool: timewarp call ${about.name} '{…}'`] : []),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

const wordRows = (grammar: Grammar): string[][] => wordsOf(grammar).map((field) => [wordOf(field), aboutOf(field)])

const flagRows = (grammar: Grammar): string[][] =>
  flagsOf(grammar).map((field) => [spellingOf(field, grammar), aboutOf(field)])

function section(title: string, rows: readonly (readonly string[])[], paint: Paint): string {
  if (rows.length === 0) return ''
  return `${paint.title(`${title}:`)}\n${columns(rows.map(([first, ...others]) => [`  ${first}`, ...others]))}`
}
