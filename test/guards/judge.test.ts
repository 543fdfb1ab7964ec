import { expect, test } from 'vitest'
import { isHarmless, judge } from '../../src/shell/judge.ts'
import { COMMANDS as FIRST } from './commands.ts'
import { CAPTURED } from './commands-captured.ts'
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

test('no harmless command is captured but for those of programs that no table knows', () => {
  const all = [...harmless.map(({ command }) => command), ...HARMLESS]
  expect(all.filter((command) => judge(command, context).modifies).sort()).toEqual([...CAPTURED].sort())
})

test('no other dangerous command is missed', () => {
  expect([...CHANGING, ...TRICKY].filter((command) => !judge(command, context).modifies)).toEqual([])
})

test('of the sub-commands and outputs of many tools it is right', () => {
  expect(ROWS_CHANGING.filter((command) => !judge(command, context).modifies)).toEqual([])
  expect(ROWS_HARMLESS.filter((command) => judge(command, context).modifies)).toEqual([])
})

test('what changes nothing at all is known as such, and nothing else is, wherever it writes', () => {
  const isFree = (command: string): boolean => isHarmless(command, context)
  const { length } = harmless.filter(({ command }) => isFree(command))
  expect(length).toBeGreaterThan(harmless.length * 0.7)
  const all = [...COMMANDS.map(({ command }) => command), ...CHANGING, ...HARMLESS, ...TRICKY]
  for (const command of [...all, ...ROWS_CHANGING, ...ROWS_HARMLESS].filter(isFree))
    expect(judge(command, context), command).toMatchObject({
      modifies: false,
      git_dir: false,
      rewrites_refs: false,
      deletes_store: false,
    })
  for (const command of [
    'touch /elsewhere/x',
    'git commit -m x',
    'git reset --soft HEAD~1',
    'rm -rf ~/.timewarp',
    '((',
  ])
    expect(isFree(command), command).toBe(false)
})

const known = COMMANDS.filter(({ command }) => !CAPTURED.includes(command))

test.each(known.map((sample) => [sample.command, sample] as const))('%s', (command, sample) => {
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
