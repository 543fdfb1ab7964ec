import { once } from 'node:events'
import * as http from 'node:http'
import { expect, test } from 'vitest'
import { Fault } from '../../src/base/fault.ts'
import type { CommandOut, CommandRequest } from '../../src/http/api.ts'
import {
  ask,
  connect,
  FakeRooms,
  headOf,
  post,
  readAll,
  type Served,
  serveLoopback,
  serveSocket,
  until,
} from './kit.ts'

const given: CommandRequest = {
  argv: ['snapshot', '-m', 'ü'],
  cwd: '/place',
  env: { HOME: '/home/ann' },
  stdin_base64: Buffer.from([0, 255]).toString('base64'),
  out_is_terminal: true,
  err_is_terminal: false,
  columns: 80,
  build: 'b1',
}

function roomsWith(command: (request: CommandRequest, out: CommandOut) => Promise<void>): FakeRooms {
  const rooms = new FakeRooms()
  rooms.command = command
  return rooms
}

/** Frames as `[type, payload]`; fails on bytes that are none. */
function framesOf(bytes: Buffer): [string, Buffer][] {
  const frames: [string, Buffer][] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 5 + bytes.readUInt32BE(at + 1)
    expect(end).toBeLessThanOrEqual(bytes.length)
    frames.push([bytes.toString('latin1', at, at + 1), bytes.subarray(at + 5, end)])
    at = end
  }
  return frames
}

const asText = (bytes: Buffer) => framesOf(bytes).map(([type, payload]) => `${type}:${payload.toString()}`)

const requestOf = (version: string, body = JSON.stringify(given)): string =>
  headOf(`POST /v1/command HTTP/${version}`, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  }) + body

/** As a thin client does it: HTTP/1.0, and everything until the connection closes. */
async function runThin(served: Served): Promise<{ head: string; body: Buffer }> {
  const client = await connect(served)
  client.write(requestOf('1.0'))
  const bytes = await readAll(client)
  const end = bytes.indexOf('\r\n\r\n')
  return { head: bytes.toString('latin1', 0, end), body: bytes.subarray(end + 4) }
}

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
const large = Buffer.alloc(3_000_000, everyByte)

test('HTTP/1.0 gets the frames byte by byte, then the end of the connection', async () => {
  const seen: CommandRequest[] = []
  const served = await serveSocket(
    roomsWith(async (request, out) => {
      seen.push(request)
      out.started(true)
      out.out(everyByte)
      out.err('Wait…\n')
      await new Promise(setImmediate)
      out.out(large)
      out.out('')
      out.out('\r\n')
      out.exit(20)
    }),
  )
  const { head, body } = await runThin(served)
  expect(head).toMatch(/^HTTP\/1\.1 200 /)
  expect(head).not.toMatch(/transfer-encoding/i)
  const frames = framesOf(body)
  expect(frames.map(([type]) => type).join('')).toMatch(/^soeo+x$/)
  const told = (type: string) => Buffer.concat(frames.filter(([given]) => given === type).map(([, payload]) => payload))
  expect(told('o').equals(Buffer.concat([everyByte, large, Buffer.from('\r\n')]))).toBe(true)
  expect(['s', 'e', 'x'].map((type) => told(type).toString())).toEqual(['1', 'Wait…\n', '20'])
  expect(Math.max(...frames.map(([, payload]) => payload.length))).toBe(256 * 1024)
  expect(seen).toEqual([given])
})

test('HTTP/1.1 gets the same frames, each as soon as it is there', async () => {
  let goOn = () => {}
  const served = await serveSocket(
    roomsWith(async (_, out) => {
      out.started(false)
      out.out('first')
      await new Promise<void>((resolve) => (goOn = resolve))
      out.exit(0)
    }),
  )
  const request = http.request({
    socketPath: (served.place as { path: string }).path,
    method: 'POST',
    path: '/v1/command',
  })
  request.setHeader('content-type', 'application/json')
  request.end(JSON.stringify(given))
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  let bytes = Buffer.alloc(0)
  response.on('data', (part: Buffer) => (bytes = Buffer.concat([bytes, part])))
  await until(() => bytes.includes('first'))
  expect(asText(bytes)).toEqual(['s:0', 'o:first'])
  goOn()
  await once(response, 'end')
  expect(asText(bytes)).toEqual(['s:0', 'o:first', 'x:0'])
})

