import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { describePath, describeTree, withoutFolderTimes } from '../kit/tree.ts'
import { isRoot, newWorkspace, shell, type Workspace, whenPassing } from '../kit/workspace.ts'

/** A restore takes nothing away that it cannot bring back. */

const makePipe = (at: string): string => shell('mkfifo -- "$1"', at)

async function makeSocket(at: string): Promise<void> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(at, done))
  onTestFinished(() => void server.close())
}

const SMALL_LIMIT = { '.timewarp/config.json': '{"max_file_bytes": 1000}' }
const OVERSIZED = Buffer.alloc(1001, 'x')

describe('what cannot be captured', () => {
  test('a socket and a pipe are named in the warnings and survive a restore', async () => {
    const workspace = newWorkspace({ 'a/file': 'x' })
    makePipe(workspace.at('a/pipe'))
    await makeSocket(workspace.at('a/socket'))
    const { snapshot_id, warnings } = await workspace.call('snapshot')
    expect(warnings).toContain('a/pipe is not captured: it is a socket, pipe or device')
    expect(warnings).toContain('a/socket is not captured: it is a socket, pipe or device')
    const before = describeTree(workspace.root)
    workspace.write({ 'a/file': 'changed' })
    await workspace.restore(snapshot_id)
    expect(describeTree(workspace.root)).toEqual(before)
  })

  test('a pipe in a folder that the target does not have survives, and its folder with it', async () => {
    const workspace = newWorkspace({ file: 'x' })
    const id = await workspace.snapshot()
    workspace.write({ 'new/deep/file': 'y' })
    makePipe(workspace.at('new/deep/pipe'))
    const receipt = await workspace.restore(id)
    expect(Object.keys(describeTree(workspace.root))).toEqual(['file', 'new', 'new/deep', 'new/deep/pipe'])
    expect(receipt.deleted).toEqual(['new/deep/file'])
    expect(receipt.skipped.map(({ path }) => path).sort()).toEqual(['new', 'new/deep'])
  })

  test('a pipe where the target has a file or a folder stays, and the path is reported', async () => {
    const workspace = newWorkspace({ file: 'x', 'folder/deep/file': 'y' })
    const id = await workspace.snapshot()
    for (const name of ['file', 'folder']) {
      fs.rmSync(workspace.at(name), { recursive: true })
      makePipe(workspace.at(name))
    }
    const receipt = await workspace.restore(id)
    expect(receipt.skipped.map(({ path }) => path)).toEqual(['file', 'folder'])
    expect(receipt).toMatchObject({ restored: [], conflicts: [] })
    expect(Object.values(describeTree(workspace.root)).map(({ kind }) => kind)).toEqual(['pipe', 'pipe'])
  })

  test('a file that was too large then is left alone when it is smaller now', async () => {
    const workspace = newWorkspace({ ...SMALL_LIMIT, 'a/large': OVERSIZED, 'a/small': 'x' })
    workspace.trust()
    const { snapshot_id, warnings } = await workspace.call('snapshot')
    expect(warnings).toContain('a/large is not captured: it is larger than max_file_bytes')
    workspace.write({ 'a/large': 'small now', 'a/small': 'y' })
    await workspace.snapshot()
    const receipt = await workspace.restore(snapshot_id)
    expect(receipt).toMatchObject({ restored: ['a/small'], deleted: [], skipped: [{ path: 'a/large' }] })
    expect(workspace.read('a/large')).toBe('small now')
  })

  test('a file that is too large now is left alone, also when its folder is not in the target', async () => {
    const workspace = newWorkspace({ ...SMALL_LIMIT, grown: 'small' })
    workspace.trust()
    const id = await workspace.snapshot()
    workspace.write({ grown: OVERSIZED, 'new/large': OVERSIZED, 'new/small': 'y' })
    const receipt = await workspace.restore(id)
    expect(receipt).toMatchObject({ restored: [], deleted: ['new/small'] })
    expect(receipt.skipped.map(({ path }) => path).sort()).toEqual(['grown', 'new'])
    expect(fs.statSync(workspace.at('grown')).size).toBe(1001)
    expect(fs.readdirSync(workspace.at('new'))).toEqual(['large'])
  })

  test('a folder whose place the target gives to a file keeps what is not captured in it', async () => {
    const workspace = newWorkspace({ it: 'a file' })
    const id = await workspace.snapshot()
    fs.rmSync(workspace.at('it'))
    workspace.write({ 'it/node_modules/precious': 'x', 'it/file': 'y' })
    const receipt = await workspace.restore(id)
    expect(workspace.read('it/node_modules/precious')).toBe('x')
    expect(receipt.restored).toEqual([])
    expect([...receipt.skipped, ...receipt.conflicts].map(({ path }) => path)).toContain('it')
  })
})

