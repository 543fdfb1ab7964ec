import { once } from 'node:events'
import { expect, test } from 'vitest'
import { ask, codeOf, connect, FakeRooms, headOf, post, serveLoopback, serveSocket, TOKEN } from './kit.ts'

test.each([
  ['no token', { authorization: undefined }, 401, 'TOKEN_REFUSED'],
  ['a wrong token', { authorization: 'Bearer wrong' }, 401, 'TOKEN_REFUSED'],
  ['a foreign host', { host: 'evil.example' }, 421, 'HOST_REFUSED'],
  ['no host', { host: undefined }, 421, 'HOST_REFUSED'],
  ['a foreign origin', { origin: 'https://evil.example' }, 403, 'ORIGIN_REFUSED'],
  ['another site', { 'sec-fetch-site': 'cross-site' }, 403, 'SITE_REFUSED'],
])('on the loopback interface %s is refused, and no tool is asked', async (_, headers, status, code) => {
  const rooms = new FakeRooms()
  const served = await serveLoopback(rooms)
  const reply = await post(served, '/v1/call/snapshot', {}, headers)
  expect(reply).toMatchObject({ status, code })
  expect(rooms.calls).toEqual([])
  expect(reply.headers['content-type']).toBe('application/json')
  expect(reply.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined)
})

test('who may not come in does not learn what there is', async () => {
  const served = await serveLoopback(new FakeRooms())
  for (const path of ['/', '/v1/tools', '/v1/command', '/v1/health'])
    expect(await ask(served, { path, headers: { authorization: undefined } })).toMatchObject({ status: 401 })
})

test('the refusal comes before the body', async () => {
  const served = await serveLoopback(new FakeRooms())
  const client = await connect(served)
  const { host = '' } = served.headers
  client.write(headOf('POST /v1/call/snapshot HTTP/1.1', { Host: host, 'Content-Length': 1000 }))
  const [answer] = (await once(client, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /)
  await once(client, 'end')
})

test('who is refused is not told to go on', async () => {
  const served = await serveLoopback(new FakeRooms())
  const client = await connect(served)
  const { host = '' } = served.headers
  const head = { Host: host, 'Content-Length': 1000, Expect: '100-continue' }
  client.write(headOf('POST /v1/call/snapshot HTTP/1.1', head))
  const [answer] = (await once(client, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /)
})

test('who is welcome is told to go on', async () => {
  const served = await serveLoopback(new FakeRooms())
  expect(await post(served, '/v1/call/snapshot', { a: 1 }, { expect: '100-continue' })).toMatchObject({ status: 200 })
})

test('all three names of the loopback interface are welcome, with our own page', async () => {
  const served = await serveLoopback(new FakeRooms())
  const port = 'port' in served.place ? served.place.port : 0
  for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
    const headers = { host: `${name}:${port}`, origin: `http://${name}:${port}`, 'sec-fetch-site': 'same-origin' }
    expect(await post(served, '/v1/call/snapshot', {}, headers)).toMatchObject({ status: 200 })
  }
})

test('no answer allows another origin to read it, not even to one that asks', async () => {
  const served = await serveLoopback(new FakeRooms())
  const asked = { method: 'OPTIONS', headers: { origin: 'https://evil.example' } }
  const replies = [
    await ask(served, { path: '/v1/call/snapshot', ...asked }),
    await ask(served, { path: '/v1/call/snapshot', method: 'OPTIONS' }),
    await ask(served, { path: '/v1/tools' }),
  ]
  expect(replies.map(({ status }) => status)).toEqual([403, 405, 200])
  for (const { headers } of replies) {
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
  }
})

test('the token in the address opens events and nothing else', async () => {
  const served = await serveLoopback(new FakeRooms())
  const headers = { authorization: undefined }
  expect(await ask(served, { path: `/v1/tools?token=${TOKEN}`, headers })).toMatchObject({ status: 401 })
  const client = await connect(served)
  client.write(headOf(`GET /v1/events?token=${TOKEN} HTTP/1.1`, { Host: served.headers['host'] ?? '' }))
  const [answer] = (await once(client, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /)
})

test('the socket takes everybody but browsers', async () => {
  const served = await serveSocket(new FakeRooms())
  expect(await post(served, '/v1/call/snapshot', {})).toMatchObject({ status: 200 })
  expect(await post(served, '/v1/call/snapshot', {}, { host: 'anything' })).toMatchObject({ status: 200 })
  const reply = await post(served, '/v1/call/snapshot', {}, { origin: 'http://localhost' })
  expect(reply).toMatchObject({ status: 403, code: 'ORIGIN_REFUSED' })
})

test('what is not HTTP gets an answer, and the server goes on', async () => {
  const served = await serveLoopback(new FakeRooms())
  const client = await connect(served)
  client.write('hello there\r\n\r\n')
  const [answer] = (await once(client, 'data')) as [Buffer]
  const [head = '', body = ''] = answer.toString().split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  expect(head).toContain('X-Content-Type-Options: nosniff')
  expect(codeOf(body)).toBe('REQUEST_BAD')
  expect(await ask(served, { path: '/v1/health' })).toMatchObject({ status: 200 })
})

test('headers without end are refused', async () => {
  const served = await serveLoopback(new FakeRooms())
  const client = await connect(served)
  client.write(headOf('GET /v1/health HTTP/1.1', { 'X-Long': 'a'.repeat(100_000) }))
  const [answer] = (await once(client, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 431 /)
})
