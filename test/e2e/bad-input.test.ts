import * as fs from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { describeTree } from '../kit/tree.ts'
import { type Answer, isRoot, newWorkspace, type RunOptions, shell, type Workspace } from '../kit/workspace.ts'

/** What cannot be done is told with a code, a sentence and a hint, and nothing is half done. */

const UNKNOWN_ID = 's_20200101_000000_abcdef'

interface Refused {
  readonly exit: number
  readonly code: string
  readonly hint?: RegExp
}

/** Runs a command that must fail so, as one JSON document and as text for people. */
async function refuses(
  workspace: Workspace,
  args: readonly string[],
  { exit, code, hint = /\w/ }: Refused,
  options: RunOptions = {},
): Promise<Answer> {
  const answer = await workspace.tw([...args, '--json'], options)
  expect({ exit: answer.exit, code: answer.json?.error?.code, stderr: answer.stderr }).toEqual({
    exit,
    code,
    stderr: '',
  })
  const { message, hint: told, data } = answer.json.error
  expect(message).toMatch(/^\S.*\w/)
  expect(told).toMatch(hint)
  expect(data).toBeTypeOf('object')
  expect(answer.stdout.trim().split('\n')).toHaveLength(1)
  return answer
}

/** A workspace with two snapshots and a change that is not captured yet. */
async function prepared(): Promise<{ workspace: Workspace; id: string; unchanged: () => Promise<void> }> {
  const workspace = newWorkspace({ 'a/b': '1', c: '1' })
  const id = await workspace.snapshot()
  workspace.write({ 'a/b': '2' })
  await workspace.snapshot()
  workspace.write({ c: '2', new: '3' })
  const before = describeTree(workspace.root, [])
  const count = async (): Promise<number> => (await workspace.call('get_edit_history')).pagination.total
  const total = await count()
  const unchanged = async (): Promise<void> => {
    expect(describeTree(workspace.root, [])).toEqual(before)
    expect(await count()).toBe(total)
    expect(await workspace.call('fsck')).toMatchObject({ ok: true })
  }
  return { workspace, id, unchanged }
}

describe('a snapshot that is not there', () => {
  test('is missing, whoever asks for it', async () => {
    const { workspace, unchanged } = await prepared()
    const missing = { exit: 3, code: 'SNAPSHOT_NOT_FOUND', hint: /timewarp log/ }
    await refuses(workspace, ['restore', UNKNOWN_ID], missing)
    await refuses(workspace, ['restore', 'latest~99'], missing)
    await refuses(workspace, ['show', 'nonsense'], missing)
    await refuses(workspace, ['materialise', UNKNOWN_ID, join(workspace.temp, 'out')], missing)
    expect(fs.existsSync(join(workspace.temp, 'out'))).toBe(false)
    await unchanged()
  })

  test.for([
    ['diff', UNKNOWN_ID],
    ['cat', UNKNOWN_ID, 'c'],
    ['pin', UNKNOWN_ID],
    ['restore', ''],
  ] as const)('is missing for %s, too', async ([command, id, ...rest]) => {
    const { workspace, unchanged } = await prepared()
    await expect(
      workspace.tw([command, id ?? '', ...rest, '--json']).then(({ exit, json }) => ({ exit, code: json.error.code })),
    ).resolves.toEqual({ exit: 3, code: 'SNAPSHOT_NOT_FOUND' })
    await unchanged()
  })

  test('but in another workspace is not restored over this one', async () => {
    const { workspace, unchanged } = await prepared()
    const other = join(workspace.temp, 'other')
    fs.mkdirSync(other)
    fs.writeFileSync(join(other, 'theirs'), 'x')
    const { json } = await workspace.tw(['snapshot', '--json'], { cwd: other })
    const { exit } = await workspace.tw(['restore', json.snapshot_id, '--json'])
    expect(exit).not.toBe(0)
    await unchanged()
  })

  test('in a workspace without any is missing as latest', async () => {
    const workspace = newWorkspace({ a: '1' })
    await workspace.tw(['init', '--no-snapshot'])
    await refuses(workspace, ['restore', 'latest'], { exit: 3, code: 'SNAPSHOT_NOT_FOUND' })
  })
})

