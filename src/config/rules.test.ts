import { expect, test } from 'vitest'
import { recordedPath as rel } from '../schema/path.ts'
import { DEFAULT_EXCLUDES, matchingDefaults, Rules } from './rules.ts'

const rules = (own: string[], tracked: string[] = []) =>
  new Rules({ defaults: DEFAULT_EXCLUDES, own, tracked: tracked.map(rel) })

test('defaults leave out what can be made again, wherever it stands', () => {
  const { excludes } = { excludes: (path: string, folder = false) => rules([]).excludes(rel(path), folder) }
  expect(excludes('node_modules', true)).toBe(true)
  expect(excludes('packages/a/dist', true)).toBe(true)
  expect(excludes('debug.log')).toBe(true)
  expect(excludes('dist')).toBe(false)
  expect(excludes('.env')).toBe(false)
})

test('.git and .timewarp are out whatever the rules say', () => {
  expect(rules(['!.git', '!.timewarp']).excludes(rel('sub/.git'), true)).toBe(true)
  expect(rules(['!.git', '!.timewarp']).excludes(rel('.timewarp'), true)).toBe(true)
})

test('own patterns follow the defaults and may take them back', () => {
  expect(rules(['!build/']).excludes(rel('build'), true)).toBe(false)
  expect(rules(['secret/*.key']).excludes(rel('secret/a.key'), false)).toBe(true)
  expect(rules(['secret/*.key']).excludes(rel('other/a.key'), false)).toBe(false)
})

test('what git tracks is in despite a default, but not despite an own pattern', () => {
  const tracked = ['dist/a.js']
  expect(rules([], tracked).excludes(rel('dist'), true)).toBe(false)
  expect(rules([], tracked).excludes(rel('dist/a.js'), false)).toBe(false)
  expect(rules(['docs/x'], tracked).excludes(rel('dist/b.js'), false)).toBe(true)
  expect(rules(['dist/'], tracked).excludes(rel('dist'), true)).toBe(true)
})

test('tracked files are found by the defaults they match', () => {
  expect(
    matchingDefaults([rel('src/a.ts'), rel('dist/a.js'), rel('a/build/b'), rel('x.log'), rel('distance/c')]),
  ).toEqual(['dist/a.js', 'a/build/b', 'x.log'])
})