describe.runIf(isRoot)('what a user may not read', () => {
  const asNobody = { asNobody: true }
  const capture = async (workspace: Workspace) => {
    const { exit, json, stderr } = await workspace.tw(['snapshot', '--json'], asNobody)
    expect([exit, stderr]).toEqual([0, ''])
    return json as { snapshot_id: string; warnings: string[] }
  }

  test('files and folders of mode 000 are named in the warnings and survive a restore', async () => {
    const workspace = newWorkspace({ 'a/locked': 'secret', 'a/open': 'x', 'vault/deep/file': 'y' })
    fs.chmodSync(workspace.at('a/locked'), 0)
    fs.chmodSync(workspace.at('vault'), 0)
    workspace.giveToNobody()
    const before = describeTree(workspace.root)
    const { snapshot_id, warnings } = await capture(workspace)
    expect(warnings).toContain('a/locked is not captured: it cannot be read')
    expect(warnings).toContain('vault is not captured: it cannot be read')
    fs.rmSync(workspace.at('a/open'))
    expect(await workspace.tw(['restore', snapshot_id, '--json'], asNobody)).toMatchObject({
      exit: 0,
      json: { restored: ['a/open'], deleted: [], conflicts: [] },
    })
    expect(describeTree(workspace.root)).toEqual(before)
  })

  test('survives in a folder that the target does not have', async () => {
    const workspace = newWorkspace({ file: 'x' })
    workspace.giveToNobody()
    const { snapshot_id } = await capture(workspace)
    workspace.write({ 'new/locked': 'secret', 'new/open': 'y', 'new/vault/file': 'z' })
    fs.chmodSync(workspace.at('new/locked'), 0)
    fs.chmodSync(workspace.at('new/vault'), 0)
    workspace.giveToNobody()
    expect(await workspace.tw(['restore', snapshot_id, '--json'], asNobody)).toMatchObject({
      exit: 0,
      json: { deleted: ['new/open'], skipped: [{ path: 'new' }] },
    })
    expect(Object.keys(describeTree(workspace.root))).toEqual([
      'file',
      'new',
      'new/locked',
      'new/vault',
      'new/vault/file',
    ])
  })

  test('in a folder that can be listed but not entered is named in the warnings', async () => {
    const workspace = newWorkspace({ 'half/file': 'x', 'half/deep/file': 'y' })
    fs.chmodSync(workspace.at('half'), 0o644)
    workspace.giveToNobody()
    expect((await capture(workspace)).warnings.join()).toContain('half')
  })

  test('in a folder that could be listed but not entered then survives a restore now', async () => {
    const workspace = newWorkspace({ 'half/file': 'x', 'half/deep/file': 'y' })
    fs.chmodSync(workspace.at('half'), 0o644)
    workspace.giveToNobody()
    const { snapshot_id } = await capture(workspace)
    fs.chmodSync(workspace.at('half'), 0o755)
    await capture(workspace)
    await workspace.tw(['restore', snapshot_id, '--json'], asNobody)
    expect(workspace.has('half/file') && workspace.has('half/deep/file')).toBe(true)
  })

  test('then survives when it can be read now, also when only a path in it is restored', async () => {
    const workspace = newWorkspace({ 'vault/deep/file': 'precious', open: 'x' })
    fs.chmodSync(workspace.at('vault'), 0)
    workspace.giveToNobody()
    const { snapshot_id } = await capture(workspace)
    fs.chmodSync(workspace.at('vault'), 0o755)
    await capture(workspace)
    for (const path of [[], ['vault'], ['vault/deep'], ['vault/deep/file']]) {
      const { json } = await workspace.tw(['restore', snapshot_id, ...path, '--json'], asNobody)
      expect({ path, deleted: json.deleted }).toEqual({ path, deleted: [] })
      expect(workspace.read('vault/deep/file')).toBe('precious')
    }
  })
})

