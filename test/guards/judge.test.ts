import { expect, test } from 'vitest'
import { judge } from '../../src/privacy/judge.ts'
import { COMMANDS as FIRST } from './commands.ts'
import { HELD_OUT } from './commands-held-out.ts'
import { CHANGING, HARMLESS } from './commands-more.ts'
import { ROWS_CHANGING, ROWS_HARMLESS } from './commands-rows.ts'
import { TRICKY } from './commands-tricky.ts'

const COMMANDS = [...FIRST, ...HELD_OUT]

const context = { cwd: '/home/ann/shop', workspace: '/home/ann/shop', home: '/home/ann' }
const dangerous = COMMANDS.filter(({ modifies }) => modifies)
const harmless = COMMANDS.filter(({ modifies }) => !modifies)

test('the corpus is large and says each thing once', () => {
  expect(COMMANDS.length).toBeGreaterThanOrEqual(400)
  expect(new Set(COMMANDS.map(({ command }) => command)).size).toBe(COMMANDS.length)
})

test('no dangerous command is missed', () => {
  expect(dangerous.filter(({ command }) => !judge(command, context).modifies).map((s) => s.command)).toEqual([])
})

test('at most one in twenty of the harmless is captured', () => {
  const captured = harmless.filter(({ command }) => judge(command, context).modifies)
  expect(captured.length).toBeLessThanOrEqual(harmless.length / 20)
})

test('of others it is right as well', () => {
  expect([...CHANGING, ...TRICKY].filter((command) => !judge(command, context).modifies)).toEqual([])
  expect(HARMLESS.filter((command) => judge(command, context).modifies).length).toBeLessThanOrEqual(
    HARMLESS.length / 20,
  )
})

test('of the sub-commands and outputs of many tools it is right', () => {
  expect(ROWS_CHANGING.filter((command) => !judge(command, context).modifies)).toEqual([])
  expect(ROWS_HARMLESS.filter((command) => judge(command, context).modifies)).toEqual([])
})

test.each(COMMANDS.map((sample) => [sample.command, sample] as const))('%s', (command, sample) => {
  const { paths, git_dir, rewrites_refs } = judge(command, context)
  const sorted = (list: readonly string[] | null | undefined) => list && [...list].sort()
  expect({
    git_dir,
    ...(sample.paths === undefined ? {} : { paths: sorted(paths) }),
    ...(sample.rewrites_refs === undefined ? {} : { rewrites_refs }),
  }).toEqual({
    git_dir: sample.git_dir,
    ...(sample.paths === undefined ? {} : { paths: sorted(sample.paths) }),
    ...(sample.rewrites_refs === undefined ? {} : { rewrites_refs: sample.rewrites_refs }),
  })
})
