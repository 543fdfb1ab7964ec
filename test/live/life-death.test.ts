import * as fs from 'node:fs'
import * as net from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { frameHead } from '../../src/client/frames.ts'
import type { Answer } from '../kit/workspace.ts'
import { gone, kill, type Live, newLive, pause } from './kit.ts'

/** Daemons that are killed. What was answered is there, and the next command carries on. */

const FILES = Array.from({ length: 40 }, (_, i) => `v/${i % 4}/${i}`)

const writeVersion = ({ workspace }: Live, version: string): void =>
  workspace.write(Object.fromEntries(FILES.map((path) => [path, version])))

/** All files are of one version at any time; several are told if not. */
const versionOf = ({ workspace }: Live): string =>
  [...new Set(FILES.map((path) => (workspace.has(path) ? workspace.read(path) : 'missing')))].join()

/** Every one of these is recorded, with this version in it, and the store is sound. Looked at from this process. */
async function expectKept({ workspace }: Live, ids: ReadonlyMap<string, string>): Promise<void> {
  const logged = new Set<string>()
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await workspace.call('get_edit_history', { limit: 100, ...(cursor ? { cursor } : {}) })
    for (const { snapshot_id } of page.snapshots) logged.add(snapshot_id)
    cursor = page.pagination.next_cursor
  }
  expect([...ids.keys()].filter((id) => !logged.has(id))).toEqual([])
  for (const [snapshot_id, version] of ids)
    if (version) expect((await workspace.call('cat', { snapshot_id, path: 'v/3/39' })).content).toBe(version)
  expect(await workspace.call('fsck')).toMatchObject({ ok: true, problems: [] })
  await workspace.close()
}

function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Kills every daemon that comes up, so many times. */
async function killAll(live: Live, times: number, pick: (below: number) => number): Promise<void> {
  for (let last: number | undefined, i = 0; i < times; i++) {
    const { pid } = await live.served(last)
    await pause(pick(250))
    kill(pid, 'SIGKILL')
    await gone(pid)
    last = pid
  }
}

const LOST = { exit: 5, json: { error: { code: 'DAEMON_LOST' } } }

test('kill -9 at a dozen moments, while snapshots, restores and edits go on', async () => {
  const live = newLive()
  const pick = random(7)
  const ids = new Map<string, string>()
  let version = '0'
  let lost = 0
  let isOver = false
  const killing = killAll(live, 12, pick).finally(() => (isOver = true))
  const noise = setInterval(() => live.workspace.write({ noise: `${Date.now()}` }), 7)
  onTestFinished(() => clearInterval(noise))

  const answered = (answer: Answer): boolean => {
    if (answer.exit === 0) return true
    lost++
    expect(answer).toMatchObject(LOST)
    return false
  }
  const snapshot = async (n: number): Promise<void> => {
    version = `${n}`
    writeVersion(live, version)
    const answer = await live.tw(['snapshot', '-m', version, '--json'])
    expect(answer).toMatchObject({ exit: 0, stderr: '' })
    ids.set(answer.json.snapshot_id, version)
  }
  const goBack = async (): Promise<void> => {
    const [id, target] = [...ids].filter(([, known]) => known)[pick(3)] as [string, string]
    const answer = await live.tw(['restore', id, 'v', '--json'])
    if (answered(answer)) {
      ids.set(answer.json.backup_id, '')
      expect(versionOf(live)).toBe(target)
    } else {
      // Any command finishes or undoes what was begun.
      expect((await live.tw(['status', '--json'])).exit).toBe(0)
      expect([version, target]).toContain(versionOf(live))
    }
    version = versionOf(live)
  }
  for (let n = 1; !isOver; n++) {
    await snapshot(n)
    if (n > 3) await goBack()
  }
  await killing
  clearInterval(noise)
  expect(ids.size).toBeGreaterThan(12)
  expect(lost).toBeLessThanOrEqual(12)
  await expectKept(live, ids)
})

test.for(['capture:scanned', 'pack:block', 'store:published', 'capture:trees', 'capture:recorded'])(
  'a snapshot whose daemon dies at %s is taken by the client itself',
  async (point) => {
    const live = newLive()
    writeVersion(live, 'one')
    await live.serve({ TIMEWARP_TEST_DIE_AT: `${point}:1` })
    const { pid } = live.card
    const answer = await live.tw(['snapshot', '--json'])
    expect(answer).toMatchObject({ exit: 0, stderr: '', json: { files: 41 } })
    await gone(pid)
    await expectKept(live, new Map([[answer.json.snapshot_id, 'one']]))
    const next = await live.served(pid)
    expect((await live.tw(['snapshot', '--json'])).json).toMatchObject({
      created: false,
      snapshot_id: answer.json.snapshot_id,
    })
    expect(next.pid).not.toBe(pid)
  },
)

