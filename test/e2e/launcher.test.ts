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
