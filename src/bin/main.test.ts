import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { isTooOld } from './process-io.ts'

const root = resolve(import.meta.dirname, '../..')
const main = join(root, 'src/bin/client.ts')
const temp = mkdtempSync(join(tmpdir(), 'timewarp bin '))
afterAll(() => rmSync(temp, { recursive: true, force: true }))

const env = { ...process.env, TIMEWARP_HOME: join(temp, 'home') }
const shell = (script: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script, '-', process.execPath, main, ...args], {
    encoding: 'utf8',
    env,
  })
  return { status, stdout, stderr }
}

test('a reader who has seen enough is no failure', () => {
  const ran = shell('set -o pipefail; "$1" "$2" tools --json | head -c 8')
  expect(ran).toEqual({ status: 0, stdout: '{"tools"', stderr: '' })
})

test('an answer that cannot be written is a failure', () => {
  expect(shell('"$1" "$2" tools > /dev/full')).toMatchObject({
    status: 4,
    stderr: expect.stringContaining('Error: The answer could not be written: ENOSPC'),
  })
})

test('standard input is read when asked for', () => {
  const { status, stdout } = shell('printf "{,}" | "$1" "$2" call status -')
  expect([status, JSON.parse(stdout).error.code]).toEqual([2, 'BAD_INPUT'])
})

test('it works in a folder that was deleted', () => {
  const gone = join(temp, 'gone')
  mkdirSync(gone)
  expect(shell('cd "$3" && rmdir "$3" && "$1" "$2" nonsense', gone)).toEqual({
    status: 2,
    stdout: '',
    stderr: 'Error: There is no command "nonsense".\nHint: See: timewarp --help\n',
  })
})

test.for([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends it with exit %i', async ([signal, code]) => {
  const child = spawn(process.execPath, [main, 'call', 'status', '-'], { env, stdio: ['pipe', 'ignore', 'ignore'] })
  const ended = new Promise((done) => child.on('exit', (status, by) => done([status, by])))
  // More than a pipe holds: once it is written, the child is reading.
  await new Promise((written) => child.stdin.write(Buffer.alloc(1024 * 1024, ' '), written))
  child.kill(signal)
  expect(await ended).toEqual([code, null])
})

test('the demo loses a project and gets it back with the real house, and does not touch the store of the user', () => {
  const { status, stdout, stderr } = shell('"$1" "$2" demo --json')
  expect([status, stderr, JSON.parse(stdout)]).toMatchObject([0, '', { ok: true, files: 6, lost: [] }])
  expect(existsSync(env.TIMEWARP_HOME)).toBe(false)
})

test('the launcher works through symlinks, from anywhere, and with spaces in the path', () => {
  mkdirSync(join(temp, 'some bin'))
  symlinkSync(root, join(temp, 'a clone'))
  symlinkSync('../a clone/bin/timewarp', join(temp, 'some bin/first'))
  symlinkSync('first', join(temp, 'some bin/tw'))
  const { status, stdout } = spawnSync('./some bin/tw', ['--version'], { cwd: temp, encoding: 'utf8', env })
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^timewarp \d+\.\d+\.\d+\n$/)])
})

test('a Node older than 22.15 is too old', () => {
  expect(['20.20.2', '22.14.0', '22.15.0', '23.0.0', '26.10.0'].map(isTooOld)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})
