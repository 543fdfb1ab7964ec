import * as fs from 'node:fs'
import * as net from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { answerOf } from '../kit/workspace.ts'
import { type Live, newLive, until } from './kit.ts'

/** Many workspaces, and many clients. */

const rootsOf = async (live: Live): Promise<string[]> =>
  (await live.health()).workspaces.map(({ root }: { root: string }) => root).sort()

/** Further workspaces beside the first. */
function addWorkspaces(live: Live, count: number): string[] {
  const roots = Array.from({ length: count }, (_, i) => join(live.workspace.temp, `other ${i}`))
  for (const [i, root] of roots.entries()) {
    fs.mkdirSync(root)
    fs.writeFileSync(join(root, 'file'), `${i}`)
  }
  return roots
}

test('one daemon serves several workspaces at once', async () => {
  const live = newLive()
  const roots = addWorkspaces(live, 4)
  await live.serve()
  const answers = await Promise.all(roots.map((root) => live.tw(['-C', root, 'snapshot', '--json'])))
  expect(answers.map(({ exit, json }) => [exit, json.created, json.files])).toEqual(roots.map(() => [0, true, 1]))
  expect(await rootsOf(live)).toEqual(roots)
  for (const [i, root] of roots.entries()) fs.writeFileSync(join(root, `new ${i}`), 'x')
  const second = await Promise.all(roots.map((root) => live.tw(['-C', root, 'diff', 'latest', '--json'])))
  expect(second.map(({ json }) => json.files.map(({ path }: { path: string }) => path))).toEqual(
    roots.map((_, i) => [`new ${i}`]),
  )
  expect(await live.health()).toMatchObject({ calls: 8 })
})

test('one whose folder is removed is let go of, and taken up again when it is back', async () => {
  const live = newLive({ a: '1' }, { env: { TIMEWARP_TEST_TICK_MS: '300' } })
  const [root] = addWorkspaces(live, 1) as [string]
  await live.serve()
  await live.tw(['-C', root, 'snapshot'])
  await live.tw(['snapshot'])
  expect(await rootsOf(live)).toEqual([root, live.root].sort())
  fs.rmSync(root, { recursive: true })
  await until('it is dropped', async () => !(await rootsOf(live)).includes(root) || undefined)
  const status = (await live.tw(['daemon', 'status', '--json'])).json
  expect(status.workspaces).toMatchObject([{ root: live.root }])
  expect((await live.tw(['workspaces', '--json'])).json.workspaces).toContainEqual(
    expect.objectContaining({ root, present: false }),
  )
  // The next command brings it back from the store.
  const restored = await live.tw(['-C', root, 'restore', 'latest', '--json'])
  expect(restored).toMatchObject({ exit: 0, json: { restored: ['file'] } })
  expect(fs.readFileSync(join(root, 'file'), 'utf8')).toBe('0')
  expect(await rootsOf(live)).toContain(root)
  fs.writeFileSync(join(root, 'file'), 'changed')
  expect((await live.tw(['-C', root, 'snapshot', '--json'])).json).toMatchObject({ created: true, modified: 1 })
})

test('a folder that somebody else puts in the place of a workspace is seen as it is', async () => {
  const live = newLive()
  const [root] = addWorkspaces(live, 1) as [string]
  await live.serve()
  await live.tw(['-C', root, 'snapshot'])
  fs.renameSync(root, `${root} before`)
  fs.mkdirSync(root)
  fs.writeFileSync(join(root, 'other'), 'x')
  expect((await live.tw(['-C', root, 'snapshot', '--json'])).json).toMatchObject({
    created: true,
    added: 1,
    deleted: 1,
  })
  fs.writeFileSync(join(root, 'other'), 'y')
  expect((await live.tw(['-C', root, 'snapshot', '--json'])).json).toMatchObject({ created: true, modified: 1 })
})

/** Connects and says this, and nothing more. */
function hang(live: Live, text: string): Promise<net.Socket> {
  return new Promise((done) => {
    const socket = net.connect(live.socket, () => {
      socket.write(text)
      done(socket)
    })
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
  })
}

test('clients that hang, break off, or talk nonsense do not bother the others', async () => {
  const live = newLive()
  await live.serve()
  const { pid } = live.card
  for (let i = 0; i < 20; i++) {
    await hang(live, '')
    await hang(live, 'POST /v1/command HTTP/1.0\r\nContent-Length: 1000000\r\n\r\n{"argv":')
    ;(await hang(live, 'POST /v1/call/snapshot HTTP/1.1\r\nContent-')).destroy()
    await hang(live, '\0\0\0nonsense\r\n\r\n')
  }
  const start = Date.now()
  expect((await live.tw(['snapshot', '--json'])).json).toMatchObject({ created: true })
  expect(Date.now() - start).toBeLessThan(8000)
  expect(await live.health()).toMatchObject({ pid, calls: 1 })
})

test('a client that goes away in the middle of a command leaves it to end in peace', async () => {
  const live = newLive(Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`${i % 20}/${i}`, `${i}`])))
  await live.serve()
  const { pid } = live.card
  const child = live.start(['snapshot', '-m', 'left alone'])
  await until('it is at work', async () => (await live.health()).calls > 0 || undefined)
  child.kill('SIGKILL')
  await answerOf(child).catch(() => {})
  await until('it is done', async () => {
    const { snapshots } = (await live.tw(['log', '--json'])).json
    return snapshots?.length === 1 || undefined
  })
  expect(await live.health()).toMatchObject({ pid })
})

test('a thousand calls at once are all answered', async () => {
  const live = newLive()
  await live.serve()
  const { pid } = live.card
  await live.call('snapshot')
  const calls = Array.from({ length: 1000 }, (_, i) => live.call(i % 10 === 0 ? 'snapshot' : 'status'))
  const [answers, command] = await Promise.all([Promise.all(calls), live.tw(['log', '--json'])])
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  expect(command).toMatchObject({ exit: 0 })
  expect(await live.health()).toMatchObject({ pid })
  expect((await live.alone(['fsck', '--json'])).json).toMatchObject({ ok: true })
})