test('a command can be declined, with a status and a reason', async () => {
  const served = await serveSocket(roomsWith(async (_, out) => out.decline(409, 'This is build b2.')))
  const reply = await post(served, '/v1/command', given)
  expect(reply).toMatchObject({ status: 409, code: 'COMMAND_DECLINED' })
  expect(reply.text).toContain('This is build b2.')
})

test('a command that has started cannot be declined any more', async () => {
  const served = await serveSocket(
    roomsWith(async (_, out) => {
      out.started(true)
      out.decline(409, 'Too late.')
    }),
  )
  const frames = asText((await runThin(served)).body)
  expect(frames).toEqual(['s:1', expect.stringMatching(/^e:Error: .*cannot be declined/), 'x:70'])
})

test('a fault before the start is answered like any other', async () => {
  const served = await serveSocket(
    roomsWith(async () => {
      throw new Fault('STORE_BUSY', { path: '/store' })
    }),
  )
  expect(await post(served, '/v1/command', given)).toMatchObject({ status: 503, code: 'STORE_BUSY' })
})

test('a fault after the start is printed and gives the exit code', async () => {
  const served = await serveSocket(
    roomsWith(async (_, out) => {
      out.started(true)
      throw new Fault('STORE_BUSY', { path: '/store' })
    }),
  )
  expect(asText((await runThin(served)).body)).toEqual([
    's:1',
    'e:Error: Another process is writing to /store and did not finish in time.\nHint: Repeat the command.\n',
    'x:5',
  ])
})

test('a command that ends without an exit code is a bug, not a wait without end', async () => {
  const silent = await serveSocket(roomsWith(async () => {}))
  expect(await post(silent, '/v1/command', given)).toMatchObject({ status: 500, code: 'INTERNAL' })
  const started = await serveSocket(roomsWith(async (_, out) => out.started(true)))
  expect(asText((await runThin(started)).body).at(-1)).toBe('x:70')
})

test('nothing comes after the exit code', async () => {
  const served = await serveSocket(
    roomsWith(async (_, out) => {
      out.started(true)
      out.exit(0)
      out.out('more')
      out.exit(1)
    }),
  )
  expect(asText((await runThin(served)).body)).toEqual(['s:1', 'x:0'])
})

test.each(['1.0', '1.1'])('a client of HTTP/%s that goes away is noticed', async (version) => {
  const signals: AbortSignal[] = []
  let isOver = false
  const served = await serveSocket(
    roomsWith(async (_, out) => {
      signals.push(out.signal)
      out.started(true)
      await once(out.signal, 'abort')
      out.out('nobody hears this')
      out.exit(0)
      isOver = true
    }),
  )
  const client = await connect(served)
  client.write(requestOf(version))
  await once(client, 'data')
  expect(signals[0]?.aborted).toBe(false)
  client.destroy()
  await until(() => isOver)
  expect(await ask(served, { path: '/v1/health' })).toMatchObject({ status: 200 })
})

test('a client that goes away before the start is noticed too', async () => {
  let signal: AbortSignal | undefined
  const served = await serveSocket(
    roomsWith(async (_, out) => {
      signal = out.signal
      await once(out.signal, 'abort')
    }),
  )
  const client = await connect(served)
  client.write(requestOf('1.0'))
  await until(() => signal !== undefined)
  client.destroy()
  await until(() => signal?.aborted === true)
})

test('a client that has its exit code may leave without notice', async () => {
  let signal: AbortSignal | undefined
  const served = await serveSocket(
    roomsWith(async (_, out) => {
      signal = out.signal
      out.started(true)
      out.exit(0)
    }),
  )
  await runThin(served)
  await until(() => signal !== undefined)
  expect(signal?.aborted).toBe(false)
})

test('what is no command line is refused', async () => {
  let ran = 0
  const served = await serveSocket(roomsWith(async () => void ran++))
  for (const wrong of [
    {},
    { ...given, argv: 'snapshot' },
    { ...given, env: { A: 1 } },
    { ...given, stdin_base64: '?' },
  ])
    expect(await post(served, '/v1/command', wrong)).toMatchObject({ status: 400, code: 'BAD_INPUT' })
  expect(ran).toBe(0)
})

test('command lines are taken on the socket alone, and only by those who can run them', async () => {
  const command = async (_: CommandRequest, out: CommandOut) => out.exit(0)
  expect(await post(await serveLoopback(roomsWith(command)), '/v1/command', given)).toMatchObject({ status: 404 })
  expect(await post(await serveSocket(new FakeRooms()), '/v1/command', given)).toMatchObject({ status: 404 })
})
