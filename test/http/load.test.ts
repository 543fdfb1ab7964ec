import { once } from 'node:events'
import * as net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  ask,
  closing,
  codeOf,
  connect,
  FakeRooms,
  headOf,
  post,
  readAll,
  type Served,
  serveLoopback,
  serveSocket,
} from './kit.ts'

const MIB = 1024 * 1024
const head = (served: Served, more: Record<string, string | number>) =>
  headOf('POST /v1/call/snapshot HTTP/1.1', { ...served.headers, 'Content-Type': 'application/json', ...more })

/** Sends `mib` MiB, no faster than the server takes them, until it closes. */
async function stream(client: net.Socket, mib: number): Promise<void> {
  const piece = Buffer.alloc(64 * 1024, ' ')
  const gone = closing(client)
  for (let sent = 0; sent < mib * MIB && client.writable; sent += piece.length) {
    client.write(`${piece.length.toString(16)}\r\n`)
    client.write(piece)
    if (!client.write('\r\n')) await Promise.race([new Promise((resolve) => client.once('drain', resolve)), gone])
  }
}

test.each([
  ['the loopback interface', serveLoopback],
  ['the socket', serveSocket],
])('on %s a body of 100 MB is not read to its end, and costs no memory', async (_, serve) => {
  const served = await serve(new FakeRooms())
  const connection = once(served.server, 'connection') as Promise<[net.Socket]>
  const client = await connect(served)
  const [accepted] = await connection
  const answer = readAll(client)
  const before = process.memoryUsage.rss()
  client.write(head(served, { 'Transfer-Encoding': 'chunked' }))
  await stream(client, 100)
  const text = (await answer).toString()
  expect(process.memoryUsage.rss() - before).toBeLessThan(50 * MIB)
  expect(text).toMatch(/^HTTP\/1\.1 413 /)
  expect(text).toMatch(/\r\nConnection: close\r\n/i)
  expect(codeOf(text.split('\r\n\r\n')[1] ?? '')).toBe('BODY_TOO_LARGE')
  expect(accepted.bytesRead).toBeGreaterThan(8 * MIB)
  expect(accepted.bytesRead).toBeLessThan(18 * MIB)
})

test('a body that says how large it is is not read at all', async () => {
  const served = await serveLoopback(new FakeRooms())
  const client = await connect(served)
  client.write(head(served, { 'Content-Length': 100 * MIB }))
  expect((await readAll(client)).toString()).toMatch(/^HTTP\/1\.1 413 /)
})

test('a body just within the limit is taken, one byte more is not', async () => {
  const served = await serveLoopback(new FakeRooms(), { bodyBytes: 100 })
  const body = (size: number) => JSON.stringify({ a: 'x'.repeat(size - 8) })
  expect(await ask(served, { path: '/v1/call/snapshot', body: body(100) })).toMatchObject({ status: 200 })
  expect(await ask(served, { path: '/v1/call/snapshot', body: body(101) })).toMatchObject({ status: 413 })
})

test.each([
  ['the loopback interface', serveLoopback],
  ['the socket', serveSocket],
])('on %s a client that is refused while it sends a large body reads why', async (_, serve) => {
  const served = await serve(new FakeRooms(), { bodyBytes: 1024 })
  const body = Buffer.alloc(4 * MIB, ' ')
  const whole = ask(served, { path: '/v1/call/snapshot', body })
  const pieces = ask(served, { path: '/v1/call/snapshot', body, headers: { 'transfer-encoding': 'chunked' } })
  const nowhere = ask(served, { path: '/v1/nowhere', body })
  expect((await Promise.all([whole, pieces, nowhere])).map(({ status }) => status)).toEqual([413, 413, 404])
})