describe('what is excluded', () => {
  test.for([
    ['a default pattern', 'node_modules', {}],
    ['.timewarpignore', 'scratch', { '.timewarpignore': '# mine\nscratch/\n' }],
    ['the settings of the workspace', 'scratch', { '.timewarp/config.json': '{"exclude": ["scratch/"]}' }],
  ] as const)('by %s survives, wherever it lies', async ([, name, settings]) => {
    const workspace = newWorkspace({ ...settings, 'a/file': 'x', [`a/${name}/old`]: '1' })
    workspace.trust()
    const id = await workspace.snapshot()
    workspace.write({ 'a/file': 'y', [`a/${name}/new`]: '2', [`new/${name}/deep/new`]: '3', 'new/file': 'z' })
    const receipt = await workspace.restore(id)
    expect(receipt).toMatchObject({ restored: ['a/file'], deleted: ['new/file'] })
    expect(receipt.skipped.map(({ path }) => path)).toContain('new')
    expect([`a/${name}/old`, `a/${name}/new`, `new/${name}/deep/new`].map((path) => workspace.read(path))).toEqual([
      '1',
      '2',
      '3',
    ])
  })

  test('now but not then is left as it is now', async () => {
    const workspace = newWorkspace({ 'secret/file': 'then', open: 'x' })
    const id = await workspace.snapshot()
    workspace.write({ '.timewarp/config.json': '{"exclude": ["secret/"]}', 'secret/file': 'now', 'secret/new': 'n' })
    workspace.trust()
    const receipt = await workspace.restore(id)
    expect(receipt).toMatchObject({
      restored: [],
      deleted: [],
      skipped: [{ path: 'secret', reason: 'it is excluded' }],
    })
    expect([workspace.read('secret/file'), workspace.read('secret/new')]).toEqual(['now', 'n'])
  })

  test('then but not now is left as it is now', async () => {
    const workspace = newWorkspace({
      '.timewarp/config.json': '{"exclude": ["secret/"]}',
      'secret/file': 'x',
      open: 'x',
    })
    workspace.trust()
    const id = await workspace.snapshot()
    workspace.write({ '.timewarp/config.json': '{}', open: 'y' })
    await workspace.snapshot()
    for (const paths of [[], ['secret'], ['secret/file']]) {
      expect((await workspace.restore(id, paths)).deleted).toEqual([])
      expect(workspace.read('secret/file')).toBe('x')
    }
  })

  test('by default is captured when git tracks it, and comes back', async () => {
    const workspace = newWorkspace({ 'dist/tracked.js': 'x', 'dist/untracked.js': 'y', 'a/build/out/kept.txt': 'z' })
    shell('cd "$1" && git init -q && git add -f dist/tracked.js a/build', workspace.root)
    const { snapshot_id } = await workspace.call('snapshot')
    for (const path of ['dist', 'a']) fs.rmSync(workspace.at(path), { recursive: true })
    await workspace.restore(snapshot_id)
    expect([workspace.read('dist/tracked.js'), workspace.read('a/build/out/kept.txt')]).toEqual(['x', 'z'])
  })

  test('by default stays out beside what git tracks in the same folder', async () => {
    const workspace = newWorkspace({ 'node_modules/patched/index.js': 'x', 'node_modules/left-pad/index.js': 'y' })
    workspace.write({ 'node_modules/patched/package.json': '{}' })
    shell('cd "$1" && git init -q && git add -f node_modules/patched/index.js', workspace.root)
    const { snapshot_id } = await workspace.call('snapshot')
    const { affected_files } = await workspace.call('show', { snapshot_id })
    expect(affected_files).toEqual(['node_modules/patched/index.js'])
  })

  test('by default is captured when git tracks it in a folder written with capitals', async () => {
    const workspace = newWorkspace({ 'Build/tracked': 'x' })
    shell('cd "$1" && git init -q && git add -f Build', workspace.root)
    expect(await workspace.call('snapshot')).toMatchObject({ files: 1 })
  })

  test('by git alone comes back: a .env is somebody’s work', async () => {
    const workspace = newWorkspace({ '.gitignore': '.env\nlocal/\n', '.env': 'SECRET=1', 'local/notes': 'x' })
    shell(
      'cd "$1" && git init -q && git add .gitignore && git -c user.name=a -c user.email=b commit -qm x',
      workspace.root,
    )
    const id = await workspace.snapshot()
    shell('cd "$1" && git clean -fdxq -e .timewarp', workspace.root)
    expect(workspace.has('.env')).toBe(false)
    await workspace.restore(id)
    expect([workspace.read('.env'), workspace.read('local/notes')]).toEqual(['SECRET=1', 'x'])
  })

  test('always: .git is the same after a restore, in the root and below', async () => {
    const workspace = newWorkspace({ file: 'x', 'sub/file': 'y' })
    for (const dir of ['', 'sub']) shell('git init -q "$1"', workspace.at(dir))
    const id = await workspace.snapshot()
    shell('cd "$1" && git add file && git -c user.name=a -c user.email=b commit -qm x', workspace.root)
    workspace.write({ file: 'changed', 'new/file': 'z' })
    shell('git init -q "$1"', workspace.at('new'))
    const gits = () => ['.git', 'sub/.git', 'new/.git'].map((dir) => describeTree(workspace.at(dir)))
    const before = gits()
    await workspace.restore(id)
    expect(workspace.read('file')).toBe('x')
    expect(gits()).toEqual(before)
  })

  test('still has the mode of its folder after the restore had to leave it alone', async () => {
    const workspace = newWorkspace({ file: 'x' })
    const id = await workspace.snapshot()
    workspace.write({ 'new/node_modules/x': 'x', 'new/file': 'y' })
    fs.chmodSync(workspace.at('new'), 0o555)
    await workspace.restore(id)
    expect(describePath(workspace.at('new')).mode).toBe('555')
  })
})

