import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newWorkspace } from '../kit/workspace.ts'

test('guard judge tells as JSON what a command may change', async () => {
  const ws = newWorkspace({ a: 'a', 'sub/b': 'b' })
  await ws.call('workspace_init', {})
  await ws.close()
  const judged = async (args: string[], cwd = ws.root) => (await ws.tw(['--json', ...args], { cwd })).json
  expect(await judged(['guard', 'judge', 'rm -rf build'])).toEqual({
    modifies: true,
    why: 'rm may change build',
    paths: ['build'],
    git_dir: false,
    rewrites_refs: false,
    deletes_store: false,
    program: 'rm',
  })
  expect(await judged(['guard', 'judge', 'ls'])).toMatchObject({ modifies: false, paths: [], git_dir: false })
  expect(await judged(['guard', 'judge', 'git commit -m x'])).toMatchObject({ modifies: false, git_dir: true })
  expect(await judged(['guard', 'judge', '--', 'rm', '-rf', 'x'])).toMatchObject({ paths: ['x'] })
  expect(await judged(['guard', 'judge', 'rm b'], ws.at('sub'))).toMatchObject({ paths: ['sub/b'] })
  // From elsewhere the root of the workspace is meant; a folder that is none is judged as if it were one.
  expect(await judged(['-C', ws.root, 'guard', 'judge', 'rm a'], ws.temp)).toMatchObject({ paths: ['a'] })
  expect(await judged(['guard', 'judge', 'rm a'], ws.temp)).toMatchObject({ paths: ['a'] })
  expect(await judged(['guard', 'judge', `rm -rf ${join(ws.home, 'objects')}`])).toMatchObject({ deletes_store: true })
  expect(await judged(['guard-judge', 'rm a'])).toMatchObject({ paths: ['a'] })
  const missing = await ws.tw(['guard', 'judge', '--json'])
  expect([missing.exit, missing.json.error.code]).toEqual([2, 'BAD_INPUT'])
})