test('the beginning of several ids is ambiguous and names them', async () => {
  const { workspace, id, unchanged } = await prepared()
  const { json } = await refuses(workspace, ['restore', 's_2'], { exit: 2, code: 'SNAPSHOT_AMBIGUOUS', hint: /more/ })
  expect(json.error.data.matches).toContain(id)
  await unchanged()
})

describe('a path', () => {
  test.for(['../c', 'a/../../c', '/etc/passwd', '..', 'a/..', '"\\056\\056/c"', '/'])(
    'that leads outside is refused: %s',
    async (path) => {
      const { workspace, id, unchanged } = await prepared()
      const outside = { code: 'PATH_OUTSIDE' }
      await expect(workspace.restore(id, [path])).rejects.toMatchObject(outside)
      await expect(workspace.restore(id, ['c', path])).rejects.toMatchObject(outside)
      await expect(workspace.call('cat', { snapshot_id: id, path })).rejects.toMatchObject(outside)
      await expect(workspace.call('diff', { from: id, paths: [path] })).rejects.toMatchObject(outside)
      await expect(workspace.call('file_history', { path })).rejects.toMatchObject(outside)
      const dir = join(workspace.temp, 'out')
      await expect(workspace.call('materialise', { snapshot_id: id, dir, paths: [path] })).rejects.toMatchObject(
        outside,
      )
      expect(fs.existsSync(dir)).toBe(false)
      await unchanged()
    },
  )

  test('outside ends with exit 2 and a hint', async () => {
    const { workspace, id } = await prepared()
    await refuses(workspace, ['restore', id, '../c'], {
      exit: 2,
      code: 'PATH_OUTSIDE',
      hint: /relative to the current folder/,
    })
  })

  test('that no snapshot knows is missing, and the other paths are not restored', async () => {
    const { workspace, id, unchanged } = await prepared()
    await refuses(workspace, ['restore', id, 'c', 'typo'], { exit: 3, code: 'PATH_NOT_FOUND', hint: /history typo/ })
    await refuses(workspace, ['restore', id, '.git/config'], { exit: 3, code: 'PATH_NOT_FOUND' })
    await refuses(workspace, ['cat', id, 'typo'], { exit: 3, code: 'PATH_NOT_FOUND' })
    await unchanged()
  })

  test('that is empty is no wish to restore everything', async () => {
    const { workspace, id, unchanged } = await prepared()
    expect((await workspace.tw(['restore', id, '', '--json'])).exit).not.toBe(0)
    await unchanged()
  })

  test('that the snapshot does not have is missing for materialise, and no folder is made', async () => {
    const { workspace, id } = await prepared()
    const dir = join(workspace.temp, 'out')
    await expect(workspace.call('materialise', { snapshot_id: id, dir, paths: ['typo'] })).rejects.toMatchObject({
      code: 'PATH_NOT_FOUND',
    })
    expect(fs.existsSync(dir)).toBe(false)
  })
})

describe('a field', () => {
  test('that the tool does not know is named, not passed over: a misspelt dry run must not restore', async () => {
    const { workspace, id, unchanged } = await prepared()
    await expect(workspace.call('restore', { snapshot_id: id, dryrun: true } as never)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('dryrun'),
    })
    expect(await workspace.call('restore', { snapshot_id: id, dryRun: true } as never)).toMatchObject({ dry_run: true })
    await unchanged()
  })

  test('of the wrong type is named', async () => {
    const { workspace, unchanged } = await prepared()
    const { exit, json } = await workspace.tw(['call', 'restore', '{"snapshot_id": 5}'])
    expect({ exit, code: json.error.code }).toEqual({ exit: 2, code: 'BAD_INPUT' })
    expect(json.error.message).toContain('snapshot_id')
    await unchanged()
  })

  test('that is needed is named', async () => {
    const { workspace } = await prepared()
    await refuses(workspace, ['restore'], { exit: 2, code: 'BAD_INPUT', hint: /timewarp restore --help/ })
  })
})

