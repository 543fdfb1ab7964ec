import { expect } from 'vitest'
import { z } from 'zod'
import { CATALOGUE } from '../../src/protocol/catalogue.ts'
import { PATH_FIELDS } from '../../src/protocol/paths.ts'
import { hostileHostPaths, hostilePaths, newPlayground } from '../kit/hostile.ts'
import { newLive } from '../live/kit.ts'

/** Calls made up from the schemas, with hostile values in every field: whatever is asked, the answer is no bug. */

/** Numbers from 0 on, the same for the same seed (mulberry32). */
export function chance(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const STRINGS: readonly string[] = [
  '',
  ' ',
  'a',
  'latest',
  'latest~1',
  'latest~99999999999',
  '@',
  's_',
  'm_',
  'i_',
  'session:x',
  'actor:',
  'prompt:\0',
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  'true',
  '0',
  '-1',
  '1e999',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff',
  '\ufeff',
  '\u202e',
  '\x1b[31m',
  'é'.repeat(3000),
  'x'.repeat(100_000),
  '\n'.repeat(2000),
  "'; DROP TABLE snapshots; --",
  '%',
  '_',
  '*',
  '[',
  '**/*',
  '\\',
  '"',
  '$(true)',
  '`true`',
  '${x}',
  '{{x}}',
  '%s%n',
  '2026-13-45',
  '9999999d',
  '-5h',
  '1970-01-01',
  '../../x',
  '/dev/null',
  'w_x',
  'file:///etc/passwd',
  '{}',
  '[]',
  'diff --git a/x b/x\n',
  '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n',
  '@@ -1,999999999 +1 @@\n',
  'AAAA',
  '!!!',
]
const NUMBERS: readonly unknown[] = [0, 1, -1, 2, 100, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, 0.5, '1', null]
const ANYTHING: readonly unknown[] = [
  null,
  true,
  [],
  {},
  [[]],
  { a: { b: {} } },
  'text',
  7,
  ['a', 1, null],
  { __proto__: 1 },
]

export class Maker {
  readonly #next: () => number
  readonly #temp: string

  constructor(seed: number, temp: string) {
    this.#next = chance(seed)
    this.#temp = temp
  }

  pick<T>(all: readonly T[]): T {
    return all[Math.floor(this.#next() * all.length)] as T
  }

  /** An input for a tool: mostly of the right shape. */
  input(schema: z.ZodObject): Record<string, unknown> {
    const input: Record<string, unknown> = {}
    for (const [key, field] of Object.entries(schema.shape as Record<string, z.ZodType>)) {
      const isOptional = field instanceof z.ZodOptional || field instanceof z.ZodDefault
      if (this.#next() < (isOptional ? 0.6 : 0.03)) continue
      input[key] = this.#next() < 0.05 ? this.pick(ANYTHING) : this.value(field)
    }
    if (this.#next() < 0.03) input[this.pick(['constructor', 'x', '__proto__', 'dryRun'])] = this.pick(ANYTHING)
    return input
  }

  value(schema: z.ZodType): unknown {
    const takes = PATH_FIELDS.get(schema)?.takes
    if (takes === 'host') return this.pick(hostileHostPaths(this.#temp))
    if (takes !== undefined)
      return this.#next() < 0.5 ? this.pick(['a', 'sub', 'sub/b', 'new/x']) : this.pick(hostilePaths(this.#temp))
    if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
      return this.value(schema.unwrap() as z.ZodType)
    if (schema instanceof z.ZodBoolean) return this.#next() < 0.5
    if (schema instanceof z.ZodNumber) return this.pick(NUMBERS)
    if (schema instanceof z.ZodEnum) return this.pick([...schema.options, 'constructor'])
    if (schema instanceof z.ZodLiteral) return schema.value
    if (schema instanceof z.ZodArray)
      return Array.from({ length: Math.floor(this.#next() * 4) }, () => this.value(schema.element as z.ZodType))
    if (schema instanceof z.ZodObject) return this.input(schema)
    if (schema instanceof z.ZodUnion) return this.value(this.pick(schema.options) as z.ZodType)
    return schema instanceof z.ZodUnknown || schema instanceof z.ZodAny ? this.pick(ANYTHING) : this.pick(STRINGS)
  }
}

/** Tools that end the store, run a command, or take long each time: called less often, and so that they do no harm. */
const RARE: Readonly<Record<string, number>> = {
  gc: 0.1,
  fsck: 0.1,
  prune: 0.1,
  git_keep: 0.1,
  git_rescue: 0.2,
  forget: 0.2,
  mirror: 0.2,
}
const FIXED: Readonly<Record<string, object>> = {
  timewarp_experiment_run: { command: 'true', timeout: 5, allow: true },
  uninstall: { store: false },
}
const MOST_MS = 60_000

/** Returns how many calls were made. */
export async function fuzz(seed: number, calls: number, over: 'library' | 'http'): Promise<number> {
  const live = newLive({ a: 'one\n', 'sub/b': 'two\n' })
  const { temp } = live.workspace
  const { beside } = newPlayground(temp, live.root)
  const before = beside()
  const make = new Maker(seed, temp)
  if (over === 'http') await live.serve()
  const ask = async (tool: string, input: object): Promise<string> => {
    if (over === 'http') {
      const { status, json } = await live.ask(`/v1/call/${tool}`, { body: { workspace: live.root, ...input } })
      return status === 200 ? 'done' : String(json?.error?.code)
    }
    return live.workspace.call(tool as never, input as never).then(
      () => 'done',
      (error: { code?: string; data?: unknown; stack?: string }) =>
        `${error.code} ${error.code === 'INTERNAL' || !error.code ? error.stack : ''}`,
    )
  }
  await ask('workspace_init', {})
  let made = 0
  while (made < calls) {
    const entry = make.pick(CATALOGUE)
    if (make.pick(NUMBERS_0_TO_1) > (RARE[entry.tool] ?? 1)) continue
    const input = { ...make.input((await entry.load()).input), ...FIXED[entry.tool] }
    made++
    const what = `seed ${seed}, call ${made}: ${entry.tool} ${JSON.stringify(input).slice(0, 500)}`
    const started = performance.now()
    const code = await late(ask(entry.tool, input), what)
    expect(code, what).not.toMatch(/^(INTERNAL|undefined|TypeError|RangeError)\b/)
    expect(performance.now() - started, what).toBeLessThan(MOST_MS)
    if (made % 200 === 0) expect(beside(), what).toBe(before)
  }
  expect(beside()).toBe(before)
  return made
}

const NUMBERS_0_TO_1 = Array.from({ length: 100 }, (_, i) => i / 100)

async function late(work: Promise<string>, what: string): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<string>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer: ${what}`)), MOST_MS)
  })
  return Promise.race([work, over]).finally(() => clearTimeout(timer))
}
