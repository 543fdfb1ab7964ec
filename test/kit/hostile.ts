import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { CATALOGUE } from '../../src/protocol/catalogue.ts'
import { PATH_FIELDS, type PathTakes } from '../../src/protocol/paths.ts'

/** Paths that lead where no tool may go, and all fields into which they can be put. */

const octal = (text: string): string =>
  `"${[...new TextEncoder().encode(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}"`

/** What lies where in the playground; see `newPlayground`. */
const STEMS = (outside: string): string[] => [
  '..',
  '../..',
  '../../..',
  '../sibling',
  '../sibling/.env',
  '../canary.txt',
  '../home',
  '../workspace',
  'sub/../..',
  'sub/../../sibling/canary.txt',
  '../workspace/../sibling',
  'sub/./../../sibling',
  '.../../..',
  outside,
  `${outside}/sibling`,
  `${outside}/canary.txt`,
  '/',
  '//',
  '/etc/passwd',
  '/proc/self/environ',
  '/dev/null',
  '.',
  './',
  './/',
  './.',
  'sub/..',
  '',
  '.git',
  '.git/config',
  '.GIT/hooks/x',
  'sub/.git/x',
  '.timewarp',
  '.timewarp/state.json',
  '.TimeWarp/x',
  'link-out',
  'link-out/canary.txt',
  'link-out/new',
  'link-file',
  'link-file/x',
  'link-up/sibling/x',
  'link-self/x',
  '\0',
  'a\0b',
  'sub/\0',
  '..\0',
  '\0/../..',
  '\ud800',
  'a\udfff/b',
  '\udcc3\udca9',
  'n'.repeat(256),
  'n'.repeat(5000),
  'w/'.repeat(3000),
  'w/'.repeat(2100),
  `${'é'.repeat(128)}/x`,
  '%2e%2e/x',
  '..%2fx',
  '..\\..\\x',
  '\u2024\u2024/x',
  '.. ',
  ' ..',
  '..\n',
  '\t',
  '\x1b[2J',
  '\u202e',
  '\ufeff..',
  '~',
  '~/x',
  '$HOME/x',
  'C:\\x',
  '\\\\host\\x',
  'file:///etc/passwd',
  '-rf',
  '--',
  '*',
  '**',
  '?',
  '[',
  '!',
  '#',
  'constructor',
  '__proto__',
  '__proto__/x',
  'toString',
  'a/constructor/b',
  '"',
  '""',
  '"..',
  '"\\0"',
  '"\\',
  "'",
]

const WAYS: readonly ((stem: string) => string)[] = [
  (stem) => stem,
  (stem) => `./${stem}`,
  (stem) => `sub/../${stem}`,
  (stem) => `${stem}/`,
  (stem) => `${stem}/..`,
  (stem) => octal(stem.toWellFormed()),
]

/** Each once; more than two hundred. */
export const hostilePaths = (outside: string): string[] => [
  ...new Set(STEMS(outside).flatMap((stem) => WAYS.map((way) => way(stem)))),
]

/** For a file or folder anywhere on the machine: nothing that could be made or written to. */
export const hostileHostPaths = (outside: string): string[] => [
  '',
  '\0',
  `${outside}/a\0b`,
  '\ud800',
  'n'.repeat(5000),
  `${outside}/${'n'.repeat(300)}/x`,
  '/x'.repeat(4000),
  `${outside}/canary.txt`,
  `${outside}/canary.txt/x`,
  `${outside}/home`,
  `${outside}/home/objects`,
  `${outside}/workspace/sub`,
  `${outside}/workspace/.git`,
  `${outside}/workspace/.timewarp`,
  '/dev/null',
  '/dev/null/x',
]

export interface PathField {
  readonly tool: string
  /** Where it stands in the input; a number is the place in a list, an operation one of `apply_edits`. */
  readonly at: readonly (string | number)[]
  readonly takes: PathTakes
  /** What else belongs to it, such as the operation it is a field of. */
  readonly beside: Readonly<Record<string, unknown>>
}

/** Every field of every tool that takes a path, as the specs mark them. */
export async function pathFields(): Promise<PathField[]> {
  const found: PathField[] = []
  for (const { tool, load } of CATALOGUE)
    for (const field of fieldsIn((await load()).input, [])) found.push({ tool, ...field })
  return found
}

type Found = Omit<PathField, 'tool'>

function fieldsIn(schema: z.ZodType, at: readonly (string | number)[]): Found[] {
  const marked = PATH_FIELDS.get(schema)
  if (marked) return [{ at, takes: marked.takes, beside: {} }]
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return fieldsIn(schema.unwrap() as z.ZodType, at)
  if (schema instanceof z.ZodArray) return fieldsIn(schema.element as z.ZodType, [...at, 0])
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([key, inner]) =>
      fieldsIn(inner, [...at, key]),
    )
  if (schema instanceof z.ZodDiscriminatedUnion)
    return (schema.options as z.ZodObject[]).flatMap((option) => {
      const kind = (option.shape[schema.def.discriminator] as unknown as z.ZodLiteral<string>).value
      const rest = plainFields(option)
      return fieldsIn(option, at).map((one) => ({ ...one, beside: { [schema.def.discriminator]: kind, ...rest } }))
    })
  return []
}