describe('a folder that cannot be a workspace', () => {
  const refused = { exit: 4, code: 'WORKSPACE_REFUSED', hint: /timewarp -C DIR init/ }
  const COMMANDS = ['init', 'snapshot'] as const

  test.for(COMMANDS)('is the whole file system, for %s', async (command) => {
    const workspace = newWorkspace()
    await refuses(workspace, [command, '-C', '/'], refused)
    expect(fs.existsSync('/.timewarp')).toBe(false)
  })

  test.for(COMMANDS)('is the home directory, by any of its names, for %s', async (command) => {
    const workspace = newWorkspace()
    const home = join(workspace.temp, 'user')
    fs.mkdirSync(home)
    fs.symlinkSync(home, join(workspace.temp, 'link'))
    await refuses(workspace, [command, '-C', home], refused)
    await refuses(workspace, [command, '-C', join(workspace.temp, 'link')], refused)
    await refuses(workspace, [command], refused, { cwd: home })
    expect(fs.readdirSync(home)).toEqual([])
  })

  test.for(COMMANDS)('is the store or lies in it, for %s', async (command) => {
    const { workspace } = await prepared()
    const inside = join(workspace.home, 'objects', 'inside')
    fs.mkdirSync(inside)
    await refuses(workspace, [command, '-C', workspace.home], refused)
    await refuses(workspace, [command, '-C', inside], refused)
    expect(fs.readdirSync(inside)).toEqual([])
    fs.rmdirSync(inside)
    expect(await workspace.call('fsck')).toMatchObject({ ok: true })
  })

  test.for(COMMANDS)('holds the store, for %s', async (command) => {
    const workspace = newWorkspace({ file: 'x' })
    await refuses(workspace, [command], refused, { env: { TIMEWARP_HOME: workspace.at('store') } })
    expect(workspace.has('.timewarp')).toBe(false)
  })

  test('is a file', async () => {
    const workspace = newWorkspace({ file: 'x' })
    await refuses(workspace, ['init', '-C', workspace.at('file')], refused)
  })

  test('does not exist', async () => {
    const workspace = newWorkspace()
    const missing = { exit: 3, code: 'ROOT_MISSING' }
    for (const command of ['init', 'snapshot', 'status', 'log'])
      await refuses(workspace, [command, '-C', workspace.at('nowhere')], missing)
    expect(fs.readdirSync(workspace.root)).toEqual([])
  })

  test('is a symlink to nothing', async () => {
    const workspace = newWorkspace()
    fs.symlinkSync('nowhere', workspace.at('link'))
    await refuses(workspace, ['init', '-C', workspace.at('link')], { exit: 3, code: 'ROOT_MISSING' })
  })
})

test('a folder that is in no workspace is told how to become one', async () => {
  const workspace = newWorkspace()
  for (const args of [['status'], ['log'], ['restore', 'latest'], ['undo']])
    await refuses(workspace, args, { exit: 3, code: 'WORKSPACE_UNKNOWN', hint: /timewarp -C .* init/ })
  expect(fs.readdirSync(workspace.root)).toEqual([])
})

test('a workspace whose folder is gone says how to bring it back, and that works', async () => {
  const { workspace, id } = await prepared()
  await workspace.close()
  fs.rmSync(workspace.root, { recursive: true })
  const [away, there] = [{ cwd: workspace.temp }, ['-C', workspace.root]]
  await refuses(workspace, ['snapshot', ...there], { exit: 3, code: 'ROOT_MISSING', hint: /restore latest/ }, away)
  expect(await workspace.tw(['status', ...there], away)).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/restore latest|oops/),
  })
  expect(fs.existsSync(workspace.root)).toBe(false)
  expect(await workspace.tw(['cat', id, 'c', ...there], away)).toMatchObject({ exit: 0, stdout: '1' })
  expect(await workspace.tw(['materialise', id, join(workspace.temp, 'back'), ...there], away)).toMatchObject({
    exit: 0,
  })
  expect(await workspace.tw(['restore', 'latest', ...there], away)).toMatchObject({ exit: 0 })
  expect([workspace.read('a/b'), workspace.read('c')]).toEqual(['2', '1'])
})

