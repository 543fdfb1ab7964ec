import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import type { McpCallRequest, McpServices } from '../../src/mcp/api.ts'
import { LineTransport } from '../../src/mcp/lines.ts'
import { serveStreams } from '../../src/mcp/stdio.ts'
import { toolSetOf } from '../../src/mcp/tool-set.ts'
import { mergeConfig } from '../../src/schema/config.ts'
import { newLive } from '../live/kit.ts'
import { Agent, overHttp, overStdio } from './kit.ts'

/** A server whose tools do what the test says, and a client of it. */
async function meetFake(call: (tool: string, asked: McpCallRequest) => Promise<object>) {
  const [up, down] = [new PassThrough(), new PassThrough()]
  const said: string[] = []
  const rooms: McpServices = {
    version: '1.2.3',
    call: (tool, _, asked) => call(tool, asked),
    settings: () => mergeConfig([]),
    isWorkspace: () => false,
    log: (text) => void said.push(text),
  }
  const ground = { named: '/ws', cwd: undefined }
  serveStreams({
    rooms,
    offer: await toolSetOf('timeline'),
    ground,
    session: 's',
    isTheirs: false,
    input: up,
    output: down,
  })
  const client = new Client({ name: 'fake', version: '1' })
  onTestFinished(() => client.close())
  await client.connect(new LineTransport(down, up))
  return { agent: new Agent(client), said }
}

const SNAPSHOT = {
  snapshot_id: 's_1',
  created: true,
  tree: 't',
  base: null,
  files: 1,
  bytes: 1,
  added: 1,
  modified: 0,
  deleted: 0,
  stored_bytes: 1,
  duration_ms: 1,
  left_out: [],
  warnings: [],
}
const soon = (): Promise<void> => new Promise((done) => setTimeout(done, 20))

test('long work tells of its progress, to whoever asked for it', async () => {
  const { agent } = await meetFake(async (_, { progress }) => {
    for (let i = 1; i <= 3; i++) {
      progress('Capturing', i * 10, 100)
      await new Promise((done) => setTimeout(done, 110))
    }
    return SNAPSHOT
  })
  const steps: object[] = []
  await agent.call('snapshot', {}, { onprogress: (step: object) => steps.push(step) })
  expect(steps).toEqual([
    { progress: 10, total: 100, message: 'Capturing' },
    { progress: 20, total: 100, message: 'Capturing' },
    { progress: 30, total: 100, message: 'Capturing' },
  ])
  expect((await agent.call('snapshot')).isError).toBe(false)
})

test('a cancelled call is answered no more; what had begun is finished, and the next answer says so', async () => {
  let finish: (output: object) => void = () => {}
  let signal: AbortSignal | undefined
  const { agent, said } = await meetFake((tool, asked) => {
    if (tool === 'show') return Promise.reject(new Error('no'))
    signal = asked.signal
    return new Promise((done) => {
      finish = done
    })
  })
  const stop = new AbortController()
  const called = agent.call('snapshot', {}, { signal: stop.signal })
  await soon()
  stop.abort()
  await expect(called).rejects.toThrow()
  await soon()
  expect(signal?.aborted).toBe(true)
  // Others are served meanwhile.
  expect((await agent.call('show', { snapshot_id: 'x' })).isError).toBe(true)
  finish(SNAPSHOT)
  await soon()
  const { text } = await agent.call('show', { snapshot_id: 'x' })
  expect(text).toContain('snapshot was cancelled when it had begun already, so it was finished: Captured 1 file')
  expect(said.join('\n')).toContain('snapshot was cancelled')
  expect((await agent.call('show', { snapshot_id: 'x' })).text).not.toContain('cancelled')
})

/** Enough for a capture to tell of itself. */
const MANY = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`d${i % 60}/f${i}`, `${i}`]))

test('real work tells of its progress: here, through the daemon, and over HTTP', async () => {
  const steps: object[] = []
  const onprogress = (step: object): void => void steps.push(step)
  const live = newLive(MANY)
  await live.serve()
  const agents = [
    await overStdio(live, { env: { TIMEWARP_DAEMON: 'off' } }),
    await overStdio(live, { era: 'modern' }),
    await overHttp(live),
    await overHttp(live, { era: 'modern' }),
  ]
  for (const [i, agent] of agents.entries()) {
    steps.length = 0
    expect((await agent.call('snapshot', {}, { onprogress })).out.created, `${i}`).toBe(true)
    expect(steps.length, `${i}`).toBeGreaterThan(0)
    live.workspace.write(Object.fromEntries(Object.keys(MANY).map((path) => [path, `${path} ${i}`])))
  }
})
