import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { FAULTS, type FaultCode, KINDS } from '../src/base/fault.ts'
import { allTopics, GROUPS, type Topic } from '../src/cli/output/help.ts'
import { GLOBAL_FLAGS } from '../src/cli/parse/globals.ts'
import { grammarOf } from '../src/cli/parse/grammar.ts'
import { aboutOf, flagsOf, spellingOf, usageOf, wordOf, wordsOf } from '../src/cli/parse/usage.ts'
import { findTool } from '../src/protocol/catalogue.ts'
import { reachesOf } from '../src/protocol/consent.ts'
import { COMMON_FAULTS, type Reach, type Spec } from '../src/protocol/spec.ts'
import { configFileSchema, configSchema } from '../src/schema/config.ts'
import { WEAKENS } from '../src/schema/config-trust.ts'
import { skillFile } from '../src/travel/issues/protocol-text.ts'
import { ISSUE, isWayBack, TRAVEL } from '../src/travel/journeys/machine.ts'

/**
 * Writes docs/reference from the catalogue, the table of faults and the settings.
 * With --check it writes nothing and exits 1 when the committed files differ.
 */

const ROOT = resolve(import.meta.dirname, '..')
const NOTE = '<!-- Made by `npm run docs`. Do not edit. -->'

/** Every file of the reference: its path in the repository and its text. The same input gives the same bytes. */
export async function reference(): Promise<Record<string, string>> {
  return {
    'docs/reference/commands.md': commandsPage(await allTopics()),
    'docs/reference/faults.md': faultsPage(),
    'docs/reference/machines.md': machinesPage(),
    'docs/reference/config.md': configPage(),
    'docs/reference/config.schema.json': `${JSON.stringify(jsonSchema(), undefined, 2)}\n`,
    'skills/timewarp/SKILL.md': skillFile(),
  }
}

/** The files whose committed text is not what `reference` gives. */
export const stale = (files: Record<string, string>): string[] =>
  Object.entries(files).flatMap(([path, text]) => (committed(path) === text ? [] : [path]))

function committed(path: string): string | undefined {
  try {
    return readFileSync(join(ROOT, path), 'utf8')
  } catch {
    return undefined
  }
}

const page = (...parts: string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`
const code = (text: string): string => `\`${text}\``
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
const block = (text: string, language = ''): string => `\`\`\`${language}\n${text}\n\`\`\``

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  return [row(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(row)].join('\n')
}

// State machines

function machinesPage(): string {
  const issues = moves(ISSUE).map(([from, , to]) => [from, to, isWayBack(from, to) ? 'yes' : ''])
  return page(
    '# State machines',
    NOTE,
    '## Friction issues',
    table(['from', 'to', 'needs a reason'], issues),
    '## Journeys in place',
    'While `departing` and `returning` a journal is open; a crash is carried on by the next command. `mode` is `past` in the first three.',
    table(['from', 'event', 'to'], moves(TRAVEL)),
  )
}

const moves = <S extends string>(machine: Readonly<Record<S, Readonly<Record<string, S>>>>): [S, string, S][] =>
  (Object.keys(machine) as S[]).flatMap((from) =>
    Object.entries<S>(machine[from]).map(([event, to]): [S, string, S] => [from, event, to]),
  )

// Commands

function commandsPage(topics: readonly Topic[]): string {
  return page(
    '# Commands and tools',
    NOTE,
    block('timewarp [-C DIR] [--home DIR] [--json] [--no-daemon] COMMAND …'),
    'Every command but those of the first and the last group is a tool: `timewarp call NAME JSON` calls it with the fields below, and its output is what `--json` prints.',
    '## Flags of every command',
    'They stand before the command or behind it. Where a command has a flag of the same name (`config --home`), that one counts behind it.',
    table(
      ['Flag', 'Meaning'],
      GLOBAL_FLAGS.map(([flag, about]) => [code(flag), about]),
    ),
    '## Environment',
    table(
      ['Variable', 'Meaning'],
      ENVIRONMENT.map(([name, about]) => [code(name), about]),
    ),
    '## Exit codes',
    table(
      ['Exit', 'Kind'],
      [['0', 'done'], ...Object.entries(KINDS).map(([kind, { exit }]) => [String(exit), kind]), ['130', 'interrupted']],
    ),
    ...Object.entries(GROUPS).flatMap(([group, title]) => [
      `## ${title}`,
      ...topics.filter(({ about }) => about.group === group).map(topicSection),
    ]),
    '## Faults that every tool may raise',
    COMMON_FAULTS.map(faultLink).join(', '),
  )
}

const ENVIRONMENT = [
  ['TIMEWARP_HOME', 'Where the store is; default `~/.timewarp`'],
  ['TIMEWARP_DAEMON', '`off` does the work in the process itself'],
  ['NO_COLOR', 'No colours, even on a terminal'],
  ['FORCE_COLOR', 'Colours, even in a pipe; `0` for none'],
] as const

function topicSection({ word, about }: Topic): string {
  const grammar = grammarOf(word, about)
  const rows = [
    ...wordsOf(grammar).map((field) => [code(wordOf(field)), code(field.name), aboutOf(field)]),
    ...flagsOf(grammar).map((field) => [code(spellingOf(field, grammar)), code(field.name), aboutOf(field)]),
  ]
  return [
    `### ${word}`,
    `${about.summary}.`,
    block(usageOf(grammar)),
    table(['Word or flag', 'Field', 'Meaning'], rows),
    'effect' in about ? toolPart(about) : '',
    about.verb?.examples ? block(about.verb.examples.join('\n'), 'sh') : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function toolPart(spec: Spec): string {
  const aliases = (findTool(spec.name)?.aliases ?? []).map(code).join(', ')
  const faults = spec.faults.map(faultLink).join(', ')
  return [
    `Tool ${code(spec.name)}${aliases ? ` (also ${aliases})` : ''}, effect: ${spec.effect}.${reachText(spec)}${faults ? ` Faults: ${faults}` : ''}`,
    table(['Output', 'Type', 'Meaning'], outputRows('', z.toJSONSchema(spec.output, { io: 'output' }) as Schema)),
  ].join('\n\n')
}

const REACHES: Readonly<Record<Reach, string>> = { reads: 'read from', writes: 'written to', runs: 'run' }

function reachText(spec: Spec): string {
  const fields = reachesOf(spec).map(([field, reach]) => `${code(field)} (${REACHES[reach]})`)
  return fields.length > 0 ? ` Leads beyond the workspace: ${fields.join(', ')}.` : ''
}

const faultLink = (fault: FaultCode): string => `[${fault}](faults.md#${fault.toLowerCase()})`

// JSON Schema

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Record<string, Schema>
  readonly required?: readonly string[]
  readonly default?: unknown
  readonly description?: string
}

/** A row per field; those of nested objects follow, named with dots and []. */
function outputRows(prefix: string, schema: Schema): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const mark = schema.required?.includes(name) ? '' : '?'
    const inner = innerOf(field)
    const below = outputRows(`${prefix}${name}${inner.list ? '[]' : ''}.`, inner.schema)
    return [[code(`${prefix}${name}${mark}`), typeOf(field), field.description ?? ''], ...below]
  })
}

