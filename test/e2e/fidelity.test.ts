import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CHUNK } from '../../src/store/chunker.ts'
import { contentsOf, describePath, describeTree } from '../kit/tree.ts'
import { isRoot, newWorkspace, shell, type Workspace } from '../kit/workspace.ts'

/** After capture, total destruction and restore, a tree is what it was. */

const utf8 = (text: string): Buffer => Buffer.from(text)
const inside = (workspace: Workspace, name: Buffer): Buffer => Buffer.concat([utf8(`${workspace.root}/`), name])
/** Sets a time that Node itself may refuse, such as one before 1970. */
const setTime = (path: string, seconds: string): string => shell('touch -h -d "@$2" -- "$1"', path, seconds)

async function comesBack(workspace: Workspace): Promise<void> {
  const before = describeTree(workspace.root)
  const id = await workspace.snapshot()
  workspace.destroy()
  expect(fs.readdirSync(workspace.root)).toEqual([])
  const receipt = await workspace.restore(id)
  expect(describeTree(workspace.root)).toEqual(before)
  expect(receipt).toMatchObject({ skipped: [], conflicts: [], deleted: [] })
}

describe('names', () => {
  test.for([
    ['spaces', utf8(' a  b ')],
    ['a newline', utf8('one\ntwo\r\n')],
    ['quotes', utf8(`"it's" \`x\``)],
    ['C-quoting in its plain form', utf8('"\\303\\244"')],
    ['emoji', utf8('👩‍👩‍👧‍👦 ✅')],
    ['bytes that are not UTF-8', Buffer.from([0x66, 0xff, 0xfe, 0x80, 0x2e, 0x74])],
    ['a half of a sequence', Buffer.from([0xe2, 0x82])],
    ['a surrogate written as UTF-8', Buffer.from([0xed, 0xb3, 0xbf])],
    ['a real replacement character', utf8('\ufffd')],
    ['a byte order mark', utf8('\ufeffname')],
    ['backslashes', utf8('a\\b\\')],
    ['a leading dash', utf8('-rf')],
    ['control characters', Buffer.from([1, 7, 8, 9, 27, 127])],
    ['signs of patterns', utf8('!#*?[a]{b}')],
    ['three dots', utf8('...')],
    ['a leading tilde', utf8('~')],
    ['255 bytes', utf8('n'.repeat(255))],
    ['255 bytes of emoji', utf8(`${'🧪'.repeat(63)}abc`)],
    ['letters composed and decomposed', utf8('\u00e9e\u0301')],
  ] as const)('with %s come back as files, folders and symlinks', async ([, name]) => {
    const workspace = newWorkspace()
    fs.mkdirSync(inside(workspace, name))
    for (const kind of ['file', 'folder', 'link']) fs.mkdirSync(workspace.at(kind))
    const within = (folder: string): Buffer => inside(workspace, Buffer.concat([utf8(`${folder}/`), name]))
    fs.writeFileSync(within('file'), 'content')
    fs.mkdirSync(within('folder'))
    fs.symlinkSync(name, within('link'))
    fs.writeFileSync(Buffer.concat([inside(workspace, name), utf8('/'), name]), 'deeper')
    await comesBack(workspace)
  })

  test('that differ only in case, or in how they are composed, are different names', async () => {
    await comesBack(newWorkspace({ a: '1', A: '2', '\u00e9': '3', 'e\u0301': '4', 'Dir/x': '5', 'dir/x': '6' }))
  })

  test('that differ from a default exclude in case are not excluded', async () => {
    const workspace = newWorkspace({
      'Build/a': '1',
      'TARGET/b': '2',
      'Dist/c': '3',
      'x.LOG': '4',
      'Node_Modules/d': '5',
    })
    await comesBack(workspace)
  })

  test('that sort differently by bytes and by code units keep their order', async () => {
    await comesBack(
      newWorkspace({ '\u{1f600}': '1', '\uff5e': '2', a: '3', 'a.b': '4', 'b/b': '5', 'b-b': '6', b0: '7' }),
    )
  })

  test('in a path of about 4000 bytes and 150 levels come back', async () => {
    const workspace = newWorkspace({ 'shallow/file': 'x' })
    const levels = Math.floor((4080 - Buffer.byteLength(workspace.root)) / 26)
    workspace.write({ [`${Array.from({ length: levels }, () => 'abcdefghijklmnopqrstuvwxy').join('/')}/f`]: 'deep' })
    await comesBack(workspace)
  })

  test('in a path longer than the system takes are reported, and the rest is captured', async () => {
    const workspace = newWorkspace({ near: 'x' })
    shell(
      'cd "$1" && for i in $(seq 30); do mkdir "$2" && cd -P "$2" || exit 1; done; echo deep > far',
      workspace.root,
      'd'.repeat(200),
    )
    const { warnings, snapshot_id } = await workspace.call('snapshot')
    expect(warnings.filter((warning) => warning.includes('is not captured'))).toHaveLength(1)
    fs.rmSync(workspace.at('near'))
    await workspace.restore(snapshot_id)
    expect(workspace.read('near')).toBe('x')
  })
})

