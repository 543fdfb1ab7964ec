import { expect, test } from 'vitest'
import { callThroughDaemon, type DaemonCall } from '../../src/client/call.ts'
import { ask, FakeRooms, post, type Served, serveLoopback, serveSocket } from './kit.ts'

/** Calls of tools whose callers hear of progress, with the client that makes them. */

const callOf = (served: Served, more: Partial<DaemonCall> = {}): DaemonCall => ({
  socket: (served.place as { path: string }).path,
  build: 'b1',
  id: 'i1',
  tool: 'snapshot',
  input: { label: 'ü' },
  cwd: '/plåce\n\ud800',
  progress: () => {},
  signal: new AbortController().signal,
  ...more,
})

function roomsWith(callInFrames: NonNullable<FakeRooms['callInFrames']>): FakeRooms {
  const rooms = new FakeRooms()
  rooms.callInFrames = callInFrames
  return rooms
}

test('the caller is described, hears of progress and gets the output', async () => {
  const seen: unknown[] = []
  const served = await serveSocket(
    roomsWith(async (tool, input, { build, id, cwd }, out) => {
      seen.push(tool, input, { build, id, cwd })
      out.started(false)
      out.progress('Capturing', 1, 2)
      out.progress('Storing')
      out.out('{"snapshot_id":"s_1"}')
      out.exit(0)
    }),
  )
  const steps: unknown[][] = []
  const answer = await callThroughDaemon(callOf(served, { progress: (...step) => void steps.push(step) }))
  expect(answer).toEqual({ kind: 'answered', output: { snapshot_id: 's_1' } })
  expect(seen).toEqual(['snapshot', { label: 'ü' }, { build: 'b1', id: 'i1', cwd: '/plåce\n\ud800' }])
  expect(steps).toEqual([
    ['Capturing', 1, 2],
    ['Storing', undefined, undefined],
  ])
})

test('a fault of the tool is thrown', async () => {
  const served = await serveSocket(
    roomsWith(async (_tool, _input, _caller, out) => {
      out.started(true)
      out.out('{"error":{"code":"SNAPSHOT_NOT_FOUND","message":"?","data":{"id":"s_9"}}}')
      out.exit(3)
    }),
  )
  await expect(callThroughDaemon(callOf(served))).rejects.toMatchObject({ code: 'SNAPSHOT_NOT_FOUND' })
})

test.for([
  [421, true],
  [426, false],
] as const)('one that is declined with %i may be done elsewhere', async ([status, isServed]) => {
  const served = await serveSocket(roomsWith(async (_tool, _input, _caller, out) => out.decline(status, 'not here')))
  expect(await callThroughDaemon(callOf(served))).toEqual({ kind: 'unanswered', mayRepeat: true, isServed })
})

test.for([true, false])(
  'one that breaks off after its start may be repeated only where that is the same: %s',
  async (may) => {
    const served = await serveSocket(
      roomsWith(async (_tool, _input, _caller, out) => {
        out.started(may)
        setImmediate(() => served.server.closeAllConnections())
        await new Promise<void>((over) => out.signal.addEventListener('abort', () => over()))
      }),
    )
    expect(await callThroughDaemon(callOf(served))).toMatchObject({ kind: 'unanswered', mayRepeat: may })
  },
)

test('a call that changes something is asked to stop, and its answer awaited; one that only reads is given up', async () => {
  for (const may of [false, true]) {
    const cancelled: string[] = []
    const stop = new AbortController()
    const rooms = roomsWith(async (_tool, _input, _caller, out) => {
      const over = new Promise<void>((done) => {
        out.signal.addEventListener('abort', () => done())
        Object.assign(rooms, {
          cancel: (id: string) => {
            cancelled.push(id)
            done()
            return true
          },
        })
      })
      out.started(may)
      out.progress('Working')
      await over
      out.out('{}')
      out.exit(0)
    })
    rooms.command = async () => {}
    const served = await serveSocket(rooms)
    const answer = await callThroughDaemon(callOf(served, { progress: () => stop.abort(), signal: stop.signal }))
    expect(answer.kind).toBe(may ? 'unanswered' : 'answered')
    expect(cancelled).toEqual(may ? [] : ['i1'])
  }
})

test('who does not describe himself, or comes by the port, gets one answer', async () => {
  const rooms = roomsWith(async () => expect.unreachable())
  expect((await post(await serveSocket(rooms), '/v1/call/status', {})).text).toBe('{"name":"status","input":{}}\n')
  const loopback = await serveLoopback(rooms)
  const headers = { ...loopback.headers, 'timewarp-caller': '{"build":"b","id":"i","cwd":"/","asked_ms":1}' }
  const reply = await ask(loopback, { method: 'POST', path: '/v1/call/status', headers })
  expect(reply).toMatchObject({ status: 200, text: '{"name":"status","input":{}}\n' })
})

test.each(['', 'x', '[]', '{"build":"b"}'])('a description that is none is refused: %s', async (described) => {
  const served = await serveSocket(roomsWith(async () => expect.unreachable()))
  const headers = { 'timewarp-caller': described }
  const reply = await ask(served, { method: 'POST', path: '/v1/call/status', headers })
  expect(reply).toMatchObject({ status: 400, code: 'BAD_INPUT' })
})
