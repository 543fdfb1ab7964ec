import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newWorkspace, type Workspace, whenPassing } from '../kit/workspace.ts'

const LINES = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n'

async function faultOf(act: Promise<unknown>): Promise<string> {
  try {
    await act
  } catch (error) {
    return (error as { code: string }).code
  }
  return 'none'
}

/** Everything in the workspace, by path. */
function drawn(workspace: Workspace): Record<string, string> {
  const found: Record<string, string> = {}
  const walk = (folder: string): void => {
    for (const entry of fs.readdirSync(workspace.at(folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (path === '.timewarp') continue
      if (entry.isDirectory()) {
        found[`${path}/`] = ''
        walk(path)
      } else if (entry.isFile()) found[path] = fs.readFileSync(workspace.at(path), 'latin1')
    }
  }
  walk('')
  return found
}

test('an edit changes the bytes that were named and no other, and is a snapshot', async () => {
  const workspace = newWorkspace({ 'a.txt': '\ufeffone\r\ntwo\nthree' })
  const edit = { path: 'a.txt', search_block: 'two', replace_block: '$& $1 two' }
  const dry = await workspace.call('apply_edit_block', { ...edit, dry_run: true })
  expect(workspace.read('a.txt')).toBe('\ufeffone\r\ntwo\nthree')
  expect(dry).toMatchObject({ snapshot_id: null, dry_run: true, affected_files: ['a.txt'] })
  const done = await workspace.call('apply_edit_block', { ...edit, actor: 'ann', session_id: 'sess_1' })
  expect(workspace.read('a.txt')).toBe('\ufeffone\r\n$& $1 two\nthree')
  expect(done.preview_diff).toBe(dry.preview_diff)
  const shown = await workspace.call('show', { snapshot_id: done.snapshot_id ?? '' })
  expect(shown).toMatchObject({
    source: 'edit',
    cause: { tool: 'apply_edit_block', actor: 'ann', session_id: 'sess_1' },
  })
  await workspace.call('undo', {})
  expect(workspace.read('a.txt')).toBe('\ufeffone\r\ntwo\nthree')
})

test('what somebody else changed before is recorded as theirs', async () => {
  const workspace = newWorkspace({ 'a.txt': LINES, 'b.txt': 'b' })
  await workspace.snapshot()
  workspace.write({ 'b.txt': 'by hand' })
  const { snapshot_id, base_id } = await workspace.call('apply_whole_file_edit', { path: 'a.txt', content: 'new' })
  const files = async (from: string | null, to: string | null) =>
    (await workspace.call('diff', { from: from ?? '', to: to ?? '' })).files.map(({ path }) => path)
  expect(await files(base_id, snapshot_id)).toEqual(['a.txt'])
  const { cause } = await workspace.call('show', { snapshot_id: base_id ?? '' })
  expect(cause).toEqual({ role: 'change' })
})

test('several edits are made together or not at all', async () => {
  const workspace = newWorkspace({ 'a.txt': 'a', 'dir/b.txt': 'b' })
  const before = drawn(workspace)
  const edits = [
    { op: 'rename' as const, from: 'dir', to: 'moved/deep' },
    { op: 'block' as const, path: 'moved/deep/b.txt', search_block: 'b', replace_block: 'B' },
    { op: 'delete' as const, path: 'a.txt' },
    { op: 'create_directory' as const, path: 'empty' },
  ]
  const broken = [...edits, { op: 'delete' as const, path: 'nowhere' }]
  expect(await faultOf(workspace.call('apply_edits', { edits: broken }))).toBe('PATH_MISSING')
  expect(drawn(workspace)).toEqual(before)
  await workspace.call('apply_edits', { edits })
  expect(drawn(workspace)).toEqual({ 'empty/': '', 'moved/': '', 'moved/deep/': '', 'moved/deep/b.txt': 'B' })
  await workspace.call('delete', { path: 'moved' })
  expect(drawn(workspace)).toEqual({ 'empty/': '' })
})

test.each([
  ['../x', 'PATH_OUTSIDE'],
  ['/etc/passwd', 'PATH_OUTSIDE'],
  ['.git/config', 'PATH_PROTECTED'],
  ['.timewarp/config.json', 'PATH_PROTECTED'],
  ['link/x', 'PATH_SYMLINK'],
  ['node_modules/x', 'PATH_EXCLUDED'],
])('%s is not written to', async (path, code) => {
  const workspace = newWorkspace({ a: '1', 'node_modules/x': 'old' })
  fs.symlinkSync('/tmp', workspace.at('link'))
  const before = drawn(workspace)
  expect(await faultOf(workspace.call('apply_whole_file_edit', { path, content: 'x' }))).toBe(code)
  expect(drawn(workspace)).toEqual(before)
})

test('a file that is not what was read is not edited', async () => {
  const workspace = newWorkspace({ a: 'one' })
  const { hashes } = await workspace.call('apply_whole_file_edit', { path: 'a', content: 'two' })
  workspace.write({ a: 'by hand' })
  const edit = { path: 'a', content: 'three', expected_hash: hashes['a'] }
  expect(await faultOf(workspace.call('apply_whole_file_edit', edit))).toBe('FILE_CHANGED')
  expect(workspace.read('a')).toBe('by hand')
})

test.each(['', 'a word\n', '\n'])('a text without a diff in it (%j) is refused', async (diff) => {
  const workspace = newWorkspace({ a: '1' })
  expect(await faultOf(workspace.call('apply_unified_diff', { diff }))).toBe('PATCH_BAD')
})

test('a file that changes in the moment of the edit: everything goes back', async () => {
  const workspace = newWorkspace({ a: 'one', b: 'two' })
  await workspace.snapshot()
  whenPassing('change:journal', () => workspace.write({ b: 'at the last moment' }))
  const edits = ['a', 'b'].map((path) => ({ op: 'whole' as const, path, content: 'edited' }))
  expect(await faultOf(workspace.call('apply_edits', { edits }))).toBe('EDIT_STUCK')
  expect([workspace.read('a'), workspace.read('b')]).toEqual(['one', 'at the last moment'])
})

test('an edit that fails half way leaves no half', async () => {
  const workspace = newWorkspace({ a: 'one', b: 'two', 'gone/c': 'three' })
  await workspace.snapshot()
  const before = drawn(workspace)
  whenPassing(
    'restore:placed',
    () => {
      throw new Error('the disk is gone')
    },
    2,
  )
  const edits = [
    { op: 'delete' as const, path: 'gone' },
    ...['a', 'b', 'new/d'].map((path) => ({ op: 'whole' as const, path, content: 'edited' })),
  ]
  expect(await faultOf(workspace.call('apply_edits', { edits }))).not.toBe('none')
  expect(drawn(workspace)).toEqual(before)
})

test.each(['change:journal:1', 'restore:placed:2', 'restore:applied:1', 'restore:recorded:1'])(
  'a process that dies at %s leaves no half: the next command finishes',
  async (at) => {
    const workspace = newWorkspace({ a: 'one', b: 'two', c: 'three' })
    await workspace.tw(['snapshot'])
    const edits = ['a', 'b', 'c'].map((path) => ({ op: 'whole', path, content: 'edited' }))
    const died = await workspace.tw(['call', 'apply_edits', JSON.stringify({ edits })], {
      env: { TIMEWARP_TEST_DIE_AT: at },
    })
    expect(died.signal ?? died.exit).not.toBe(0)
    expect((await workspace.tw(['status', '--json'])).exit).toBe(0)
    expect(['a', 'b', 'c'].map((path) => workspace.read(path))).toEqual(['edited', 'edited', 'edited'])
    expect((await workspace.tw(['fsck', '--json'])).json.ok).toBe(true)
  },
)

test('taking one change back leaves what others did since', async () => {
  const workspace = newWorkspace({ 'a.txt': LINES })
  await workspace.snapshot()
  const edit = (search_block: string, replace_block: string, actor: string) =>
    workspace.call('apply_edit_block', { path: 'a.txt', search_block, replace_block, actor })
  await edit('two', 'TWO', 'ann')
  await edit('five', 'FIVE', 'bob')
  await edit('nine', 'NINE', 'ann')
  const dry = await workspace.call('reverse_op', { snapshot_id: 'actor:ann', dry_run: true })
  expect(workspace.read('a.txt')).toContain('TWO')
  const done = await workspace.call('reverse_op', { snapshot_id: 'actor:ann' })
  expect(done).toMatchObject({ conflicts: [], affected_files: ['a.txt'], reversed_diff: dry.reversed_diff })
  expect(workspace.read('a.txt')).toBe(LINES.replace('five', () => 'FIVE'))
  await workspace.call('reverse_op', { snapshot_id: done.new_snapshot_id ?? '' })
  expect(workspace.read('a.txt')).toContain('NINE')
})

test('where the same lines were changed since it is a conflict, and nothing is written unless forced', async () => {
  const workspace = newWorkspace({ 'a.txt': LINES })
  await workspace.snapshot()
  const block = (search_block: string, replace_block: string) =>
    workspace.call('apply_edit_block', { path: 'a.txt', search_block, replace_block })
  const { snapshot_id } = await block('two', 'TWO')
  await block('TWO', 'TWO and more')
  const before = workspace.read('a.txt')
  const refused = await workspace.call('reverse_op', { snapshot_id: snapshot_id ?? '' })
  expect(refused.new_snapshot_id).toBeNull()
  expect(refused.conflicts).toMatchObject([{ path: 'a.txt', line: 2, present: 'TWO and more\n', wanted: 'two\n' }])
  expect(workspace.read('a.txt')).toBe(before)
  await workspace.call('reverse_op', { snapshot_id: snapshot_id ?? '', force: true })
  expect(workspace.read('a.txt')).toBe(LINES)
})

test('a move taken back takes later work on the file along', async () => {
  const workspace = newWorkspace({ 'a.txt': LINES })
  await workspace.snapshot()
  const { snapshot_id } = await workspace.call('rename', { from: 'a.txt', to: 'dir/b.txt' })
  await workspace.call('apply_edit_block', { path: 'dir/b.txt', search_block: 'ten', replace_block: 'TEN' })
  await workspace.call('reverse_op', { snapshot_id: snapshot_id ?? '' })
  expect(workspace.read('a.txt')).toBe(LINES.replace('ten', () => 'TEN'))
  expect(workspace.has('dir/b.txt')).toBe(false)
})

test('secrets in what a tool was asked for reach neither the records nor an answer nor a pack', async () => {
  const token = `ghp_${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'}`
  const workspace = newWorkspace({ a: 'one', '.env': 'DB_PASSWORD=hunter2-correct-horse\n' })
  await workspace.snapshot()
  const said = { session_id: 'sess_1', description: `uses ${token}` }
  await workspace.call('apply_whole_file_edit', { path: 'a', content: `token = "${token}"`, ...said })
  const bytes = Buffer.concat([Buffer.from(token), Buffer.of(0xff)])
  await workspace.call('apply_whole_file_edit', { path: 'b', content_base64: bytes.toString('base64'), ...said })
  await workspace.call('apply_edit_block', { path: 'a', search_block: 'token', replace_block: 'hunter2-correct-horse' })
  const { snapshots } = await workspace.call('get_edit_history', {})
  const told = JSON.stringify(snapshots)
  for (const secret of [token, bytes.toString('base64').slice(0, 40), 'hunter2-correct-horse']) {
    expect(told).not.toContain(secret)
    for (const { snapshot_id } of snapshots)
      expect(JSON.stringify(await workspace.call('show', { snapshot_id }))).not.toContain(secret)
  }
  expect(snapshots[1]?.tool_params).toMatchObject([{ op: 'whole', path: 'b', content_base64: '(41 bytes)' }])
  expect(snapshots[0]).toMatchObject({ tool: 'apply_edit_block', metadata: { lines_changed: 2 } })
  expect(snapshots[0]?.metadata.execution_time_ms).toBeGreaterThan(0)
})

test('a word that is not UTF-8 is refused with the way to give it, and taken that way', async () => {
  const workspace = newWorkspace({ a: '1' })
  const script = `printf 'bad\\377 name' > ../word; "$1" write "$(cat ../word)" x --json`
  const env = { ...process.env, TIMEWARP_HOME: workspace.home, TIMEWARP_DAEMON: 'off' }
  const launcher = join(import.meta.dirname, '../../bin/timewarp')
  const { status, stdout } = spawnSync('sh', ['-c', script, 'sh', launcher], { cwd: workspace.root, env })
  expect([status, JSON.parse(stdout.toString()).error.code]).toEqual([2, 'BAD_INPUT'])
  expect(stdout.toString()).toContain('bad\\\\377 name')
  expect((await workspace.tw(['write', '"bad\\377 name"', 'x'])).exit).toBe(0)
  expect((await workspace.tw(['write', 'a real \ufffd', 'x'])).exit).toBe(0)
  const names = fs.readdirSync(workspace.root, { encoding: 'latin1' }).filter((name) => !name.startsWith('.'))
  expect(names.sort()).toEqual(['a', 'a real ï¿½', 'badÿ name'])
})