describe('symlinks', () => {
  test('dangling, looping, pointing outside and to folders come back, and none is followed', async () => {
    const workspace = newWorkspace({ 'folder/file': 'x' })
    const outside = join(workspace.temp, 'outside')
    fs.mkdirSync(outside)
    fs.writeFileSync(join(outside, 'precious'), 'mine')
    const links: Record<string, string | Buffer> = {
      dangling: 'nowhere/at/all',
      'to itself': 'to itself',
      ping: 'pong',
      pong: 'ping',
      up: '..',
      here: '.',
      'outside folder': outside,
      'outside file': join(outside, 'precious'),
      folder2: 'folder',
      file2: 'folder/file',
      'not utf8': Buffer.from([0xff, 0x2f, 0xfe]),
      long: 'x/'.repeat(2000),
      root: '/',
    }
    for (const [name, target] of Object.entries(links)) fs.symlinkSync(target, workspace.at(name))
    for (const name of Object.keys(links)) setTime(workspace.at(name), '1234567890.654321')
    const before = describeTree(outside)
    await comesBack(workspace)
    expect(describeTree(outside)).toEqual(before)
  })

  test('that were repointed come back without touching what they pointed to', async () => {
    const workspace = newWorkspace({ 'a/f': 'a', 'b/f': 'b' })
    fs.symlinkSync('a', workspace.at('current'))
    const id = await workspace.snapshot()
    fs.rmSync(workspace.at('current'))
    fs.symlinkSync('b', workspace.at('current'))
    expect(await workspace.restore(id)).toMatchObject({ restored: ['current'], deleted: [] })
    expect(fs.readlinkSync(workspace.at('current'))).toBe('a')
    expect([workspace.read('a/f'), workspace.read('b/f')]).toEqual(['a', 'b'])
  })
})

