import { join } from 'node:path'
import { between, pick, type Random } from '../../bench/random.ts'
import type { ToolJson } from '../../src/protocol/describe.ts'
import type { Scene } from './scene.ts'

/** Inputs that nobody means well with, made from the schemas of the tools. */

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

const TEXTS = (scene: Scene): readonly string[] => [
  '..',
  '.',
  '',
  '/',
  './.',
  '../..',
  'a/../..',
  'a/../../other/.env',
  'src/../../secret.txt',
  '....//',
  'a//b',
  'a/',
  '/a',
  '/etc/passwd',
  '/proc/self/environ',
  '/dev/null',
  '/dev/zero',
  join(scene.scratch, 'around/secret.txt'),
  join(scene.scratch, 'around/other'),
  scene.home,
  join(scene.home, 'timewarp.db'),
  join(scene.home, 'objects'),
  '.git',
  '.git/config',
  '.git/hooks/pre-commit',
  '.timewarp',
  '.timewarp/state.json',
  '.timewarp/config.json',
  '.TIMEWARP/x',
  '\0',
  'a\0b',
  'a.txt\0',
  'x'.repeat(300),
  'x'.repeat(5000),
  'd/'.repeat(200),
  '\ud800',
  '\udfff.txt',
  '"\\056\\056/x"',
  '"\\000"',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '-',
  '--',
  '--help',
  '-rf',
  '~',
  '~/x',
  '$HOME',
  '`id`',
  '$(id)',
  '\n',
  '\r\n',
  '\x1b[2J',
  '\u202e',
  '*',
  '**',
  '?',
  '[',
  '{a,b}',
  '!a',
  '\\',
  '%2e%2e',
  'C:\\x',
  'null',
  'NaN',
  '0',
  ' ',
  '\t',
  'latest',
  'latest~1',
  'latest~999999',
  'latest~-1',
  's_',
  's_20200101_000000_aaaaaa',
  'i_',
  'session:',
  'actor:x',
  'milestone:',
  'present',
  '{"a":1}',
  "'; DROP TABLE snapshots; --",
  '2h',
  '-1d',
  '9999999999999d',
  '1970-01-01T00:00:00Z',
  'not a time',
  'é',
  '𝕏',
]

/** Fields whose values would turn what is checked here off, or do what they are for, outside. */
const SPARED: Readonly<Record<string, readonly string[]>> = {
  config: ['key', 'value', 'unset', 'home'],
  forget: ['yes', 'confirm'],
  git_rescue: ['yes', 'confirm', 'forget_all', 'restore_refs'],
  uninstall: ['store', 'yes'],
  snapshot: ['source'],
}
/** Tools that would end the play. */
const NEVER: ReadonlySet<string> = new Set(['uninstall', 'prune'])

export function hostileCall(scene: Scene, tools: readonly ToolJson[], random: Random): { tool: string; input: object } {
  const tool = pick(
    random,
    tools.filter(({ name }) => !NEVER.has(name)),
  )
  const { properties = {}, required = [] } = tool.input_schema as Schema
  const input: Record<string, unknown> = {}
  for (const [field, schema] of Object.entries(properties)) {
    if (SPARED[tool.name]?.includes(field)) continue
    if (!required.includes(field) && random() < 0.55) continue
    const value = fieldValue(scene, tool, field, schema, random)
    if (value !== undefined) input[field] = value
  }
  if (random() < 0.03) input[pick(random, ['__proto__', 'constructor', 'no_such_field'])] = 1
  return { tool: tool.name, input }
}

function fieldValue(scene: Scene, tool: ToolJson, field: string, schema: Schema, random: Random): unknown {
  // A workspace elsewhere would be made one, which is what was asked for.
  if (field === 'workspace')
    return pick(random, [scene.root, scene.root, '\0', 'x'.repeat(5000), '/no/such', 'w_20200101_000000_aaaaaa', ''])
  if (field === 'timeout' || field === 'wait_ms') return between(random, 1, 3)
  const reach = tool.reaches[field]
  if (reach === 'runs') return pick(random, ['true', 'false', 'exit 3', 'echo \x1b[2J', ')', '\0', '"'])
  if (reach === 'writes') return folderValue(scene, random)
  return value(scene, schema, random)
}

/** Where a folder may be made, and where it must not. */
const folderValue = (scene: Scene, random: Random): string =>
  pick(random, [
    join(scene.free, `free-${between(random, 0, 1e9)}`),
    scene.home,
    join(scene.home, 'objects'),
    join(scene.home, 'new'),
    join(scene.root, '.timewarp/x'),
    join(scene.root, '.git'),
    join(scene.scratch, 'around/other'),
    join(scene.scratch, 'around/secret.txt'),
    join(scene.scratch, 'around/link'),
    '',
    '\0',
    '/dev/null',
    '/dev/null/x',
    '/proc/x',
    'x'.repeat(5000),
    scene.root,
    '.',
    '..',
  ])

function value(scene: Scene, schema: Schema, random: Random): unknown {
  const either = schema.anyOf ?? schema.oneOf
  if (either) return value(scene, pick(random, either), random)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random() < 0.9 ? pick(random, schema.enum) : 'constructor'
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (random() < 0.03) return pick(random, [null, 7, [], {}, true, '', [[]]])
  if (type === 'string') return pick(random, TEXTS(scene))
  if (type === 'integer' || type === 'number') return pick(random, [-1, 0, 1, 2, 1.5, 1e9, 2 ** 53, -(2 ** 31)])
  if (type === 'boolean') return random() < 0.5
  if (type === 'array')
    return Array.from({ length: between(random, 0, 3) }, () => value(scene, schema.items ?? {}, random))
  if (type !== 'object') return pick(random, ['', {}, [], 'x', 0])
  const entries = Object.entries(schema.properties ?? {}).filter(
    ([key]) => schema.required?.includes(key) || random() < 0.5,
  )
  return Object.fromEntries(entries.map(([key, inner]) => [key, value(scene, inner, random)]))
}
