import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** How tests wait: for a condition, an event or the end of a process, never for a time, and never by trying again. */

const root = join(import.meta.dirname, '..')
const files = globSync(['src/**/*.test.ts', 'test/**/*.ts'], {
  cwd: root,
  exclude: ['test/{clients,long,package,harness}/**', 'test/waiting.test.ts'],
})
const text = new Map(files.map((name) => [name, readFileSync(join(root, name), 'utf8')]))
const occurrences = (code: string, what: RegExp): number => [...code.matchAll(what)].length

const SLEEPS = /\b(?:setTimeout|sleep|sleepSync|pause|later)\(/g

/** Files in which time passes, how often, and why it cannot be a condition. */
const TIMES: Readonly<Record<string, readonly [count: number, reason: string]>> = {
  'src/client/start.test.ts': [1, 'a daemon that serves late'],
  'src/guards/hooks/edit-end.test.ts': [4, 'nothing may happen meanwhile'],
  'src/guards/hooks/hook-queue.test.ts': [3, 'nothing may happen meanwhile'],
  'test/crash/concurrent-gc.test.ts': [1, 'asks again until a file is there'],
  'test/e2e/skipped.test.ts': [1, 'asks again until a condition holds'],
  'test/guards/grades.test.ts': [1, 'the seconds between two changes are told'],
  'test/hostile/fuzz.ts': [1, 'the longest an answer may take'],
  'test/hostile/matrix.ts': [1, 'the longest an answer may take'],
  'test/http/kit.ts': [1, 'asks again until a condition holds'],
  'test/http/load.test.ts': [5, 'clients that are slow, and answers that are'],
  'test/kit/process.ts': [1, 'a moment nobody chose, at which a process is killed'],
  'test/kit/slow-pin.ts': [2, 'asks again until a file is there; a transaction that takes its time'],
  'test/kit/swapper.ts': [2, 'moments nobody chose'],
  'test/live/edit-ends.test.ts': [5, 'a person who lets an edit wait'],
  'test/live/interrupted.ts': [1, 'a moment nobody chose, at which a command is interrupted'],
  'test/live/kit.ts': [2, 'asks again until a condition holds'],
  'test/live/life-death.test.ts': [1, 'a moment nobody chose, at which a daemon is killed'],
  'test/live/life-end.test.ts': [2, 'a daemon that ends waits for longer than its second of grace'],
  'test/live/life-stop.test.ts': [1, 'moments of a start at which it is stopped'],
  'test/live/watched-over.test.ts': [1, 'a command that waits for a lease shows nothing'],
  'test/mcp/confirm.test.ts': [1, 'a user who reads the question'],
  'test/mcp/patience.test.ts': [2, 'work that takes longer than progress is held back'],
}

test('the reader sees the tests', () => {
  expect(files.length).toBeGreaterThan(200)
})

test('no test is tried again until it passes', () => {
  expect([...text].filter(([, code]) => /\bretry: ?\d/.test(code)).map(([name]) => name)).toEqual([])
})

test('time passes only where a reason is given', () => {
  const found = [...text].map(([name, code]) => [name, occurrences(code, SLEEPS)] as const).filter(([, n]) => n > 0)
  const allowed = Object.entries(TIMES).map(([name, [count]]) => [name, count] as const)
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(allowed))
})

test('no test is skipped for good, and none runs alone', () => {
  expect(
    [...text].filter(([, code]) => /\b(?:test|describe|it)\.(?:only|todo|skip)\(/.test(code)).map(([n]) => n),
  ).toEqual([])
})