describe('contents', () => {
  test('CRLF, byte order marks, binary and empty files come back byte by byte', async () => {
    await comesBack(
      newWorkspace({
        crlf: 'a\r\nb\r\n',
        cr: 'a\rb',
        'no newline at the end': 'a\nb',
        bom: '\ufeffhello\n',
        utf16: Buffer.from('\ufeffhello', 'utf16le'),
        zero: Buffer.alloc(1),
        zeroes: Buffer.alloc(100_000),
        random: randomBytes(100_000),
        latin1: Buffer.from('\u00fc', 'latin1'),
        empty: '',
        'twice/empty': '',
        'same/as/random': Buffer.alloc(5, 'x'),
        'same/too': Buffer.alloc(5, 'x'),
      }),
    )
  })

  test('of the sizes at which chunks begin and end come back', async () => {
    const workspace = newWorkspace()
    const noise = randomBytes(CHUNK.max + 1)
    for (const size of [CHUNK.min, CHUNK.normal, CHUNK.max])
      for (const length of [size - 1, size, size + 1]) {
        workspace.write({ [`noise ${length}`]: noise.subarray(0, length), [`zeroes ${length}`]: Buffer.alloc(length) })
      }
    workspace.write({
      'noise twice the most': Buffer.concat([noise, noise]),
      'zeroes and one': Buffer.alloc(2 * CHUNK.max + 1),
    })
    await comesBack(workspace)
  })

  test('with holes come back, and so does a large file that was appended to and cut', async () => {
    const workspace = newWorkspace({ log: randomBytes(6 * 1024 * 1024) })
    fs.truncateSync(workspace.at('log'), 20 * 1024 * 1024)
    const long = await workspace.snapshot()
    const before = describeTree(workspace.root)
    fs.truncateSync(workspace.at('log'), 5 * 1024 * 1024 + 1)
    const short = await workspace.snapshot()
    const after = describeTree(workspace.root)
    await workspace.restore(long)
    expect(describeTree(workspace.root)).toEqual(before)
    await workspace.restore(short)
    expect(describeTree(workspace.root)).toEqual(after)
  })

  test('of 300 MiB come back when the limit is raised', async () => {
    const workspace = newWorkspace()
    fs.mkdirSync(workspace.home)
    fs.writeFileSync(join(workspace.home, 'config.json'), JSON.stringify({ max_file_bytes: 400 * 1024 * 1024 }))
    writeLarge(workspace.at('large'), 300)
    await comesBack(workspace)
  })
})

/** Noise that occurs again, noise that occurs once, and text, a third each. */
function writeLarge(path: string, mebibytes: number): void {
  const [noise, text] = [randomBytes(1024 * 1024), Buffer.alloc(1024 * 1024, 'all work and no play\n')]
  const fd = fs.openSync(path, 'w')
  for (let i = 0; i < mebibytes; i++)
    fs.writeSync(fd, i % 3 === 0 ? text : i % 3 === 1 ? noise : randomBytes(1024 * 1024))
  fs.closeSync(fd)
}

