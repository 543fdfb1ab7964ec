import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as net from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { answerOf, beginStore } from '../kit/workspace.ts'
import { type Live, newLive, REPOSITORY, until } from './kit.ts'

/** Hooks that come by way of the command line, beside a daemon. */

/** Every running process of a store. */
const processesOf = (home: string): string[] =>
  execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(home))

/** Programs that a shell finds besides its own commands. No bash is among them. */
function pathWithoutBash(live: Live): string {
  const folder = join(live.workspace.temp, 'programs')
  fs.mkdirSync(folder)
  for (const name of ['sh', 'readlink', 'dirname', 'node'])
    fs.symlinkSync(execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(), join(folder, name))
  return folder
}

const HOOK = join(REPOSITORY, 'bin/timewarp-hook')

/** How a hook comes to be run. */
const WAYS: Readonly<Record<string, (live: Live) => ChildProcess>> = {
  'the command line': (live) => live.start(['hook', 'claude']),
  'the command line with the store as a flag': (live) =>
    live.start(['--home', live.home, 'hook', 'claude'], { env: { TIMEWARP_HOME: '' } }),
  bash: (live) => spawn('bash', [HOOK, 'claude'], { env: live.environment() }),
  'sh where there is no bash': (live) =>
    spawn('sh', [HOOK, 'claude', live.home], { env: live.environment({ PATH: pathWithoutBash(live) }) }),
}

test.each(Object.keys(WAYS))('by %s a hook starts nothing, and the end of its edit is captured', async (way) => {
  const live = newLive({ 'a.txt': '1\n' })
  await live.alone(['init'])
  await live.serve()
  fs.writeFileSync(join(live.root, 'a.txt'), '2\n')
  await live.tw(['snapshot'])
  const before = processesOf(live.home)
  const child = WAYS[way]?.(live) as ChildProcess
  child.stdin?.end(
    JSON.stringify({
      session_id: 's',
      hook_event_name: 'PreToolUse',
      cwd: live.root,
      tool_name: 'Edit',
      tool_use_id: 't',
      tool_input: { file_path: join(live.root, 'a.txt'), old_string: '2', new_string: 'edited' },
    }),
  )
  expect((await answerOf(child)).exit).toBe(0)
  expect(processesOf(live.home)).toEqual(before)
  fs.writeFileSync(join(live.root, 'a.txt'), 'edited\n')
  await until('the edit is captured', async () => {
    const { json } = await live.alone(['log', '--json'])
    return json.snapshots[0].call_id === 't' && json.snapshots[0].affected_files[0] === 'a.txt'
  })
  await live.tw(['daemon', 'stop'])
  await until('nothing runs', async () => processesOf(live.home).length === 0)
})

/** A daemon that answers every request so; returns what was asked of it, as it is asked. */
async function fakeDaemon(live: Live, answer: string): Promise<string[]> {
  beginStore(live.home)
  const requests: string[] = []
  const server = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (bytes: Buffer) => {
      requests.push(bytes.toString().split(' HTTP/')[0] ?? '')
      socket.end(answer)
    })
  })
  await new Promise<void>((done) => server.listen(live.socket, done))
  onTestFinished(() => void server.close())
  return requests
}

test('the command line hands a hook to the queue of hooks, and prints its answer', async () => {
  const live = newLive()
  const requests = await fakeDaemon(live, 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{} ')
  const child = live.start(['hook', 'claude'])
  child.stdin?.end('{}')
  expect(await answerOf(child)).toMatchObject({ exit: 0, stdout: '{} ', stderr: '' })
  expect(requests).toEqual(['POST /v1/hook/claude'])
})

test('a hook whose answer breaks off is served all the same', async () => {
  const live = newLive()
  await live.alone(['init'])
  await fakeDaemon(live, 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"lost')
  const child = live.start(['hook', 'claude'])
  child.stdin?.end(JSON.stringify({ session_id: 's', hook_event_name: 'SessionStart', cwd: live.root }))
  const { exit, stdout } = await answerOf(child)
  expect(exit).toBe(0)
  expect(stdout).not.toContain('{"lost')
  expect((await live.alone(['sessions', '--json'])).json.sessions).toHaveLength(1)
})

test.each([
  ['--home', '/tmp/x', '--no-daemon', 'hook', 'claude', '--until-edited'],
  ['--home'],
  ['relative'],
  ['/nowhere', 'more'],
  [],
])('the program of the daemon refuses arguments it does not know: %s %s', async (...args) => {
  const { temp } = newLive({}).workspace
  const child = spawn(process.execPath, [join(REPOSITORY, 'dist/daemon.cjs'), ...args], {
    cwd: temp,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const names = fs.readdirSync(temp)
  const { exit, json } = await answerOf(child)
  expect([exit, json.error.code]).toEqual([2, 'BAD_INPUT'])
  expect(fs.readdirSync(temp)).toEqual(names)
})