describe('settings', () => {
  test.for([
    ['not JSON', '{"exclude": [', /not JSON/],
    ['an unknown key', '{"max_file_size": 5}', /max_file_size/],
    ['an unknown key further down', '{"retention": {"edit_days": 5}}', /retention\.edit_days/],
    ['a value of the wrong type', '{"max_file_bytes": "big"}', /max_file_bytes/],
    ['a value out of range', '{"max_file_bytes": -1}', /max_file_bytes/],
    ['a list instead of an object', '[]', /config\.json/],
    ['nothing', '', /not JSON/],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0]), /not JSON/],
  ] as const)('that are %s stop no capture: they are reported, and nothing is pruned', async ([, text, named]) => {
    const { workspace } = await prepared()
    for (const file of [workspace.at('.timewarp/config.json'), join(workspace.home, 'config.json')]) {
      fs.writeFileSync(file, text)
      workspace.write({ c: file })
      const taken = await workspace.tw(['snapshot', '--json'])
      expect(taken).toMatchObject({ exit: 0, json: { created: true, modified: 1 } })
      const { json: status } = await workspace.tw(['status', '--json'])
      const name = file.startsWith(workspace.home) ? file : '.timewarp/config.json'
      for (const { warnings } of [taken.json, status]) {
        expect(warnings).toEqual([expect.stringMatching(named)])
        expect(warnings[0]).toContain(name)
      }
      const restored = await workspace.tw(['restore', 'latest~1', '--json'])
      expect(restored.exit).toBe(0)
      await refuses(workspace, ['prune'], { exit: 4, code: 'RETENTION_UNKNOWN', hint: /config --schema/ })
      const mend = ['config', 'max_file_bytes', '5', ...(name === file ? ['--home'] : [])]
      if (text.toString().endsWith('}')) {
        expect((await workspace.tw(mend)).exit).toBe(0)
        expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toMatchObject({ max_file_bytes: 5 })
      } else {
        await refuses(workspace, mend, { exit: 2, code: 'CONFIG_BAD', hint: /config --schema/ })
        expect(fs.readFileSync(file)).toEqual(Buffer.from(text))
      }
      fs.rmSync(file)
    }
  })

  test('that are wrong in one place hold everywhere else', async () => {
    const { workspace } = await prepared()
    const home = { nonsense: 1, max_file_bytes: 'big', exclude: ['*.x'], retention: { edits_days: 5, manual_days: -1 } }
    fs.writeFileSync(join(workspace.home, 'config.json'), JSON.stringify(home))
    const { settings } = await workspace.call('config', {})
    expect(settings).toMatchObject({
      exclude: ['*.x'],
      max_file_bytes: 256 * 1024 * 1024,
      retention: { edits_days: 5, manual_days: 90, auto: false },
    })
  })

  test('with a wrong key or value are not written', async () => {
    const { workspace, unchanged } = await prepared()
    const wrong = [
      ['nonsense', '1'],
      ['retention.nonsense', '1'],
      ['max_file_bytes', 'big'],
      ['max_file_bytes.deeper', '1'],
      ['exclude', '{"a": 1}'],
      ['exclude.0', 'x'],
      ['__proto__.polluted', '1'],
      ['constructor.prototype.polluted', '1'],
    ]
    for (const [key = '', value = ''] of wrong) {
      const { exit } = await workspace.tw(['config', key, value, '--json'])
      expect({ key, exit }).toEqual({ key, exit: 2 })
    }
    await unchanged()
  })

  test('under a key that is a number are refused, also when the number is set', async () => {
    const { workspace } = await prepared()
    await workspace.call('config', { key: 'max_file_bytes', value: '5000' })
    const { exit } = await workspace.tw(['config', 'max_file_bytes.deeper', '1', '--json'])
    expect(exit).toBe(2)
    expect((await workspace.call('config', { key: 'max_file_bytes' })).settings).toEqual({ max_file_bytes: 5000 })
  })

  test('that ask for an unknown key say so', async () => {
    const { workspace } = await prepared()
    const { json } = await refuses(workspace, ['config', 'nonsense'], { exit: 2, code: 'BAD_INPUT' })
    expect(json.error.message).toContain('nonsense')
  })

  test.for(['.timewarp/config.json/', '.timewarpignore/'])(
    'in a folder where a file is due are no bug: %s',
    async (path) => {
      const { workspace } = await prepared()
      workspace.write({ [path]: '' })
      const { exit, json } = await workspace.tw(['snapshot', '--json'])
      expect({ exit, warnings: json.warnings }).toEqual({
        exit: 0,
        warnings: [expect.stringContaining('it is a folder')],
      })
    },
  )
})