describe('a restore of some paths', () => {
  test('leaves everything else alone', async () => {
    const workspace = newWorkspace({ 'a/one': '1', 'a/two': '2', 'ab/three': '3', four: '4' })
    const id = await workspace.snapshot()
    workspace.write({ 'a/one': 'x', 'a/two': 'x', 'ab/three': 'x', four: 'x', 'a/new': 'x' })
    const before = describeTree(workspace.root)
    expect(await workspace.restore(id, ['a/one'])).toMatchObject({ restored: ['a/one'], deleted: [], skipped: [] })
    const { 'a/one': _, ...rest } = withoutFolderTimes(describeTree(workspace.root))
    const { 'a/one': __, ...expected } = withoutFolderTimes(before)
    expect(rest).toEqual(expected)
    expect(await workspace.restore(id, ['a/'])).toMatchObject({ restored: ['a/two'], deleted: ['a/new'] })
    expect([workspace.read('ab/three'), workspace.read('four')]).toEqual(['x', 'x'])
  })

  test('brings a file back together with the folders above it', async () => {
    const workspace = newWorkspace({ 'a/b/c/file': 'x', 'a/b/other': 'y' })
    fs.chmodSync(workspace.at('a/b'), 0o750)
    const id = await workspace.snapshot()
    fs.rmSync(workspace.at('a'), { recursive: true })
    const receipt = await workspace.restore(id, ['a/b/c/file'])
    expect(receipt).toMatchObject({ skipped: [], conflicts: [] })
    expect(Object.keys(describeTree(workspace.root))).toEqual(['a', 'a/b', 'a/b/c', 'a/b/c/file'])
    expect(describePath(workspace.at('a/b')).mode).toBe('750')
  })

  test('takes a path in the form in which it was reported', async () => {
    const workspace = newWorkspace()
    const name = Buffer.concat([Buffer.from(`${workspace.root}/`), Buffer.from([0x61, 0xff])])
    fs.writeFileSync(name, 'x')
    const id = await workspace.snapshot()
    fs.rmSync(name)
    expect(await workspace.restore(id, ['"a\\377"'])).toMatchObject({ restored: ['"a\\377"'] })
    expect(fs.readFileSync(name, 'utf8')).toBe('x')
  })

  test('with a dot among them is a restore of everything', async () => {
    const workspace = newWorkspace({ a: '1', b: '2' })
    const id = await workspace.snapshot()
    workspace.write({ a: 'x', b: 'x' })
    expect(await workspace.restore(id, ['.', 'a'])).toMatchObject({ restored: ['a', 'b'] })
  })
})

