import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeTree } from '../kit/tree.ts'
import { newWorkspace } from '../kit/workspace.ts'
import { newLive } from '../live/kit.ts'

const WRITE = { content: 'x' }
const BLOCK = { search_block: 'x', replace_block: 'y' }
const CALLS: readonly (readonly [tool: string, field: string, more: object])[] = [
  ['delete', 'path', {}],
  ['create_directory', 'path', {}],
  ['apply_whole_file_edit', 'path', WRITE],
  ['apply_edit_block', 'path', BLOCK],
  ['apply_ranged_edit', 'path', { start_line: 1, end_line: 1, content: 'x' }],
  ['rename', 'from', { to: 'b' }],
  ['rename', 'to', { from: 'a' }],
]

test('with a watching daemon, an edit that leads outside is refused, and nothing outside is ever captured or removed', async () => {
  const live = newLive({ a: '1\n', 'sub/b': '2\n' })
  const sibling = join(live.workspace.temp, 'sibling')
  fs.mkdirSync(sibling)
  fs.writeFileSync(join(sibling, 'precious.txt'), 'canary')
  await live.serve()
  await live.call('workspace_init')
  await live.call('snapshot')
  for (const path of ['..', '.', 'sub/../..', '../sibling', '\0', 'a\0b', '', 'sub/../../sibling/precious.txt'])
    for (const [tool, field, more] of CALLS) {
      const { json } = await live.call(tool, { ...more, [field]: path })
      expect(json.error?.code, `${tool} ${JSON.stringify(path)}`).toMatch(/^(PATH_OUTSIDE|PATH_PROTECTED|BAD_INPUT)$/)
    }
  fs.writeFileSync(join(live.root, 'a'), 'changed\n')
  expect((await live.call('status')).json.changed.paths).toEqual(['a'])
  expect((await live.call('snapshot')).json).toMatchObject({ created: true })
  const { json } = await live.call('get_edit_history', { limit: 100 })
  const paths = json.snapshots.flatMap((one: { affected_files: string[] }) => one.affected_files)
  expect(new Set(paths)).toEqual(new Set(['a', 'sub/b']))
  for (let i = 0; i < 3; i++) await live.call('undo')
  expect(fs.readFileSync(join(sibling, 'precious.txt'), 'utf8')).toBe('canary')
  expect(fs.readdirSync(live.root).sort()).toEqual(['.timewarp', 'a', 'sub'])
})

test('a refused path leaves no new workspace and no snapshot behind', async () => {
  const workspace = newWorkspace({ a: '1', 'real/b': '2' })
  fs.symlinkSync('real', workspace.at('link'))
  const before = describeTree(workspace.root)
  const refused = [
    ['apply_whole_file_edit', { path: '../x', content: 'x' }, 'PATH_OUTSIDE'],
    ['apply_whole_file_edit', { path: 'link/x', content: 'x' }, 'PATH_SYMLINK'],
    ['apply_whole_file_edit', { path: `${'n'.repeat(300)}`, content: 'x' }, 'PATH_TOO_LONG'],
    ['delete', { path: 'link/b' }, 'PATH_SYMLINK'],
    ['create_directory', { path: '.git/hooks' }, 'PATH_PROTECTED'],
    ['apply_unified_diff', { diff: diffOf('../x') }, 'PATH_OUTSIDE'],
    ['apply_unified_diff', { diff: diffOf('link/x') }, 'PATH_SYMLINK'],
    ['apply_unified_diff', { diff: diffOf('.timewarp/x') }, 'PATH_PROTECTED'],
  ] as const
  for (const [tool, input, code] of refused)
    await expect(workspace.call(tool, input as never), JSON.stringify(input)).rejects.toMatchObject({ code })
  await expect(workspace.call('workspace_list')).rejects.toMatchObject({ code: 'STORE_MISSING' })
  expect(describeTree(workspace.root)).toEqual(before)
})

