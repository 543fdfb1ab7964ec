import { expect, test } from 'vitest'
import { Fault } from '../../src/base/fault.ts'
import { timewarp } from '../../src/cli/testing.ts'
import { ask, FakeRooms, post, serveLoopback, serveSocket } from './kit.ts'

test('a tool gets the body and its output comes back', async () => {
  const rooms = new FakeRooms()
  rooms.answer = () => ({ snapshot_id: 's_1', label: 'ü\u2028' })
  const served = await serveLoopback(rooms)
  const reply = await post(served, '/v1/call/snapshot', { label: 'ü' })
  expect(reply).toMatchObject({ status: 200, text: '{"snapshot_id":"s_1","label":"ü\u2028"}\n' })
  expect(reply.headers).toMatchObject({
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
  expect(rooms.calls).toEqual([{ name: 'snapshot', input: { label: 'ü' } }])
})

test('nothing in the body is an empty input, with or without a type', async () => {
  const rooms = new FakeRooms()
  const served = await serveSocket(rooms)
  await ask(served, { method: 'POST', path: '/v1/call/status' })
  await ask(served, { method: 'POST', path: '/v1/call/status', headers: { 'content-type': 'application/json' } })
  expect(rooms.calls.map(({ input }) => input)).toEqual([{}, {}])
})

test.each([
  [new Fault('BAD_INPUT', { problem: '"label": too long', command: 'snapshot' }), 400],
  [new Fault('UNKNOWN_TOOL', { name: 'snapshto', nearest: 'snapshot' }), 404],
  [new Fault('SNAPSHOT_NOT_FOUND', { id: 's_1' }), 404],
  [new Fault('NO_SPACE', { path: '/store' }), 409],
  [new Fault('STORE_BUSY', { path: '/store' }), 503],
  [new Fault('OBJECT_MISSING', { id: 'ff' }), 500],
])('a fault comes as the command line prints it: %s', async (fault, status) => {
  const rooms = new FakeRooms()
  rooms.answer = () => Promise.reject(fault)
  const reply = await post(await serveSocket(rooms), '/v1/call/snapshot', {})
  const printed = await timewarp(['--json', 'snapshot'], { answers: { snapshot: () => Promise.reject(fault) } })
  expect(reply).toMatchObject({ status, text: printed.out })
  expect(reply.headers['retry-after']).toBe(status === 503 ? '1' : undefined)
})

test('what no tool should throw is a bug, and the server goes on', async () => {
  const rooms = new FakeRooms()
  const served = await serveSocket(rooms)
  for (const thrown of [new TypeError('oops'), 'oops', undefined]) {
    rooms.answer = () => Promise.reject(thrown)
    expect(await post(served, '/v1/call/snapshot', {})).toMatchObject({ status: 500, code: 'INTERNAL' })
  }
  rooms.answer = () => ({ unprintable: 1n })
  expect(await post(served, '/v1/call/snapshot', {})).toMatchObject({ status: 500, code: 'INTERNAL' })
  rooms.answer = () => ({})
  expect(await post(served, '/v1/call/snapshot', {})).toMatchObject({ status: 200 })
})

test('an answer that cannot be written costs its connection and no more', async () => {
  const rooms = new FakeRooms()
  const served = await serveSocket(rooms)
  rooms.answer = () => Promise.reject(new Fault('NO_SPACE', { path: 1n as unknown as string }))
  await expect(post(served, '/v1/call/snapshot', {})).rejects.toThrow('socket hang up')
  expect(await ask(served, { path: '/v1/health' })).toMatchObject({ status: 200 })
})

const json = 'application/json'
test.each([
  ['half of an object', '{"label":', json, 400, 'BAD_INPUT'],
  ['no JSON', 'label=before', json, 400, 'BAD_INPUT'],
  ['a list', '[1]', json, 400, 'BAD_INPUT'],
  ['null', 'null', json, 400, 'BAD_INPUT'],
  ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), json, 400, 'BAD_INPUT'],
  ['a form', '{}', 'application/x-www-form-urlencoded', 415, 'BODY_NOT_JSON'],
  ['plain text', '{}', 'text/plain', 415, 'BODY_NOT_JSON'],
  ['a type that begins alike', '{}', 'application/json5', 415, 'BODY_NOT_JSON'],
  ['a body without a type', '{}', undefined, 415, 'BODY_NOT_JSON'],
  ['an empty form', '', 'text/plain', 415, 'BODY_NOT_JSON'],
])('%s is refused', async (_, body, type, status, code) => {
  const rooms = new FakeRooms()
  const reply = await ask(await serveSocket(rooms), {
    path: '/v1/call/snapshot',
    body,
    headers: { 'content-type': type },
  })
  expect(reply).toMatchObject({ status, code })
  expect(rooms.calls).toEqual([])
})

test('a type may name its charset', async () => {
  const served = await serveSocket(new FakeRooms())
  const headers = { 'content-type': 'Application/JSON; charset=utf-8' }
  expect(await post(served, '/v1/call/snapshot', {}, headers)).toMatchObject({ status: 200 })
})

test('unknown addresses and wrong methods are errors in JSON', async () => {
  const served = await serveSocket(new FakeRooms())
  expect(await ask(served, { path: '/nowhere' })).toMatchObject({ status: 404, code: 'ROUTE_UNKNOWN' })
  const wrong = await ask(served, { path: '/v1/call/snapshot' })
  expect(wrong).toMatchObject({ status: 405, code: 'METHOD_REFUSED', headers: { allow: 'POST' } })
})

test('the list of tools is the one the command line prints', async () => {
  const reply = await ask(await serveSocket(new FakeRooms()), { path: '/v1/tools' })
  const printed = await timewarp(['tools', '--json'])
  expect(JSON.parse(reply.text)).toEqual(JSON.parse(printed.out))
})

test('health and the OpenAPI document are there', async () => {
  const served = await serveSocket(new FakeRooms())
  expect(await ask(served, { path: '/v1/health' })).toMatchObject({ status: 200, text: '{"workspaces":2}\n' })
  const { text } = await ask(served, { path: '/v1/openapi.json' })
  expect(JSON.parse(text)).toMatchObject({ openapi: '3.1.0', info: { version: '9.9.9' } })
  expect((await ask(served, { path: '/v1/openapi.json' })).text).toBe(text)
})

test('one connection carries many calls', async () => {
  const served = await serveSocket(new FakeRooms())
  let connections = 0
  served.server.on('connection', () => connections++)
  for (let call = 0; call < 5; call++) await post(served, '/v1/call/snapshot', {})
  expect(connections).toBe(1)
})