describe('modes', () => {
  test('of files and folders come back, with set-uid, set-gid and sticky bits', async () => {
    const workspace = newWorkspace()
    const modes = [
      0o600,
      0o644,
      0o755,
      0o400,
      0o444,
      0o555,
      0o777,
      0o666,
      0o4755,
      0o2755,
      0o1644,
      0o6711,
      0o7777,
      // What may not be read can be captured by root alone.
      ...(isRoot ? [0o111] : []),
    ]
    for (const mode of modes) {
      workspace.write({ [`file ${mode.toString(8)}`]: 'x', [`folder ${mode.toString(8)}/inside`]: 'y' })
      fs.chmodSync(workspace.at(`file ${mode.toString(8)}`), mode)
      // Others than root can neither read nor empty every folder.
      fs.chmodSync(workspace.at(`folder ${mode.toString(8)}`), isRoot ? mode : mode | 0o700)
    }
    workspace.write({ 'empty and read-only/': '' })
    fs.chmodSync(workspace.at('empty and read-only'), 0o555)
    await comesBack(workspace)
  })

  test('come back alone when nothing else changed, and the content is not written again', async () => {
    const workspace = newWorkspace({ 'a/script': '#!/bin/sh', 'a/other': 'x' })
    fs.chmodSync(workspace.at('a/script'), 0o755)
    const id = await workspace.snapshot()
    const before = describeTree(workspace.root)
    const { ino } = fs.statSync(workspace.at('a/script'))
    fs.chmodSync(workspace.at('a/script'), 0o600)
    fs.chmodSync(workspace.at('a'), 0o700)
    expect((await workspace.restore(id)).restored).toContain('a/script')
    expect(describeTree(workspace.root)).toEqual(before)
    expect(fs.statSync(workspace.at('a/script')).ino).toBe(ino)
  })

  test('do not depend on the umask', async () => {
    const workspace = newWorkspace({ open: 'x', 'folder/closed': 'y' })
    fs.chmodSync(workspace.at('open'), 0o666)
    fs.chmodSync(workspace.at('folder'), 0o777)
    const before = describeTree(workspace.root)
    const id = await workspace.snapshot()
    workspace.destroy()
    const run = 'umask 077 && TIMEWARP_HOME="$1" TIMEWARP_DAEMON=off "$2/bin/timewarp" -C "$3" restore "$4"'
    shell(run, workspace.home, process.cwd(), workspace.root, id)
    expect(describeTree(workspace.root)).toEqual(before)
  })

  test.runIf(isRoot)('of read-only files and folders come back for a user who is not root', async () => {
    const workspace = newWorkspace({
      'ro/file': 'x',
      'ro/deep/file': 'y',
      'ro/deep/other': 'z',
      plain: 'p',
      'ro/empty/': '',
    })
    for (const file of ['ro/file', 'ro/deep/file']) fs.chmodSync(workspace.at(file), 0o444)
    for (const folder of ['ro/empty', 'ro/deep', 'ro']) fs.chmodSync(workspace.at(folder), 0o555)
    workspace.giveToNobody()
    const before = describeTree(workspace.root)
    const first = await workspace.tw(['snapshot', '--json'], { asNobody: true })
    expect(first).toMatchObject({ exit: 0, json: { warnings: [expect.stringContaining('was not a workspace yet')] } })
    workspace.destroy()
    const back = await workspace.tw(['restore', first.json.snapshot_id, '--json'], { asNobody: true })
    expect(back).toMatchObject({ exit: 0, json: { skipped: [], conflicts: [] } })
    expect(describeTree(workspace.root)).toEqual(before)
  })

  test.runIf(isRoot)(
    'let a user who is not root change what lies in read-only folders, and are set again',
    async () => {
      const workspace = newWorkspace({ 'ro/changed': 'old', 'ro/deep/deleted': 'y', 'ro/gone/file': 'z' })
      for (const folder of ['ro/deep', 'ro/gone', 'ro']) fs.chmodSync(workspace.at(folder), 0o555)
      workspace.giveToNobody()
      const before = describeTree(workspace.root)
      const id = (await workspace.tw(['snapshot', '--json'], { asNobody: true })).json.snapshot_id
      workspace.write({ 'ro/changed': 'new', 'ro/new': 'n', 'ro/fresh/locked/file': 'f' })
      fs.rmSync(workspace.at('ro/deep/deleted'))
      fs.rmSync(workspace.at('ro/gone'), { recursive: true })
      for (const folder of ['ro/fresh/locked', 'ro/fresh']) fs.chmodSync(workspace.at(folder), 0o555)
      workspace.giveToNobody()
      const back = await workspace.tw(['restore', id, '--json'], { asNobody: true })
      expect(back).toMatchObject({ exit: 0, json: { skipped: [], conflicts: [] } })
      expect(describeTree(workspace.root)).toEqual(before)
    },
  )
})

describe('times', () => {
  test.for([
    ['1970', '0.000001'],
    ['the last microsecond of a second', '1700000000.999999'],
    ['an odd microsecond', '1700000000.123457'],
    ['a nanosecond below the next microsecond', '1700000000.123456999'],
    ['before 1970', '-1500.000123'],
    ['1901', '-2147480000.5'],
    ['2038', '2147483647.999999'],
    ['2100', '4102444800.000001'],
    ['2200', '7258118400.123457'],
    // Beyond 2242 the system call, which takes a double, has no digits left for microseconds.
    ['2240', '8520336000.123457'],
  ] as const)('of %s come back to the microsecond', async ([, seconds], { skip }) => {
    const workspace = newWorkspace({ file: 'x', 'folder/file': 'y' })
    fs.symlinkSync('nowhere', workspace.at('link'))
    for (const path of ['file', 'folder/file', 'link', 'folder']) setTime(workspace.at(path), seconds)
    const kept = Number(shell('stat -c %.9Y -- "$1"', workspace.at('file')))
    if (Math.abs(kept - Number(seconds)) > 0.001) skip('this file system cannot keep such a time')
    await comesBack(workspace)
  })

  test('come back alone when nothing else changed', async () => {
    const workspace = newWorkspace({ 'a/touched': 'x', 'a/other': 'y' })
    const before = describeTree(workspace.root)
    const id = await workspace.snapshot()
    setTime(workspace.at('a/touched'), '1000.5')
    setTime(workspace.at('a'), '2000.5')
    expect(await workspace.restore(id)).toMatchObject({ restored: ['a/touched'], deleted: [], skipped: [] })
    expect(describeTree(workspace.root)).toEqual(before)
  })

  test('of what did not change are left alone, also those of folders around a changed file', async () => {
    const workspace = newWorkspace({ 'a/b/changed': 'x', 'a/b/same': 'y', 'c/same': 'z' })
    setTime(workspace.at('a/b'), '1500000000.000001')
    const before = describeTree(workspace.root)
    const id = await workspace.snapshot()
    const { ino, ctimeMs } = fs.statSync(workspace.at('c/same'))
    workspace.write({ 'a/b/changed': 'changed', 'a/b/new': 'n' })
    expect(await workspace.restore(id)).toMatchObject({ restored: ['a/b/changed'], deleted: ['a/b/new'] })
    expect(describeTree(workspace.root)).toEqual(before)
    expect(fs.statSync(workspace.at('c/same'))).toMatchObject({ ino, ctimeMs })
  })
})