describe('a dry run', () => {
  const prepare = async () => {
    const workspace = newWorkspace({ 'a/changed': '1', 'a/same': '2', deleted: '3', 'folder/now file': '4', mode: '5' })
    const id = await workspace.snapshot()
    workspace.write({ 'a/changed': 'x', 'new/file': 'y', 'keeps/node_modules/x': 'z', 'keeps/file': 'w' })
    fs.rmSync(workspace.at('deleted'))
    fs.rmSync(workspace.at('folder'), { recursive: true })
    workspace.write({ folder: 'file' })
    fs.chmodSync(workspace.at('mode'), 0o600)
    return { workspace, id }
  }

  test('changes nothing', async () => {
    const { workspace, id } = await prepare()
    const before = describeTree(workspace.root, [])
    const { snapshots } = await workspace.call('status')
    expect(await workspace.restore(id, [], true)).toMatchObject({
      dry_run: true,
      backup_id: null,
      new_snapshot_id: null,
    })
    expect(describeTree(workspace.root, [])).toEqual(before)
    expect((await workspace.call('status')).snapshots).toBe(snapshots)
  })

  test('tells what the restore then does', async () => {
    const { workspace, id } = await prepare()
    const { restored, deleted, skipped, conflicts } = await workspace.restore(id, [], true)
    expect(await workspace.restore(id)).toMatchObject({ restored, deleted, skipped, conflicts })
  })

  test('of undo tells what undo then does', async () => {
    const workspace = newWorkspace({ a: '1' })
    await workspace.snapshot()
    workspace.write({ a: '2', b: '3' })
    await workspace.snapshot()
    const { restored, deleted, skipped, affected_files } = await workspace.call('undo', { dry_run: true })
    expect(await workspace.call('undo')).toMatchObject({ restored, deleted, skipped, affected_files })
  })
})

describe('undo and redo', () => {
  test('take a restore back and do it again, as often as wanted', async () => {
    const workspace = newWorkspace({ 'a/b': 'then', gone: 'x' })
    const id = await workspace.snapshot()
    const then = describeTree(workspace.root)
    workspace.write({ 'a/b': 'now', new: 'y' })
    fs.rmSync(workspace.at('gone'))
    const now = describeTree(workspace.root)
    await workspace.restore(id)
    for (let i = 0; i < 3; i++) {
      expect(describeTree(workspace.root)).toEqual(then)
      await workspace.call('undo')
      expect(describeTree(workspace.root)).toEqual(now)
      await workspace.call('redo')
    }
    await expect(workspace.call('redo')).rejects.toMatchObject({ code: 'NOTHING_TO_REDO' })
  })

  test('take back what was not captured yet, and bring it again', async () => {
    const workspace = newWorkspace({ a: '1' })
    await workspace.snapshot()
    workspace.write({ a: 'precious, not captured' })
    await workspace.call('undo')
    expect(workspace.read('a')).toBe('1')
    await workspace.call('redo')
    expect(workspace.read('a')).toBe('precious, not captured')
  })

  test('take back a restore of some paths and nothing else', async () => {
    const workspace = newWorkspace({ a: '1', b: '1' })
    const id = await workspace.snapshot()
    workspace.write({ a: '2', b: '2' })
    await workspace.restore(id, ['a'])
    await workspace.call('undo')
    expect([workspace.read('a'), workspace.read('b')]).toEqual(['2', '2'])
  })
})