describe('a store', () => {
  /** Changes the version that one room of the records claims to have. */
  const writeAsNewer = (workspace: Workspace): void => {
    const db = new DatabaseSync(join(workspace.home, 'timewarp.db'))
    db.exec('UPDATE versions SET version = version + 90')
    db.close()
  }

  test('written by a newer version is left alone', async () => {
    const { workspace, id } = await prepared()
    await workspace.close()
    writeAsNewer(workspace)
    const before = describeTree(workspace.root)
    for (const args of [['snapshot'], ['restore', id], ['log'], ['gc'], ['fsck'], ['prune'], ['fsck', '--rebuild']])
      await refuses(workspace, args, { exit: 4, code: 'STORE_NEWER', hint: /Update Timewarp/ })
    expect(describeTree(workspace.root)).toEqual(before)
  })

  test('whose records are no database is damaged, and the packs stay', async () => {
    const { workspace } = await prepared()
    await workspace.close()
    const packs = fs.readdirSync(join(workspace.home, 'objects'))
    for (const suffix of ['', '-wal', '-shm']) fs.rmSync(join(workspace.home, `timewarp.db${suffix}`), { force: true })
    fs.writeFileSync(
      join(workspace.home, 'timewarp.db'),
      'this is not a database, but long enough to be read as one'.repeat(50),
    )
    await refuses(workspace, ['snapshot'], { exit: 20, code: 'RECORDS_DAMAGED', hint: /fsck --rebuild/ })
    expect(fs.readdirSync(join(workspace.home, 'objects'))).toEqual(packs)
  })

  test('whose place is taken by a file is no bug', async () => {
    const workspace = newWorkspace({ file: 'x' })
    fs.writeFileSync(workspace.home, 'a file')
    const { exit, json } = await workspace.tw(['snapshot', '--json'])
    expect([2, 4]).toContain(exit)
    expect(json.error.message).toContain(workspace.home)
    expect(workspace.has('.timewarp')).toBe(false)
  })
})

test('.timewarp as a file is no bug and stays as it is', async () => {
  const workspace = newWorkspace({ file: 'x', '.timewarp': 'mine' })
  const { exit, json } = await workspace.tw(['snapshot', '--json'])
  expect({ exit, code: json.error?.code }).not.toEqual({ exit: 70, code: 'INTERNAL' })
  expect(workspace.read('.timewarp')).toBe('mine')
})

test('.timewarp as a symlink is not followed', async () => {
  const workspace = newWorkspace({ file: 'x' })
  const outside = join(workspace.temp, 'outside')
  fs.mkdirSync(outside)
  fs.symlinkSync(outside, workspace.at('.timewarp'))
  await workspace.tw(['snapshot', '--json'])
  expect(fs.readdirSync(outside)).toEqual([])
})