describe('one kind in place of another', () => {
  type Make = (at: string) => void
  const kinds: Record<string, Make> = {
    'a file': (at) => fs.writeFileSync(at, 'file'),
    'an empty folder': (at) => fs.mkdirSync(at),
    'a folder with files': (at) => {
      fs.mkdirSync(join(at, 'deep/deeper'), { recursive: true })
      fs.writeFileSync(join(at, 'deep/deeper/file'), 'x')
      fs.writeFileSync(join(at, 'file'), 'y')
    },
    'a symlink to a folder': (at) => fs.symlinkSync('elsewhere', at),
    'a dangling symlink': (at) => fs.symlinkSync('nowhere', at),
    nothing: () => {},
  }
  const pairs = Object.keys(kinds).flatMap((a) => Object.keys(kinds).flatMap((b) => (a === b ? [] : [[a, b] as const])))

  test.for(pairs)('%s comes back where %s is now, and the other way round', async ([then, now]) => {
    const workspace = newWorkspace({ 'elsewhere/file': 'keep', 'folder/beside': 'keep too' })
    const at = workspace.at('folder/it')
    kinds[then]?.(at)
    const first = describeTree(workspace.root)
    const id = await workspace.snapshot()
    fs.rmSync(at, { recursive: true, force: true })
    kinds[now]?.(at)
    const second = describeTree(workspace.root)
    const receipt = await workspace.restore(id)
    expect(receipt).toMatchObject({ skipped: [], conflicts: [] })
    expect(describeTree(workspace.root)).toEqual(first)
    await workspace.call('undo')
    expect(describeTree(workspace.root)).toEqual(second)
    await workspace.call('redo')
    expect(describeTree(workspace.root)).toEqual(first)
  })
})

