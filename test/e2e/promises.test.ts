import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { newWorkspace } from '../kit/workspace.ts'

/** What a newcomer is told of a workspace: what is left out of it, and for how long things are kept. */

const FILES = { 'a.txt': 'a\n', 'build/deploy.sh': 'hand-written\n', 'x.log': '12345' }

test.each([['init'], ['up'], ['snapshot']])('%s says what is left out, with sizes', async (verb) => {
  const workspace = newWorkspace(FILES)
  const { stdout } = await workspace.tw([verb])
  expect(stdout).toMatch(/^Left out:? +build\/ \(1 file, 13 B\), x\.log \(1 file, 5 B\); see timewarp status$/m)
})

test('snapshot says it the first time', async () => {
  const workspace = newWorkspace(FILES)
  await workspace.tw(['snapshot'])
  workspace.write({ 'a.txt': 'b\n' })
  expect((await workspace.tw(['snapshot'])).stdout).not.toContain('Left out')
  expect((await workspace.tw(['init'])).stdout).toContain('Left out: build/')
})

test('where nothing is left out nothing is said of it; of many the largest are named', async () => {
  const none = newWorkspace({ a: '1' })
  expect((await none.tw(['init'])).stdout).not.toContain('Left out')
  const many = newWorkspace({
    a: '1',
    ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((n) => [`${n}.log`, 'x'.repeat(n)])),
  })
  expect((await many.tw(['init'])).stdout).toMatch(/^Left out: 7\.log \(1 file, 7 B\), .*3\.log.*, and 2 more; see/m)
})

test.each([
  [
    '{}',
    'snapshots by hand 90 d, changes by tool calls 90 d; scheduled ones and backups are thinned and gone after 30 d; pinned ones and the newest stay',
  ],
  ['{"retention":{"auto":false}}', 'everything is kept until timewarp prune'],
  ['{"retention":{"max_snapshots":1000}}', 'pinned ones and the newest stay; at most 1,000 snapshots'],
])('init says how long things are kept: %s', async (settings, words) => {
  const workspace = newWorkspace({ a: '1' })
  fs.mkdirSync(workspace.home)
  fs.writeFileSync(`${workspace.home}/config.json`, settings)
  expect((await workspace.tw(['init'])).stdout).toContain(`${words}\n`)
})
