import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { Fault } from './fault.ts'
import { shellWord } from './shell-word.ts'

test('plain paths stay as they are', () => {
  for (const path of ['src/a.ts', './b_c-d@1.2', 'x=1,y:2%+']) expect(shellWord(path)).toBe(path)
})

test.for([
  "it's $(id)",
  'a b',
  '`id`',
  '',
  '*',
  '"q"',
  "'",
  "''",
  '~',
  '$HOME',
  'a;b&c|d',
  'é',
  'a\nb',
  '\\',
  '#x',
  '!x',
])('a shell reads %j as one word', (text) => {
  const { stdout } = spawnSync('sh', ['-c', `printf %s ${shellWord(text)}`])
  expect(stdout.toString()).toBe(text)
})

test('a path in a hint is one word of its command', () => {
  const path = "it's $(id)"
  const word = `'it'\\''s $(id)'`
  expect(new Fault('PATH_NOT_FOUND', { path, snapshot_id: 's_1' }).hint).toContain(`timewarp history ${word}`)
  expect(new Fault('PATH_NOT_FOUND', { path: 'x', snapshot_id: 's_1', typed: path }).hint).toContain(word)
  expect(new Fault('NOTHING_TO_FORGET', { pattern: 'x', nearest: path, git_keeps: 0 }).hint).toContain(`forget ${word}`)
  expect(new Fault('WORKSPACE_UNKNOWN', { root: path }).hint).toContain(`-C ${word} init`)
})