describe.runIf(isRoot)('without permission', () => {
  const asNobody = { asNobody: true }
  const denied = { exit: 4, code: 'NO_PERMISSION', hint: /owner and mode/ }

  test('for the store nothing is captured', async () => {
    const workspace = newWorkspace({ file: 'x' })
    workspace.giveToNobody()
    fs.mkdirSync(workspace.home, { mode: 0o700 })
    const { json } = await refuses(workspace, ['snapshot'], denied, asNobody)
    expect(json.error.data.path).toContain(workspace.home)
    expect(workspace.has('.timewarp')).toBe(false)
  })

  test('to make the store nothing is captured', async () => {
    const workspace = newWorkspace({ file: 'x' })
    workspace.giveToNobody()
    fs.chownSync(workspace.temp, 0, 0)
    fs.chmodSync(workspace.temp, 0o755)
    await refuses(workspace, ['snapshot'], denied, asNobody)
    expect(workspace.has('.timewarp')).toBe(false)
  })

  test('to read the workspace nothing is captured', async () => {
    const workspace = newWorkspace({ file: 'x' })
    workspace.giveToNobody()
    fs.chmodSync(workspace.root, 0)
    await refuses(workspace, ['snapshot', '-C', workspace.root], denied, { ...asNobody, cwd: workspace.temp })
  })

  test('to read a store that somebody else owns nothing is restored', async () => {
    const { workspace, id } = await prepared()
    await workspace.close()
    workspace.giveToNobody()
    shell('chown -R 0:0 "$1" && chmod -R go-rwx "$1"', workspace.home)
    const before = describeTree(workspace.root)
    await refuses(workspace, ['restore', id], denied, asNobody)
    expect(describeTree(workspace.root)).toEqual(before)
  })

  test('to write to a store that can be read the answer is the same', async () => {
    const { workspace } = await prepared()
    await workspace.close()
    workspace.giveToNobody()
    shell('chown -R 0:0 "$1" && chmod -R go+rX "$1"', workspace.home)
    await refuses(workspace, ['snapshot'], denied, asNobody)
  })

  test('to change files of somebody else these are reported, and the rest is restored', async () => {
    const workspace = newWorkspace({ 'theirs/file': 'then', mine: 'then' })
    workspace.giveToNobody()
    const { json } = await workspace.tw(['snapshot', '--json'], asNobody)
    workspace.write({ 'theirs/file': 'now', mine: 'now' })
    shell('chown -R 0:0 "$1"', workspace.at('theirs'))
    const back = await workspace.tw(['restore', json.snapshot_id, '--json'], asNobody)
    expect(back).toMatchObject({ exit: 0, json: { restored: ['mine'] } })
    const reported = [...back.json.skipped, ...back.json.conflicts].map(({ path }: { path: string }) => path)
    expect(reported).toContain('theirs/file')
    expect([workspace.read('theirs/file'), workspace.read('mine')]).toEqual(['now', 'then'])
  })

  test('to write where a snapshot is to be materialised nothing is', async () => {
    const { workspace, id } = await prepared()
    await workspace.close()
    workspace.giveToNobody()
    const dir = join(workspace.temp, 'locked')
    fs.mkdirSync(dir, { mode: 0o755 })
    const { exit, json } = await workspace.tw(['materialise', id, dir, '--json'], asNobody)
    expect({ exit, code: json.error?.code }).toEqual({ exit: 4, code: 'NO_PERMISSION' })
  })
})

describe('a folder to materialise into', () => {
  test.for(['full', 'file', 'link'])('that is %s is refused', async (kind) => {
    const { workspace, id, unchanged } = await prepared()
    const dir = join(workspace.temp, kind)
    if (kind === 'full') fs.mkdirSync(join(dir, 'something'), { recursive: true })
    if (kind === 'file') fs.writeFileSync(dir, 'x')
    if (kind === 'link') fs.symlinkSync(workspace.root, dir)
    const code = kind === 'full' ? 'FOLDER_NOT_EMPTY' : 'FOLDER_REFUSED'
    await refuses(workspace, ['materialise', id, dir], { exit: 4, code, hint: /folder/ })
    await unchanged()
  })

  test('that lies in the store is refused', async () => {
    const { workspace, id } = await prepared()
    const dir = join(workspace.home, 'objects', 'out')
    await expect(workspace.call('materialise', { snapshot_id: id, dir })).rejects.toThrow()
    expect(fs.existsSync(dir)).toBe(false)
  })
})

describe('nothing to take back', () => {
  test('is said without touching anything', async () => {
    const workspace = newWorkspace({ a: '1' })
    await workspace.tw(['init', '--no-snapshot'])
    await refuses(workspace, ['undo'], { exit: 4, code: 'NOTHING_TO_UNDO' })
    await workspace.snapshot()
    await refuses(workspace, ['undo'], { exit: 4, code: 'NOTHING_TO_UNDO' })
    await refuses(workspace, ['redo'], { exit: 4, code: 'NOTHING_TO_REDO' })
    expect(workspace.read('a')).toBe('1')
  })
})

test('too little free space is told before anything is captured', async () => {
  const { workspace, unchanged } = await prepared()
  fs.writeFileSync(join(workspace.home, 'config.json'), JSON.stringify({ budget: { min_free_bytes: 2 ** 52 } }))
  await refuses(workspace, ['snapshot'], { exit: 4, code: 'NO_SPACE', hint: /prune/ })
  await unchanged()
})

test('for people a fault is two lines on standard error', async () => {
  const { workspace } = await prepared()
  expect(await workspace.tw(['restore', UNKNOWN_ID])).toMatchObject({
    exit: 3,
    stdout: '',
    stderr: `Error: There is no snapshot ${UNKNOWN_ID}\nHint: List them with: timewarp log\n`,
  })
})
