import { expect, test } from 'vitest'
import { DEFAULT_EXCLUDES, matchingDefaults, Rules } from './rules.ts'

const rules = (own: string[], tracked: string[] = []) => new Rules({ defaults: DEFAULT_EXCLUDES, own, tracked })

test('defaults leave out what can be made again, wherever it stands', () => {
  const { excludes } = { excludes: (path: string, folder = false) => rules([]).excludes(path, folder) }
  expect(excludes('node_modules', true)).toBe(true)
  expect(excludes('packages/a/dist', true)).toBe(true)
  expect(excludes('debug.log')).toBe(true)
  expect(excludes('dist')).toBe(false)
  expect(excludes('.env')).toBe(false)
})

test('.git and .timewarp are out whatever the rules say', () => {
  expect(rules(['!.git', '!.timewarp']).excludes('sub/.git', true)).toBe(true)
  expect(rules(['!.git', '!.timewarp']).excludes('.timewarp', true)).toBe(true)
})

test('own patterns follow the defaults and may take them back', () => {
  expect(rules(['!build/']).excludes('build', true)).toBe(false)
  expect(rules(['secret/*.key']).excludes('secret/a.key', false)).toBe(true)
  expect(rules(['secret/*.key']).excludes('other/a.key', false)).toBe(false)
})

test('what git tracks is in despite a default, but not despite an own pattern', () => {
  const tracked = ['dist/a.js']
  expect(rules([], tracked).excludes('dist', true)).toBe(false)
  expect(rules([], tracked).excludes('dist/a.js', false)).toBe(false)
  expect(rules(['docs/x'], tracked).excludes('dist/b.js', false)).toBe(true)
  expect(rules(['dist/'], tracked).excludes('dist', true)).toBe(true)
})

test('tracked files are found by the defaults they match', () => {
  expect(matchingDefaults(['src/a.ts', 'dist/a.js', 'a/build/b', 'x.log', 'distance/c'])).toEqual([
    'dist/a.js',
    'a/build/b',
    'x.log',
  ])
})