describe('whole trees', () => {
  test('of five hundred files in many folders come back through threads', async () => {
    const workspace = newWorkspace()
    for (let i = 0; i < 500; i++) {
      workspace.write({ [`${i % 7}/${i % 11}/${i}`]: `content ${i % 50}\n`.repeat(i % 20) })
      fs.utimesSync(workspace.at(`${i % 7}/${i % 11}/${i}`), 0, 1_600_000_000 + i + i / 1e6)
    }
    await comesBack(workspace)
  })

  test('with empty folders only come back', async () => {
    await comesBack(newWorkspace({ 'a/b/c/': '', 'd/': '' }))
  })

  test('that are empty are a state like any other', async () => {
    const workspace = newWorkspace()
    const id = await workspace.snapshot()
    workspace.write({ 'a/b': 'x' })
    expect(await workspace.restore(id)).toMatchObject({ deleted: ['a', 'a/b'], restored: [], skipped: [] })
    expect(describeTree(workspace.root)).toEqual({})
  })

  test('are the newest snapshot after a restore, which the next capture only confirms', async () => {
    const workspace = newWorkspace({ 'a/b': 'x', c: 'y' })
    const { tree, snapshot_id } = await workspace.call('snapshot')
    workspace.write({ 'a/b': 'z', d: 'new' })
    const { new_snapshot_id } = await workspace.restore(snapshot_id)
    expect(await workspace.call('snapshot')).toMatchObject({ tree, created: false, snapshot_id: new_snapshot_id })
  })

  test('can be written into another folder', async () => {
    const workspace = newWorkspace({ 'a/b': 'x', 'empty/': '', 'odd\nname': Buffer.from([0xff]) })
    fs.symlinkSync('a', workspace.at('link'))
    fs.chmodSync(workspace.at('a'), 0o555)
    setTime(workspace.at('a/b'), '1234567890.123457')
    const before = describeTree(workspace.root)
    const id = await workspace.snapshot()
    const dir = join(workspace.temp, 'new/folder')
    expect(await workspace.call('materialise', { snapshot_id: id, dir })).toMatchObject({ files: 3, skipped: [] })
    expect(describeTree(dir)).toEqual(before)
    expect(describeTree(workspace.root)).toEqual(before)
  })

  test('can be written into another folder in part', async () => {
    const workspace = newWorkspace({ 'a/b/c': 'x', 'a/b/d': 'y', 'a/e': 'z', f: '1' })
    const id = await workspace.snapshot()
    const dir = join(workspace.temp, 'part')
    await workspace.call('materialise', { snapshot_id: id, dir, paths: ['a/b/c', 'f'] })
    expect(Object.keys(describeTree(dir))).toEqual(['a', 'a/b', 'a/b/c', 'f'])
  })

  test('with hard links come back when both names were changed in place', async () => {
    const workspace = newWorkspace({ one: 'then', 'folder/three': 'then' })
    fs.linkSync(workspace.at('one'), workspace.at('two'))
    const before = describeTree(workspace.root)
    const id = await workspace.snapshot()
    fs.writeFileSync(workspace.at('one'), 'now!')
    expect(await workspace.restore(id)).toMatchObject({ restored: ['one', 'two'], conflicts: [], skipped: [] })
    expect(describeTree(workspace.root)).toEqual(before)
  })

  test('lose hard links that were added since', async () => {
    const workspace = newWorkspace({ one: 'x' })
    const id = await workspace.snapshot()
    workspace.write({ new: 'y' })
    fs.linkSync(workspace.at('new'), workspace.at('new too'))
    expect(await workspace.restore(id)).toMatchObject({ deleted: ['new', 'new too'], conflicts: [] })
    expect(contentsOf(describeTree(workspace.root))).toEqual({ one: describePath(workspace.at('one')).content })
  })

  test('that git tracks come back after .git is gone too, also what default patterns would exclude', async () => {
    const workspace = newWorkspace({ 'dist/tracked.js': 'x', 'src/a': 'y' })
    shell('cd "$1" && git init -q && git add -f dist src', workspace.root)
    const id = await workspace.snapshot()
    workspace.destroy()
    await workspace.restore(id)
    expect(Object.keys(describeTree(workspace.root))).toEqual(['dist', 'dist/tracked.js', 'src', 'src/a'])
  })

  test('captured under settings in .timewarp come back although these are gone', async () => {
    const workspace = newWorkspace({ 'node_modules/kept/index.js': 'x' })
    workspace.write({ '.timewarp/config.json': '{"default_excludes": false}' })
    await comesBack(workspace)
  })
})

test('what is too deep for the system to be called by its whole name is told by everybody in the same way', async () => {
  const workspace = newWorkspace({ top: 'x' })
  // From within the workspace one name more can be called than from outside.
  const fill =
    'cd "$1"; i=0; while [ $i -lt 20 ]; do d=$(printf "%0230d" $i); mkdir $d && cd $d && echo $i > $(printf "%0140d" 0); i=$((i+1)); done'
  shell(fill, workspace.root)
  await workspace.tw(['init'])
  const { json } = await workspace.tw(['snapshot', '--json'])
  const own = await workspace.call('snapshot', { label: 'own' })
  expect([json.tree, json.warnings]).toEqual([own.tree, own.warnings])
  expect(own.warnings.join()).toContain('is not captured')
  await workspace.call('status')
})
