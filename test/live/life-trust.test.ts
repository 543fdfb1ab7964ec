import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as http from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { answerOf, beginStore, isRoot, NOBODY, shell } from '../kit/workspace.ts'
import { type Live, newLive, until } from './kit.ts'

/** Who may talk to a daemon. */

const modeOf = (path: string): string => (fs.statSync(path).mode & 0o777).toString(8)

test('only its owner may read what it wrote down or open its socket, whatever the umask', async () => {
  const live = newLive()
  beginStore(live.home)
  const child = spawn('sh', ['-c', 'umask 0; exec "$0" "$@"', join(live.programs, 'bin/timewarp'), 'daemon', 'start'], {
    env: live.environment(),
  })
  expect((await answerOf(child)).exit).toBe(0)
  const of = (name: string) => modeOf(join(live.home, name))
  expect([modeOf(live.home), of('daemon.sock'), of('daemon.json'), of('logs'), of('logs/daemon.log')]).toEqual([
    '700',
    '600',
    '600',
    '700',
    '600',
  ])
})

/** Connects as another user and says how that went. */
const CONNECT = `
  const socket = require('node:net').connect(process.argv[1])
  socket.on('connect', () => { console.log('connected'); process.exit() })
  socket.on('error', (error) => console.log(error.code))`

test.runIf(isRoot)('another user cannot connect to the socket, even where the home is open to all', async () => {
  const live = newLive()
  await live.serve()
  const asNobody = async () =>
    (await answerOf(spawn(process.execPath, ['-e', CONNECT, live.socket], { uid: NOBODY, gid: NOBODY }))).stdout
  expect(await asNobody()).toBe('EACCES\n')
  shell('chmod 755 "$1" "$2"', live.workspace.temp, live.home)
  expect(await asNobody()).toBe('EACCES\n')
  // It is the mode of the socket that keeps him out.
  fs.chmodSync(live.socket, 0o666)
  expect(await asNobody()).toBe('connected\n')
})

interface Open {
  readonly live: Live
  readonly port: number
  readonly authorization: string
}

async function open(): Promise<Open> {
  const live = newLive()
  await live.serve()
  return { live, port: Number(new URL(live.card.url).port), authorization: `Bearer ${live.card.token}` }
}

test('on the loopback interface nothing is had without the token, the right name and the right origin', async () => {
  const { live, port, authorization } = await open()
  const ask = async (headers: http.OutgoingHttpHeaders, path = '/v1/call/snapshot') => {
    const { status, json } = await live.ask(path, { port, headers, body: { workspace: live.root } })
    return [status, json?.error?.code]
  }
  expect(await ask({})).toEqual([401, 'TOKEN_REFUSED'])
  expect(await ask({ authorization: 'Bearer wrong' })).toEqual([401, 'TOKEN_REFUSED'])
  expect(await ask({ authorization: 'Bearer ' })).toEqual([401, 'TOKEN_REFUSED'])
  expect(await ask({}, `/v1/call/snapshot?token=${live.card.token}`)).toEqual([401, 'TOKEN_REFUSED'])
  expect(await ask({ authorization, host: 'evil.example' })).toEqual([421, 'HOST_REFUSED'])
  expect(await ask({ authorization, host: '127.0.0.1:1' })).toEqual([421, 'HOST_REFUSED'])
  expect(await ask({ authorization, origin: 'http://evil.example' })).toEqual([403, 'ORIGIN_REFUSED'])
  expect(await ask({ authorization, origin: 'null' })).toEqual([403, 'ORIGIN_REFUSED'])
  expect(await ask({ authorization, 'sec-fetch-site': 'cross-site' })).toEqual([403, 'SITE_REFUSED'])
  // Whole command lines are taken on the socket only.
  expect(await ask({ authorization }, '/v1/command')).toEqual([404, 'ROUTE_UNKNOWN'])
  expect((await live.alone(['workspaces', '--json'])).json.workspaces).toEqual([])
})

test('with the token a tool can be called', async () => {
  const { live, port, authorization } = await open()
  const body = { workspace: live.root }
  const answer = await live.ask('/v1/call/snapshot', { port, headers: { authorization }, body })
  expect(answer).toMatchObject({ status: 200, json: { created: true, files: 1 } })
  expect((await live.alone(['log', '--json'])).json.snapshots).toMatchObject([{ snapshot_id: answer.json.snapshot_id }])
})

test('each daemon has a token of its own', async () => {
  const live = newLive()
  await live.serve()
  const { token } = live.card
  await live.tw(['daemon', 'restart'])
  expect(live.card.token).not.toBe(token)
})

/** Collects what is told as it comes. */
function listen({ port, authorization }: Open): { text: string } {
  const heard = { text: '' }
  const request = http.get({ port, path: '/v1/events', headers: { authorization } }, (answer) =>
    answer.on('data', (part: Buffer) => (heard.text += part)),
  )
  request.on('error', () => {})
  onTestFinished(() => void request.destroy())
  return heard
}

test('events tell of what other processes record, but not of what is past', async () => {
  const opened = await open()
  const { live } = opened
  const before = (await live.tw(['snapshot', '--no-daemon', '--json'])).json.snapshot_id
  const heard = listen(opened)
  await until('it listens', () => heard.text.length > 0 || undefined)
  live.workspace.write({ b: '2' })
  const { snapshot_id } = (await live.tw(['snapshot', '-m', 'from outside', '--no-daemon', '--json'])).json
  await until('it is told', () => heard.text.includes(snapshot_id) || undefined, 5000)
  expect(heard.text).toMatch(/event: snapshot\n/)
  expect(heard.text).toContain('"label":"from outside"')
  expect(heard.text).not.toContain(before)
  await live.tw(['snapshot', '-m', 'from inside', '--json'])
  await until('it is told', () => heard.text.includes('from inside') || undefined, 5000)
})