function innerOf(field: Schema): { schema: Schema; list: boolean } {
  const bare = field.anyOf?.find((choice) => choice.type !== 'null') ?? field
  return bare.items === undefined ? { schema: bare, list: false } : { schema: bare.items, list: true }
}

function typeOf(schema: Schema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ')
  if (schema.type === 'array') return `list of ${plural(typeOf(schema.items ?? {}))}`
  return [schema.type ?? 'any'].flat().join(' or ')
}

const plural = (type: string): string => (/^(string|number|integer|object|boolean)$/.test(type) ? `${type}s` : type)

// Faults

/** Stands for a text, a number or a list of a fault's data: shows its own name in capitals, and N for how many. */
class Placeholder {
  readonly #name: string
  readonly length = 'N'
  constructor(name: string) {
    this.#name = name.toUpperCase()
  }
  toString(): string {
    return this.#name
  }
  slice(): string[] {
    return [this.#name]
  }
  join(): string {
    return this.#name
  }
}
const placeholders = new Proxy({}, { get: (_, key) => new Placeholder(String(key)) })

function faultsPage(): string {
  return page(
    '# Faults',
    NOTE,
    'Every failure has a code that never changes, a sentence and, where possible, the next command. With `--json` it is `{"error": {"code", "message", "hint", "data"}}`. Capitals stand for the data of the case.',
    table(
      ['Kind', 'Exit', 'HTTP', 'Worth repeating'],
      Object.entries(KINDS).map(([kind, { exit, http, retry }]) => [
        kind,
        String(exit),
        String(http),
        retry ? 'yes' : 'no',
      ]),
    ),
    ...(Object.keys(FAULTS) as FaultCode[]).map(faultSection),
  )
}

function faultSection(fault: FaultCode): string {
  const { kind, message, hint } = FAULTS[fault] as { kind: keyof typeof KINDS; message: Say; hint?: Say }
  const data = placeholders as never
  const said = [`Error: ${message(data)}`, ...(hint ? [`Hint: ${hint(data)}`] : [])]
  return `## ${fault}\n\n${kind}, exit ${KINDS[kind].exit}\n\n${block(said.join('\n'))}`
}
type Say = (data: never) => string

// Settings

const jsonSchema = () => z.toJSONSchema(configFileSchema(), { io: 'input' })

function configPage(): string {
  return page(
    '# Settings',
    NOTE,
    'Settings are read from `$TIMEWARP_HOME/config.json` and over it from `.timewarp/config.json` of the workspace; both are JSON and may hold any part of the whole. Lists of excludes add up, everything else is replaced. A setting of the workspace that weakens protection (the last column) counts only after `timewarp trust`, see [privacy and trust](../privacy.md#trust). [config.schema.json](config.schema.json) is the JSON Schema; `timewarp config` shows what is in force and sets a value.',
    table(
      ['Key', 'Type', 'Default', 'Meaning', 'Weakens when'],
      settingRows('', z.toJSONSchema(configSchema(), { io: 'input' }) as Schema),
    ),
  )
}

function settingRows(prefix: string, schema: Schema): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    if (field.properties !== undefined) return settingRows(`${prefix}${name}.`, field)
    const key = prefix + name
    const { when } = WEAKENS[key as keyof typeof WEAKENS]
    return [[code(key), typeOf(field), code(JSON.stringify(field.default)), field.description ?? '', when]]
  })
}

// The script

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true })
    writeFileSync(join(ROOT, path), text)
  }
}

function check(files: Record<string, string>): void {
  const wrong = stale(files)
  if (wrong.length === 0) return
  console.error(`${wrong.join(', ')}: not what the code says. Run: npm run docs`)
  process.exitCode = 1
}

if (import.meta.main) {
  const files = await reference()
  if (process.argv.includes('--check')) check(files)
  else write(files)
}