/** A value for each required field, by its name; a required field without one is a mistake in here. */
const VALUES: Readonly<Record<string, unknown>> = {
  snapshot_id: 'latest',
  from: 'a',
  to: 'b',
  path: 'a',
  content: 'x\n',
  search_block: 'one',
  replace_block: 'two',
  start_line: 1,
  end_line: 1,
  command: 'true',
  event: 'call_start',
  client: 'tests',
  kind: 'edit',
  tool: 'Edit',
  session_id: 's',
  phase: 'pre',
  dir: '',
  pattern: 'a',
  git: 'branch',
  title: 't',
  milestone_id: 'm_1',
  text: 't',
  issue_id: 'i_1',
  symptom: 's',
  task_context: 't',
  success_criteria: 'c',
  status: 'fixed',
  result: 'r',
  label: 'l',
  changes: 'c',
  validation: 'v',
  conclusion: 'c',
  edits: [],
  messages: [],
  op: 'delete',
  call_id: 'c',
  timeout: 1,
}

const plainFields = (schema: z.ZodObject): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([key, inner]) =>
      inner instanceof z.ZodOptional || inner instanceof z.ZodDefault ? [] : [[key, VALUES[key]]],
    ),
  )

/** An input for a tool with a path in one of its fields, and all else as it would be in a good call. */
export async function inputWith({ tool, at, beside }: PathField, path: string): Promise<Record<string, unknown>> {
  const spec = await CATALOGUE.find((entry) => entry.tool === tool)?.load()
  if (spec === undefined) throw new Error(tool)
  const input: Record<string, unknown> = { ...plainFields(spec.input), ...FIXED[tool] }
  const [field = '', ...rest] = at
  input[String(field)] = nested(rest, beside, path)
  return input
}

/** Where a tool would do more than the test can look at. */
const FIXED: Readonly<Record<string, object>> = {
  forget: { dry_run: true },
  diff: { from: 'latest' },
  timewarp_experiment_run: { command: 'true' },
}

function nested(at: readonly (string | number)[], beside: object, path: string): unknown {
  const [next, ...rest] = at
  if (next === undefined) return path
  return typeof next === 'number' ? [nested(rest, beside, path)] : { ...beside, [next]: nested(rest, beside, path) }
}

/** What lies beside the workspace and must stay as it is; its contents are nowhere else. */
export function newPlayground(temp: string, root: string): Playground {
  const canaries = ['canary', 'env', 'sibling'].map((name) => Buffer.from(`${name} ${temp}\n`))
  fs.mkdirSync(join(temp, 'sibling'))
  fs.writeFileSync(join(temp, 'canary.txt'), canaries[0] as Buffer)
  fs.writeFileSync(join(temp, 'sibling/.env'), canaries[1] as Buffer)
  fs.writeFileSync(join(temp, 'sibling/canary.txt'), canaries[2] as Buffer)
  fs.mkdirSync(join(root, '.git'))
  fs.writeFileSync(join(root, '.git/config'), '')
  fs.symlinkSync('../sibling', join(root, 'link-out'))
  fs.symlinkSync('../canary.txt', join(root, 'link-file'))
  fs.symlinkSync('..', join(root, 'link-up'))
  fs.symlinkSync('link-self', join(root, 'link-self'))
  const inside = new Set(['workspace', 'home', 'user'])
  const beside = (): string => hashOf(temp, (name) => !inside.has(name))
  return { canaries, beside, outside: () => beside() + hashOf(join(root, '.git'), () => true) }
}

interface Playground {
  readonly canaries: readonly Buffer[]
  /** What lies beside the workspace. */
  readonly beside: () => string
  /** The same, and git's own folder. */
  readonly outside: () => string
}

function hashOf(dir: string, wanted: (name: string) => boolean): string {
  const hash = createHash('sha256')
  const walk = (at: string): void => {
    const stat = fs.lstatSync(at, { bigint: true })
    hash.update(`${at} ${stat.mode} ${stat.size} ${stat.isFile() ? stat.mtimeNs : ''}\n`)
    if (stat.isFile()) hash.update(fs.readFileSync(at))
    if (stat.isSymbolicLink()) hash.update(fs.readlinkSync(at))
    if (stat.isDirectory()) for (const name of fs.readdirSync(at).sort()) walk(join(at, name))
  }
  for (const name of fs.readdirSync(dir).sort()) if (wanted(name)) walk(join(dir, name))
  return hash.digest('hex')
}
