import { expect, test } from 'vitest'
import { hostilePaths, inputWith, pathFields } from '../kit/hostile.ts'
import { runMatrix, runTyped, SURFACES } from './matrix.ts'

test('there are two hundred hostile paths, and many fields for them', async () => {
  expect(hostilePaths('/tmp/x').length).toBeGreaterThan(200)
  const fields = await pathFields()
  expect(fields.filter(({ takes }) => takes === 'inside').length).toBeGreaterThan(20)
  expect(new Set(fields.map(({ takes }) => takes))).toEqual(new Set(['inside', 'glob', 'host', 'reported']))
  for (const field of fields) expect(Object.values(await inputWith(field, 'x')), field.tool).not.toContain(undefined)
})

// The whole of it is in test/long.
test.each(SURFACES)('hostile paths in every field of every tool, by %s', async (surface) => {
  const share = surface === 'library' ? 0.03 : 0.01
  expect(await runMatrix(surface, share)).toBeGreaterThan(5000 * share)
})

test.each([true, false])('twenty hostile paths on the command line, with a daemon: %s', async (daemon) => {
  expect(await runTyped(daemon, 20, 1)).toBeGreaterThanOrEqual(20)
})
