import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newWorkspace, type Workspace } from '../kit/workspace.ts'

/** Paths that are nowhere, that are folders, or that come by another way: each gets the answer that helps. */

async function prepared(): Promise<Workspace> {
  const workspace = newWorkspace({ 'sub/a': '1', b: '2' })
  await workspace.tw(['snapshot'])
  return workspace
}

test.for([
  ['diff', 'latest', '--', 'typo'],
  ['diff', 'latest', 'latest', '--', 'sub', 'typo'],
  ['history', 'typo'],
  ['blame', 'typo'],
  ['cat', 'latest', 'typo'],
  ['restore', 'latest', 'typo'],
])('%s: a path that is nowhere is told as such', async (args) => {
  const workspace = await prepared()
  const { exit, stdout, stderr } = await workspace.tw(args)
  expect(exit).toBe(3)
  expect(stdout + stderr).toMatch(/typo is (not|neither) in snapshot|No snapshot has typo/)
})

test('a path that is only on the disk can be compared', async () => {
  const workspace = await prepared()
  workspace.write({ 'new.log': 'x' })
  expect((await workspace.tw(['diff', 'latest', '--', 'new.log'])).exit).toBe(0)
})

test.for([
  ['history', 'sub'],
  ['history', '.'],
  ['blame', 'sub'],
  ['cat', 'latest', 'sub'],
])('%s %s: of a folder nothing false is said, and the hint leads on', async (args) => {
  const workspace = await prepared()
  const { exit, stderr } = await workspace.tw(args)
  expect(exit).toBe(4)
  expect(stderr).toContain('is a directory, not a file.')
  expect(stderr).toContain('timewarp log --file-filter FOLDER')
  expect((await workspace.tw(['log', '--file-filter', 'sub', '--json'])).json.snapshots).toHaveLength(1)
})

test.for(['./sub', 'sub/', 'sub', './sub/*'])('forget %s advises a line that keeps it out', async (pattern) => {
  const workspace = await prepared()
  const { warnings } = (await workspace.tw(['forget', pattern, '--dry-run', '--json'])).json
  const line = /add "(.*)" to \.timewarpignore/.exec(warnings[0])?.[1] ?? ''
  expect(line).toMatch(/^\/sub/)
  workspace.write({ '.timewarpignore': `${line}\n` })
  await workspace.tw(['trust', '--yes'])
  expect((await workspace.tw(['status', '--json'])).json.warnings).toEqual([
    '1 file no longer recorded, because excluded: sub/a',
  ])
})

test('what is empty is called so', async () => {
  const workspace = await prepared()
  const { exit, stderr } = await workspace.tw(['forget', ''])
  expect([exit, stderr.split('\n')[0]]).toEqual([2, 'Error: "pattern": must not be empty'])
})

test('an absolute path counts beside -C ID', async () => {
  const workspace = await prepared()
  const id = (await workspace.tw(['workspaces', '--json'])).json.workspaces[0].workspace_id
  const history = (path: string) => workspace.tw(['-C', id, 'history', path], { cwd: workspace.temp })
  expect((await history(workspace.at('sub/a'))).exit).toBe(0)
  expect((await history('sub/a')).exit).toBe(0)
  expect((await history(join(workspace.temp, 'elsewhere'))).stderr).toContain('not a path inside the workspace')
})

test('a path by the shell’s name of a linked folder counts', async () => {
  const workspace = await prepared()
  const link = join(workspace.temp, 'link')
  fs.symlinkSync(workspace.at('sub'), link)
  expect((await workspace.tw(['history', join(link, 'a')], { cwd: link })).exit).toBe(0)
  expect((await workspace.tw(['history', join(link, '../b')], { cwd: link })).exit).toBe(2)
})
