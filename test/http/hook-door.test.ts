import { spawnSync } from 'node:child_process'
import * as net from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Limits } from '../../src/http/api.ts'
import { HookListener } from '../../src/http/hook-listener.ts'
import { until } from './kit.ts'

/** The door for hooks that are shell scripts, with real connections. */

const SECRETS = { token: 'the-token_1', proof: 'the-proof' }

type Heard = { client: string; body: string; project: string | undefined }

async function opened(answer: (heard: Heard) => string | Promise<string> = () => '', limits: Partial<Limits> = {}) {
  const heard: Heard[] = []
  const hook = async (client: string, bytes: Uint8Array, project: string | undefined) => {
    const one = { client, body: Buffer.from(bytes).toString(), project }
    heard.push(one)
    return answer(one)
  }
  const door = new HookListener({ hook }, SECRETS, limits)
  await new Promise<void>((done) => door.server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void door.server.close())
  const { port } = door.server.address() as net.AddressInfo
  /** What comes back for what is sent, piece by piece; the connection is left open. */
  const say = (...pieces: readonly (string | Buffer)[]) =>
    new Promise<string>((resolve) => {
      const parts: Buffer[] = []
      const socket = net.connect(port, '127.0.0.1')
      socket.on('data', (part: Buffer) => parts.push(part))
      socket.on('error', () => {})
      socket.on('close', () => resolve(Buffer.concat(parts).toString()))
      void pieces.reduce(async (before, piece) => {
        await before
        await new Promise((done) => socket.write(piece, done))
      }, Promise.resolve())
    })
  return { door, port, heard, say }
}

const request = (body: string, project = '', client = 'claude'): string =>
  `${SECRETS.token} ${client} ${Buffer.byteLength(project)} ${Buffer.byteLength(body)} ${project}${body}`

test('a hook is heard whole, in however many pieces it comes, and answered with the proof', async () => {
  const { heard, say } = await opened(({ body }) => `heard ${body}`)
  const [body, project] = ['{"a":"ü\n \u0000"}', '/home/me/ü b\nc']
  const whole = Buffer.from(request(body, project))
  const said = `the-proof ${Buffer.byteLength(`heard ${body}`)} heard ${body}`
  expect(await say(whole)).toBe(said)
  expect(await say(...Array.from(whole, (byte) => Buffer.of(byte)))).toBe(said)
  expect(await say(request('x', ''))).toBe('the-proof 7 heard x')
  expect(heard).toEqual([
    { client: 'claude', body, project },
    { client: 'claude', body, project },
    { client: 'claude', body: 'x', project: undefined },
  ])
})

test('nobody else hears anything, and nothing is done for them', async () => {
  const { heard, say } = await opened(() => 'secret', { hookBytes: 100, requestMs: 300 })
  for (const wrong of [
    request('x').replace('the-token_1', () => 'the-token_2'),
    request('x').replace('the-token_1', () => ''),
    'POST /v1/hook/claude HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
    'x'.repeat(300),
    // More than was announced, more than is taken, a path longer than any.
    `${request('x')}y`,
    request('x'.repeat(101)),
    `the-token_1 claude 99999999 1 x`,
    // What never comes to an end.
    'the-token_1 claude 0 5 x',
    'the-token_1',
    '',
  ])
    expect(await say(wrong)).toBe('')
  expect(heard).toEqual([])
})

test('a hook that had better be taken to somebody else is not answered, at once', async () => {
  const { door, heard, say } = await opened(() => Promise.reject(new Error('lost')))
  for (const client of ['claude', '', 'claude2', 'Ü!']) expect(await say(request('x', '', client))).toBe('')
  expect(heard.map(({ client }) => client).slice(0, 3)).toEqual(['claude', '', 'claude2'])
  expect(door.isAnswering).toBe(false)
})

test('whoever leaves early harms nobody', async () => {
  let answer: (text: string) => void = () => {}
  const late = new Promise<string>((done) => (answer = done))
  const { door, port, say } = await opened(() => late)
  const left = Array.from({ length: 20 }, () => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(request('x'), () => socket.resetAndDestroy()))
    socket.on('error', () => {})
    return new Promise((gone) => socket.once('close', gone))
  })
  const said = say(request('y'))
  await Promise.all(left)
  answer('late')
  expect(await said).toBe('the-proof 4 late')
  await until(() => !door.isAnswering)
})

test('a shell can say it', async ({ skip }) => {
  if (spawnSync('bash', ['-c', ':']).status !== 0) return skip('there is no bash')
  const { port, heard } = await opened(() => 'well')
  const { spawn } = await import('node:child_process')
  const script = `exec 3<>/dev/tcp/127.0.0.1/${port}; printf %s '${request('{"a":1}')}' >&3; read -r -t 5 -N 999 -u 3 x; printf %s "$x"`
  const child = spawn('bash', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()))
  await new Promise((done) => child.on('close', done))
  expect(said).toBe('the-proof 4 well')
  expect(heard).toHaveLength(1)
})