test('a client that sends too much slowly, and reads only afterwards, reads why', async () => {
  const served = await serveLoopback(new FakeRooms(), { bodyBytes: MIB })
  const client = await connect(served)
  client.pause()
  client.write(head(served, { 'Content-Length': 3 * MIB }))
  for (let sent = 0; sent < 3 * MIB; sent += MIB / 4) {
    await sleep(150)
    await new Promise((resolve) => client.write(Buffer.alloc(MIB / 4, ' '), resolve))
  }
  await sleep(200)
  client.resume()
  expect((await readAll(client)).toString()).toMatch(/^HTTP\/1\.1 413 /)
})

test('a client that is refused at the head may send its body, slowly, before it reads why', async () => {
  const served = await serveLoopback(new FakeRooms())
  const client = net.connect({ ...(served.place as net.TcpNetConnectOpts), allowHalfOpen: true })
  const failures: Error[] = []
  client.on('error', (error) => failures.push(error))
  client.write(headOf('POST /v1/call/snapshot HTTP/1.1', { Host: 'x', 'Content-Length': 2000 }))
  const [answer] = (await once(client, 'data')) as [Buffer]
  for (const _ of [1, 2]) {
    await sleep(50)
    await new Promise((resolve) => client.write(Buffer.alloc(1000), resolve))
  }
  client.end()
  await closing(client)
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 421 /)
  expect(failures).toEqual([])
})

test.each([
  ['the loopback interface', serveLoopback],
  ['the socket', serveSocket],
])('on %s a thousand calls at once are all answered, each with its own', async (_, serve) => {
  const rooms = new FakeRooms()
  let waiting = 0
  let letGo = () => {}
  const all = new Promise<void>((resolve) => (letGo = resolve))
  rooms.answer = async (_, input) => {
    if (++waiting === 1000) letGo()
    await all
    return input as object
  }
  const served = await serve(rooms)
  const numbers = Array.from({ length: 1000 }, (_, n) => n)
  const replies = await Promise.all(numbers.map((n) => post(served, '/v1/call/snapshot', { n })))
  expect(replies.map(({ text }) => JSON.parse(text).n)).toEqual(numbers)
})

test.each([
  ['in the middle of the headers', () => 'POST /v1/call/snapshot HTTP/1.1\r\nHost: x\r\n', 60_000],
  ['in the middle of the body', (served: Served) => `${head(served, { 'Content-Length': 1000 })}{"label":`, 400],
])('a client that hangs %s is let go, and nobody waits for it', async (_, half, requestMs) => {
  const served = await serveLoopback(new FakeRooms(), { headersMs: 400, requestMs })
  const hanging = await Promise.all(Array.from({ length: 20 }, () => connect(served)))
  for (const client of hanging) client.write(half(served))
  expect(await post(served, '/v1/call/snapshot', {})).toMatchObject({ status: 200 })
  for (const text of await Promise.all(hanging.map(readAll))) {
    expect(text.toString()).toMatch(/^HTTP\/1\.1 408 /)
    expect(codeOf(text.toString().split('\r\n\r\n')[1] ?? '')).toBe('REQUEST_TIMEOUT')
  }
})

test('an answer may take longer than a request', async () => {
  const rooms = new FakeRooms()
  rooms.answer = () => sleep(900, { late: true })
  const served = await serveLoopback(rooms, { headersMs: 300, requestMs: 300 })
  expect(await post(served, '/v1/call/snapshot', {})).toMatchObject({ status: 200, text: '{"late":true}\n' })
})

test('clients that vanish at any moment leave the server as it was', async () => {
  const rooms = new FakeRooms()
  const served = await serveLoopback(rooms)
  const whole = Buffer.from(`${head(served, { 'Content-Length': 14 })}{"label":"abc"`)
  for (let length = 1; length <= whole.length; length += 7) {
    const client = await connect(served)
    client.write(whole.subarray(0, length))
    client.resetAndDestroy()
  }
  rooms.answer = () => ({ large: 'x'.repeat(8 * MIB) })
  const client = await connect(served)
  client.write(head(served, { 'Content-Length': 2 }) + '{}')
  await once(client, 'data')
  client.resetAndDestroy()
  expect(await post(served, '/v1/call/snapshot', {})).toMatchObject({ status: 200 })
})
