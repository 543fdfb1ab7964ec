import { expect, test } from 'vitest'
import { gone, type Live, newLive } from '../live/kit.ts'
import { overHttp } from './kit.ts'

const ASK = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

/** A request as any program on the machine can send it. */
async function send(live: Live, { path = '/mcp', method = 'POST', headers = {}, body = JSON.stringify(ASK) }) {
  const { url, token } = live.card
  const usual = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  }
  const asked = { method, headers: { ...usual, ...headers }, ...(method === 'POST' ? { body } : {}) }
  const answer = await fetch(`${url}${path}`, asked)
  return { status: answer.status, session: answer.headers.get('mcp-session-id'), text: await answer.text() }
}

test('the door is the one of the whole API: token, origin, host', async () => {
  const live = newLive()
  await live.serve()
  expect((await send(live, {})).status).toBe(200)
  for (const headers of [{ Authorization: '' }, { Authorization: 'Bearer wrong' }])
    expect(await send(live, { headers })).toMatchObject({ status: 401, text: expect.stringContaining('TOKEN_REFUSED') })
  expect((await send(live, { headers: { Origin: 'https://example.org' } })).status).toBe(403)
  const port = Number(new URL(live.card.url).port)
  const rebound = await live.ask('/mcp', { port, body: ASK, headers: { host: `evil.example:${port}` } })
  expect(rebound.status).toBe(421)
  await expect(overHttp(live, { token: 'wrong' })).rejects.toThrow()
})

test('sessions are opened, known, and closed; others are not found', async () => {
  const live = newLive()
  await live.serve()
  const { session } = await send(live, {})
  expect(session).toMatch(/^[0-9a-f-]{36}$/)
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })
  const known = { 'mcp-session-id': session ?? '', 'mcp-protocol-version': '2025-11-25' }
  expect((await send(live, { headers: known, body: ping })).status).toBe(200)
  expect((await send(live, { headers: { ...known, 'mcp-session-id': 'other' }, body: ping })).status).toBe(404)
  expect((await send(live, { method: 'DELETE', headers: known })).status).toBe(200)
  expect((await send(live, { headers: known, body: ping })).status).toBe(404)
})

test('what makes no sense is refused in words', async () => {
  const live = newLive()
  await live.serve()
  expect((await send(live, { body: 'garbage' })).status).toBe(400)
  expect((await send(live, { headers: { 'Content-Type': 'text/plain' } })).status).toBe(415)
  expect(await send(live, { path: '/mcp?tools=everything' })).toMatchObject({
    status: 400,
    text: expect.stringContaining('TOOL_SET_UNKNOWN'),
  })
  expect(await send(live, { path: '/mcp?workspace=relative' })).toMatchObject({
    status: 400,
    text: expect.stringContaining('BAD_INPUT'),
  })
  expect((await send(live, {})).status).toBe(200)
})

test.each(['legacy', 'modern'] as const)(
  'the workspace comes from the address, or from the client’s roots: %s',
  async (era) => {
    const live = newLive()
    await live.serve()
    const named = await overHttp(live, { era })
    expect((await named.call('snapshot')).isError).toBe(false)
    const { workspace_id } = (await named.call('status')).out
    const byId = await overHttp(live, { era, query: `?workspace=${workspace_id}` })
    expect((await byId.call('status')).out.root).toBe(live.root)
    const rooted = await overHttp(live, { era, query: '', roots: [live.root] })
    expect((await rooted.call('status')).out.root).toBe(live.root)
    // The roots, and then the question whether it is meant: both are asked for.
    live.workspace.write({ a: 'changed' })
    const asking = await overHttp(live, { era, query: '', roots: [live.root], user: () => ({ action: 'accept' }) })
    expect((await asking.call('restore', { snapshot_id: 'latest' })).out.restored).toEqual(['a'])
    const lost = await overHttp(live, { era, query: '' })
    expect((await lost.call('status')).error.code).toBe('WORKSPACE_UNNAMED')
    expect((await lost.client.listResources()).resources).toEqual([])
  },
)

test('ten megabytes come through; a daemon with listeners ends when it is asked to', async () => {
  const live = newLive()
  const daemon = await live.serve()
  const agent = await overHttp(live)
  const content = 'ten megabytes of it\n'.repeat(524_288)
  expect((await agent.call('apply_whole_file_edit', { path: 'big.txt', content })).isError).toBe(false)
  expect(live.workspace.read('big.txt') === content).toBe(true)
  daemon.kill('SIGTERM')
  await gone(daemon.pid ?? 0)
})