describe('somebody else at work during a restore', () => {
  /** Lets somebody do something after the backup was captured and before the first file is touched. */
  const meanwhile = (act: () => void): void => whenPassing('restore:journal', act)

  test('keeps a file changed after the backup, and the path is a conflict', async () => {
    const workspace = newWorkspace({ a: 'then', b: 'then' })
    const id = await workspace.snapshot()
    workspace.write({ a: 'now', b: 'now' })
    meanwhile(() => workspace.write({ a: 'new' }))
    expect(await workspace.restore(id)).toMatchObject({ restored: ['b'], conflicts: [{ path: 'a' }] })
    expect([workspace.read('a'), workspace.read('b')]).toEqual(['new', 'then'])
  })

  test('keeps a file of the same size and time changed after the backup', async () => {
    const workspace = newWorkspace({ a: 'then' })
    const id = await workspace.snapshot()
    workspace.write({ a: 'now1' })
    fs.utimesSync(workspace.at('a'), 1000, 1000)
    meanwhile(() => {
      workspace.write({ a: 'now2' })
      fs.utimesSync(workspace.at('a'), 1000, 1000)
    })
    expect(await workspace.restore(id)).toMatchObject({ restored: [], conflicts: [{ path: 'a' }] })
    expect(workspace.read('a')).toBe('now2')
  })

  test('keeps a file that was to be deleted and one that came where another was to appear', async () => {
    const workspace = newWorkspace({ back: 'then' })
    const id = await workspace.snapshot()
    fs.rmSync(workspace.at('back'))
    workspace.write({ 'new/file': 'now' })
    meanwhile(() => workspace.write({ 'new/file': 'precious', back: 'mine' }))
    const receipt = await workspace.restore(id)
    expect(receipt.conflicts.map(({ path }) => path).sort()).toEqual(['back', 'new/file'])
    expect([workspace.read('new/file'), workspace.read('back')]).toEqual(['precious', 'mine'])
  })

  test('keeps a new file in a folder that was to be deleted', async () => {
    const workspace = newWorkspace({ a: '1' })
    const id = await workspace.snapshot()
    workspace.write({ 'new/file': 'now' })
    meanwhile(() => workspace.write({ 'new/more': 'precious' }))
    const receipt = await workspace.restore(id)
    expect(receipt).toMatchObject({ deleted: ['new/file'], skipped: [{ path: 'new' }] })
    expect(workspace.read('new/more')).toBe('precious')
  })

  test('keeps a file written to in the moment in which it is moved aside', async () => {
    const workspace = newWorkspace({ a: '1' })
    const id = await workspace.snapshot()
    workspace.write({ new: 'now' })
    const fd = fs.openSync(workspace.at('new'), 'r+')
    onTestFinished(() => fs.closeSync(fd))
    whenPassing('restore:aside', () => fs.writeSync(fd, 'precious', 0))
    expect(await workspace.restore(id)).toMatchObject({ deleted: [], conflicts: [{ path: 'new' }] })
    expect(workspace.read('new')).toBe('precious')
  })

  test('does not lead it outside through a folder that has become a symlink', async () => {
    const workspace = newWorkspace({ 'a/one': 'then', 'a/gone': 'then' })
    const outside = join(workspace.temp, 'outside')
    fs.mkdirSync(outside)
    const id = await workspace.snapshot()
    workspace.write({ 'a/one': 'now' })
    fs.rmSync(workspace.at('a/gone'))
    meanwhile(() => {
      fs.renameSync(workspace.at('a'), workspace.at('moved'))
      fs.symlinkSync(outside, workspace.at('a'))
    })
    await workspace.restore(id)
    expect(fs.readdirSync(outside)).toEqual([])
  })

  test('does not lead it outside through a symlink that was to make way for a folder', async () => {
    const workspace = newWorkspace({ 'a/one': 'then', 'a/b/two': 'then' })
    const outside = join(workspace.temp, 'outside')
    fs.mkdirSync(join(outside, 'b'), { recursive: true })
    const id = await workspace.snapshot()
    fs.rmSync(workspace.at('a'), { recursive: true })
    fs.symlinkSync('nowhere', workspace.at('a'))
    meanwhile(() => {
      fs.rmSync(workspace.at('a'))
      fs.symlinkSync(outside, workspace.at('a'))
    })
    await workspace.restore(id)
    expect(Object.keys(describeTree(outside))).toEqual(['b'])
  })

  test('does not lead a removal outside through a folder that has become a symlink', async () => {
    const workspace = newWorkspace({ keep: 'x' })
    const id = await workspace.snapshot()
    workspace.write({ 'a/one': 'now' })
    const outside = join(workspace.temp, 'outside')
    meanwhile(() => {
      fs.renameSync(workspace.at('a'), outside)
      fs.symlinkSync(outside, workspace.at('a'))
    })
    await workspace.restore(id)
    expect(fs.readdirSync(outside)).toEqual(['one'])
  })

  test('leaves nothing behind in the workspace', async () => {
    const workspace = newWorkspace({ a: 'then' })
    const id = await workspace.snapshot()
    workspace.write({ a: 'now' })
    meanwhile(() => workspace.write({ a: 'new' }))
    await workspace.restore(id)
    expect(fs.readdirSync(workspace.at('.timewarp'))).toEqual(['.gitignore'])
  })
})

test('git is there, as several tests need it', () => {
  expect(spawnSync('git', ['--version']).status).toBe(0)
})