test('a link that an earlier edit takes away is no obstacle', async () => {
  const workspace = newWorkspace({ 'real/b': '2' })
  fs.symlinkSync('real', workspace.at('link'))
  await workspace.call('apply_edits', {
    edits: [
      { op: 'delete', path: 'link' },
      { op: 'whole', path: 'link/x', content: 'x' },
    ],
  })
  expect(fs.readdirSync(workspace.at('link'))).toEqual(['x'])
  expect(fs.readdirSync(workspace.at('real'))).toEqual(['b'])
})

const diffOf = (path: string, mode = '100644'): string =>
  `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`

const modeOf = (path: string): string => (fs.statSync(path).mode & 0o7777).toString(8)

test('no diff or edit gives more than permissions', async () => {
  const workspace = newWorkspace({ known: 'x\n', own: 'x\n' })
  await workspace.call('apply_unified_diff', { diff: diffOf('su', '104755') + diffOf('sg', '102755') })
  await workspace.call('apply_unified_diff', { diff: diffOf('sticky', '101644') })
  expect([modeOf(workspace.at('su')), modeOf(workspace.at('sg')), modeOf(workspace.at('sticky'))]).toEqual([
    '755',
    '755',
    '644',
  ])
  fs.chmodSync(workspace.at('own'), 0o4755)
  await workspace.call('apply_unified_diff', {
    diff: 'diff --git a/known b/known\nold mode 100644\nnew mode 106755\n--- a/known\n+++ b/known\n@@ -1 +1 @@\n-x\n+y\n',
  })
  await workspace.call('apply_whole_file_edit', { path: 'own', content: 'y\n' })
  expect([modeOf(workspace.at('known')), modeOf(workspace.at('own'))]).toEqual(['755', '755'])
})

test('a path of a thousand folders is made in a moment, one that no system takes is refused at once', async () => {
  const workspace = newWorkspace({ a: '1' })
  await workspace.call('workspace_init')
  const before = process.cpuUsage()
  await workspace.call('create_directory', { path: 'w/'.repeat(1000) })
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(3)
  await expect(workspace.call('create_directory', { path: 'w/'.repeat(3000) })).rejects.toMatchObject({
    code: 'PATH_TOO_LONG',
  })
})

test('names that every object has are no clients, hooks or tools', async () => {
  const live = newLive({ a: '1\n' })
  await live.serve()
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    const session = { client: 'constructor', session_id: `s-${name}` }
    expect((await live.call('timewarp_session_start', session)).status, name).toBe(200)
    expect((await live.call(name)).json.error.code, name).toBe('UNKNOWN_TOOL')
    const event = { event: 'call_start', kind: 'shell', tool: name, command: `${name} x | git ${name}`, ...session }
    expect((await live.call('record_event', event)).status, name).toBe(200)
  }
  expect((await live.ask('/v1/hook/constructor', { body: {} })).json.error.code).toBe('BAD_INPUT')
})

test('a workspace that cannot be a path is refused with a sentence', async () => {
  const live = newLive({ a: '1\n' })
  await live.serve()
  for (const workspace of ['a\0b', 'x'.repeat(5000), `/${'n'.repeat(300)}`, 'rel/x', '../x', '']) {
    const { json } = await live.call('status', { workspace })
    expect(json.error, workspace.slice(0, 50)).toMatchObject({ code: 'BAD_INPUT', hint: expect.any(String) })
  }
  for (const [tool, input] of [
    ['materialise', { snapshot_id: 'latest', dir: 'rel/x' }],
    ['mirror', { dir: 'rel/x' }],
    ['timewarp_travel', { snapshot_id: 'latest', into: 'rel/x' }],
    ['git_rescue', { into: 'rel/x' }],
  ] as const)
    expect((await live.call(tool, input)).json.error, tool).toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('must be an absolute path'),
    })
  expect(fs.existsSync('/rel')).toBe(false)
})
