import { expect, test } from 'vitest'
import { recordedPath as rel } from '../../schema/path.ts'
import type { TreeDifference } from '../../store/compare-trees.ts'
import { type Entry, KIND } from '../../store/tree.ts'
import { deletedPaths, planRestore, restoredPaths } from './restore-plan.ts'

const entry = (kind: Entry['kind'], mode: number, hash = 1, mtime = 1): Entry => ({
  name: '',
  kind,
  mode,
  size: 1,
  mtime,
  hash: new Uint8Array(32).fill(hash),
})
const file = (hash = 1, mtime = 1): Entry => entry(KIND.file, 0o644, hash, mtime)
const folder = (mode = 0o755): Entry => entry(KIND.directory, mode)
const differs = (path: string, old: Entry | undefined, next: Entry | undefined): TreeDifference => ({
  path: rel(path),
  old,
  new: next,
})
const plan = (differences: TreeDifference[], over: Partial<Parameters<typeof planRestore>[0]> = {}) =>
  planRestore({
    differences,
    barrier: () => undefined,
    presentFolder: () => folder(),
    targetFolder: () => folder(),
    holdsOther: () => false,
    within: [],
    ...over,
  })

test('a file that became a folder makes way for it, and the reverse', () => {
  const made = plan([
    differs('a', file(), folder()),
    differs('a/x', undefined, file(2)),
    differs('b', folder(), file(3)),
    differs('b/y', file(4), undefined),
  ])
  expect(made).toMatchObject({ remove: ['a', 'b/y'], removeFolders: ['b'], makeFolders: ['a'] })
  expect(made.write.map(({ path, replaces }) => [path, replaces])).toEqual([
    ['a/x', false],
    ['b', false],
  ])
  expect(deletedPaths(made)).toEqual(['b/y'])
  expect(restoredPaths(made)).toEqual(['a', 'a/x', 'b'])
})

test('a file with the right content only gets its mode and time', () => {
  const made = plan([differs('a', file(1, 1), file(1, 2))])
  expect([made.write, made.touch.map(({ path }) => path)]).toEqual([[], ['a']])
})

test('what lies below a path that must be left alone is left alone, too', () => {
  const made = plan(
    [differs('a', folder(), undefined), differs('a/x', file(), undefined), differs('b', file(), undefined)],
    {
      barrier: ({ path }) => (path === 'a' ? 'it is excluded' : undefined),
    },
  )
  expect(made).toMatchObject({ remove: ['b'], removeFolders: [], skipped: [{ path: 'a', reason: 'it is excluded' }] })
})

test('read-only folders are opened for the work and closed again, the deepest first', () => {
  const made = plan([differs('a/b/x', file(1), file(2))], {
    presentFolder: () => folder(0o555),
    targetFolder: () => folder(0o555),
  })
  expect(made.unlock).toEqual([{ path: 'a/b', mode: 0o755 }])
  expect(made.settle.map(({ path, entry: { mode } }) => [path, mode])).toEqual([['a/b', 0o555]])
})

test('folders outside the wanted paths keep their own time', () => {
  expect(plan([differs('a/x', file(1), file(2))], { within: [rel('a/x')] }).settle).toEqual([])
  expect(plan([differs('a/x', file(1), file(2))], { within: [rel('a')] }).settle.map(({ path }) => path)).toEqual(['a'])
})
