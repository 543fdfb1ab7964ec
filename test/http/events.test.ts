import { once } from 'node:events'
import * as http from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { connect, FakeRooms, headOf, readAll, type Served, serveLoopback, serveSocket, until } from './kit.ts'

/** A reader of events with everything it has read so far. */
async function follow({ place, headers }: Served, more: http.OutgoingHttpHeaders = {}) {
  const where = 'path' in place ? { socketPath: place.path } : place
  const request = http.get({ ...where, path: '/v1/events', headers: { ...headers, ...more }, agent: false })
  onTestFinished(() => void request.destroy())
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  let text = ''
  response.on('data', (part: Buffer) => (text += part.toString()))
  request.on('error', () => {})
  response.on('error', () => {})
  return { response, text: () => text, leave: () => request.destroy() }
}

const event = (id: number) => ({ id, type: 'snapshot', data: { n: id } })
const told = (id: number) => `id: ${id}\nevent: snapshot\ndata: {"n":${id}}\n\n`

test.each([
  ['the loopback interface', serveLoopback],
  ['the socket', serveSocket],
])('events are told as they happen on %s', async (_, serve) => {
  const rooms = new FakeRooms()
  const reader = await follow(await serve(rooms))
  expect(reader.response.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  await until(() => rooms.listeners.size === 1)
  rooms.emit(event(1))
  await until(() => reader.text().includes(told(1)))
  rooms.emit(event(2))
  await until(() => reader.text().includes(told(2)))
  expect(reader.text()).toBe(`: open\n\n${told(1)}${told(2)}`)
})

test('who comes back hears what it missed, and then what happens', async () => {
  const rooms = new FakeRooms()
  for (const id of [1, 2, 3]) rooms.emit(event(id))
  const reader = await follow(await serveLoopback(rooms), { 'last-event-id': '1' })
  rooms.emit(event(4))
  await until(() => reader.text().includes(told(4)))
  expect(reader.text()).toBe(`: open\n\n${told(2)}${told(3)}${told(4)}`)
})

test('an id that is none is no reason to tell everything again', async () => {
  const rooms = new FakeRooms()
  rooms.emit(event(1))
  const reader = await follow(await serveLoopback(rooms), { 'last-event-id': 'abc' })
  rooms.emit(event(2))
  await until(() => reader.text().includes(told(2)))
  expect(reader.text()).toBe(`: open\n\n${told(2)}`)
})

test('who leaves is forgotten', async () => {
  const rooms = new FakeRooms()
  const reader = await follow(await serveSocket(rooms))
  await until(() => rooms.listeners.size === 1)
  reader.leave()
  await until(() => rooms.listeners.size === 0)
})

test('silence is broken from time to time', async () => {
  const reader = await follow(await serveSocket(new FakeRooms(), { heartbeatMs: 10 }))
  await until(() => reader.text().endsWith(': still here\n\n: still here\n\n'))
})

test('a reader that does not read is cut off; the others are not', async () => {
  const rooms = new FakeRooms()
  const served = await serveSocket(rooms)
  const reader = await follow(served)
  const lazy = await connect(served)
  lazy.write(headOf('GET /v1/events HTTP/1.1', {}))
  await until(() => rooms.listeners.size === 2)
  const data = { text: 'x'.repeat(64 * 1024) }
  let id = 0
  while (rooms.listeners.size === 2 && id < 1000) {
    rooms.emit({ id: ++id, type: 'big', data })
    await until(() => reader.text().includes(`id: ${id}\n`))
  }
  expect(rooms.listeners.size).toBe(1)
  // One MiB may wait, and what the kernel holds for the two ends of a socket.
  expect(id).toBeGreaterThan(16)
  expect(id).toBeLessThan(64)
  rooms.emit(event(5000))
  await until(() => reader.text().includes(told(5000)))
})

test('who talks nonsense while listening is cut off in silence, not told so in the middle of the events', async () => {
  const rooms = new FakeRooms()
  const client = await connect(await serveSocket(rooms))
  const all = readAll(client)
  client.write(headOf('GET /v1/events HTTP/1.1', {}))
  await until(() => rooms.listeners.size === 1)
  client.write('nonsense\r\n\r\n')
  expect((await all).toString().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
  await until(() => rooms.listeners.size === 0)
})

test('HTTP/1.0 hears events too', async () => {
  const rooms = new FakeRooms()
  const client = await connect(await serveSocket(rooms))
  let text = ''
  client.on('data', (part: Buffer) => (text += part.toString()))
  client.write(headOf('GET /v1/events HTTP/1.0', {}))
  await until(() => rooms.listeners.size === 1)
  rooms.emit(event(1))
  await until(() => text.endsWith(`\r\n\r\n: open\n\n${told(1)}`))
})
