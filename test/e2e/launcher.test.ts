import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const BIN = resolve(import.meta.dirname, '../../bin')

/** What the program says of itself, called by some words from some folder. */
const version = (words: readonly string[], cwd: string): string => {
  const [program = '', ...args] = words
  const env = { ...process.env, PWD: cwd }
  const { stdout, stderr } = spawnSync(program, [...args, '--version'], { cwd, env, encoding: 'utf8' })
  return `${stdout}${stderr}`
}

test('the program is found however it is called: by symlinks, relative ones, a linked folder, a relative path', () => {
  const dir = fs.mkdtempSync(join(tmpdir(), 'timewarp launcher-'))
  onTestFinished(() => fs.rmSync(dir, { recursive: true, force: true }))
  fs.symlinkSync(join(BIN, 'timewarp'), join(dir, 'absolute'))
  fs.symlinkSync(relative(fs.realpathSync(dir), join(BIN, 'timewarp')), join(dir, 'relative'))
  fs.symlinkSync('relative', join(dir, 'twice'))
  fs.symlinkSync(BIN, join(dir, 'linked folder'))
  fs.symlinkSync(join(BIN, '../src'), join(dir, 'elsewhere'))
  fs.mkdirSync(join(dir, 'deep/down'), { recursive: true })
  fs.symlinkSync('../../relative', join(dir, 'deep/down/up'))
  fs.symlinkSync('deep/down', join(dir, 'shallow'))
  const wanted = version([join(BIN, 'timewarp')], dir)
  expect(wanted).toMatch(/^timewarp \d/)
  for (const [words, cwd] of [
    [[join(dir, 'absolute')], '/'],
    [[join(dir, 'relative')], '/'],
    [[join(dir, 'twice')], '/'],
    [['./twice'], dir],
    [['sh', 'twice'], dir],
    [[join(dir, 'linked folder', 'timewarp')], '/'],
    [[`${join(dir, 'linked folder')}//timewarp`], '/'],
    [[join(dir, 'shallow/up')], '/'],
    [['../bin/timewarp'], join(dir, 'elsewhere')],
    [[`./${basename(BIN)}/timewarp`], dirname(BIN)],
    [['./timewarp'], BIN],
    [['sh', 'timewarp'], BIN],
  ] as const)
    expect([words, version(words, cwd)]).toEqual([words, wanted])
})

test('every path is taken from where a command was started, wherever it goes to look', () => {
  const dir = fs.mkdtempSync(join(tmpdir(), 'timewarp standing-'))
  onTestFinished(() => fs.rmSync(dir, { recursive: true, force: true }))
  fs.mkdirSync(join(dir, 'ws/a'), { recursive: true })
  fs.writeFileSync(join(dir, 'ws/a/file'), 'then')
  const tw = (...args: string[]) => {
    const env = { ...process.env, NODE_COMPILE_CACHE: 'cc', TIMEWARP_HOME: 'home', TIMEWARP_DAEMON: 'off' }
    const ran = spawnSync(join(BIN, 'timewarp'), ['-C', 'ws', ...args, '--json'], { cwd: dir, env, encoding: 'utf8' })
    expect(ran.stderr).toBe('')
    return JSON.parse(ran.stdout)
  }
  const { snapshot_id } = tw('snapshot')
  fs.writeFileSync(join(dir, 'ws/a/file'), 'now')
  tw('snapshot')
  tw('restore', snapshot_id)
  tw('materialise', snapshot_id, 'out')
  expect(fs.readdirSync(dir).toSorted()).toEqual(['cc', 'home', 'out', 'ws'])
  expect(fs.readdirSync(join(dir, 'ws')).toSorted()).toEqual(['.timewarp', 'a'])
  for (const place of ['ws', 'out']) expect(fs.readFileSync(join(dir, place, 'a/file'), 'utf8')).toBe('then')
})

test('programs hold nothing but ASCII, which Node reads in half the time', () => {
  const dist = join(BIN, '../dist')
  for (const name of fs.readdirSync(dist).filter((one) => one.endsWith('.cjs'))) {
    const code = fs.readFileSync(join(dist, name), 'latin1')
    expect([name, /[^\0-\x7f]/.test(code)]).toEqual([name, false])
  }
})