const RESTORE = ['restore', 'latest~1']
const POINTS: readonly (readonly [string, readonly string[]])[] = [
  ['restore:journal:1', RESTORE],
  ['restore:step:2', RESTORE],
  ['restore:placed:20', RESTORE],
  ['restore:applied:1', RESTORE],
  ['restore:recorded:1', RESTORE],
  ['restore:placed:20', ['undo']],
  ['restore:recorded:1', ['undo']],
]

test.for(POINTS)(
  'at %s, a daemon that dies during %s is not followed by another try, and the next command ends what was begun',
  async ([point, args]) => {
    const live = newLive()
    writeVersion(live, 'one')
    const first = (await live.alone(['snapshot', '--json'])).json.snapshot_id
    writeVersion(live, 'two')
    const second = (await live.alone(['snapshot', '--json'])).json.snapshot_id
    await live.serve({ TIMEWARP_TEST_DIE_AT: point })
    const { pid } = live.card
    expect(await live.tw([...args, '--json'])).toMatchObject({ ...LOST, stderr: '' })
    await gone(pid)
    if (point === 'restore:placed:20') expect(versionOf(live)).toBe('one,two')
    expect((await live.tw(['status', '--json'])).exit).toBe(0)
    expect(['one', 'two']).toContain(versionOf(live))
    await expectKept(
      live,
      new Map([
        [first, 'one'],
        [second, 'two'],
      ]),
    )
  },
)

test('to people, a lost restore says so on standard error', async () => {
  const live = newLive()
  const { snapshot_id } = (await live.alone(['snapshot', '--json'])).json
  live.workspace.write({ a: '2' })
  await live.serve({ TIMEWARP_TEST_DIE_AT: 'restore:journal:1' })
  expect(await live.tw(['restore', snapshot_id])).toMatchObject({
    exit: 5,
    stdout: '',
    stderr: expect.stringMatching(/^Error: The daemon of .* went away while it did this\.\nHint: See what was done/),
  })
})

/** Stands where the daemon would be and says these frames, or less, before it goes away. */
async function pretend(
  live: Live,
  frames: readonly (readonly ['s' | 'o' | 'e' | 'x', string])[],
  cut = 0,
): Promise<void> {
  await live.alone(['snapshot'])
  const bytes = frames.flatMap(([type, text]) => [frameHead(type, Buffer.byteLength(text)), Buffer.from(text)])
  const all = Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), ...bytes])
  const server = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(all.subarray(0, all.length - cut)))
  })
  await new Promise<void>((done) => server.listen(live.socket, done))
  onTestFinished(() => void server.close())
}

test.for([
  ['before it begins', [], 0, true],
  ['in the middle of a frame', [['s', '1']], 1, true],
  ['before it prints', [['s', '1']], 0, true],
  [
    'after a remark',
    [
      ['s', '1'],
      ['e', 'working\n'],
    ],
    0,
    true,
  ],
  [
    'in the middle of its answer',
    [
      ['s', '1'],
      ['o', '{"root": "…'],
    ],
    3,
    true,
  ],
  [
    'after a part of its answer',
    [
      ['s', '1'],
      ['o', '{"root":'],
    ],
    0,
    false,
  ],
  ['with something that may not be repeated', [['s', '0']], 0, false],
] as const)(
  'a command whose daemon goes away %s is done by the client, or said to be lost',
  async ([, frames, cut, isDone]) => {
    const live = newLive()
    await pretend(live, frames, cut)
    const answer = await live.tw(['status', '--json'])
    if (isDone) expect(answer).toMatchObject({ exit: 0, json: { root: live.root } })
    else expect(answer.exit).toBe(5)
    if (!isDone && answer.stdout !== '{"root":') expect(answer).toMatchObject(LOST)
  },
)

test('a restore that a daemon left half done is finished by a command without one', async () => {
  const live = newLive()
  writeVersion(live, 'one')
  const { snapshot_id } = (await live.alone(['snapshot', '--json'])).json
  writeVersion(live, 'two')
  await live.serve({ TIMEWARP_TEST_DIE_AT: 'restore:placed:20' })
  expect(await live.tw(['restore', snapshot_id, '--json'])).toMatchObject(LOST)
  expect(versionOf(live)).toBe('one,two')
  expect((await live.alone(['snapshot', '--json'])).exit).toBe(0)
  expect(['one', 'two']).toContain(versionOf(live))
  expect(fs.readdirSync(live.root).sort()).toEqual(['.timewarp', 'a', 'v'])
})
