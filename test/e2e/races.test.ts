import type { ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { setPointHook } from '../../src/host/points.ts'
import { describeTree } from '../kit/tree.ts'
import { type Answer, answerOf, ended, newWorkspace, untilSays, type Workspace, whenPassing } from '../kit/workspace.ts'

/** Others are at work at the same time: files change, processes meet, processes die. */

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))

describe('a change right after a snapshot', () => {
  test('of the same size, in the same tick of the clock, is noticed by the next', async () => {
    const workspace = newWorkspace({ file: 'aaaa', 'deep/er/file': 'aaaa' })
    await workspace.snapshot()
    for (let round = 0; round < 30; round++) {
      const content = `${1000 + round}`
      workspace.write({ file: content, 'deep/er/file': content })
      const { created, modified, snapshot_id } = await workspace.call('snapshot')
      expect({ round, created, modified }).toEqual({ round, created: true, modified: 2 })
      expect((await workspace.call('cat', { snapshot_id, path: 'file' })).content).toBe(content)
    }
  })

  test('that also sets the time back is noticed by the next', async () => {
    const workspace = newWorkspace({ file: 'aaaa' })
    for (let round = 0; round < 15; round++) {
      workspace.write({ file: `${1000 + round}` })
      fs.utimesSync(workspace.at('file'), 1000, 1000)
      expect(await workspace.call('snapshot')).toMatchObject({ created: true })
    }
  })

  test('that puts another file of the same size and time in its place is noticed by the next', async () => {
    const workspace = newWorkspace({ file: 'aaaa' })
    await workspace.snapshot()
    for (let round = 0; round < 15; round++) {
      workspace.write({ new: `${1000 + round}` })
      fs.utimesSync(workspace.at('new'), 1000, 1000)
      fs.renameSync(workspace.at('new'), workspace.at('file'))
      expect(await workspace.call('snapshot')).toMatchObject({ created: true, modified: 1, added: 0 })
    }
  })

  test('that adds, removes or renames is noticed by the next', async () => {
    const workspace = newWorkspace({ 'folder/a': '1' })
    await workspace.snapshot()
    for (let round = 0; round < 10; round++) {
      workspace.write({ 'folder/b': '2' })
      expect(await workspace.call('snapshot')).toMatchObject({ added: 1, deleted: 0 })
      fs.renameSync(workspace.at('folder/b'), workspace.at('folder/c'))
      expect(await workspace.call('snapshot')).toMatchObject({ added: 1, deleted: 1 })
      fs.rmSync(workspace.at('folder/c'))
      expect(await workspace.call('snapshot')).toMatchObject({ added: 0, deleted: 1 })
    }
  })

  test('that repoints a symlink to a target of the same length is noticed by the next', async () => {
    const workspace = newWorkspace()
    for (let round = 0; round < 10; round++) {
      fs.rmSync(workspace.at('link'), { force: true })
      fs.symlinkSync(`${1000 + round}`, workspace.at('link'))
      expect(await workspace.call('snapshot')).toMatchObject({ created: true })
    }
  })

  test('that exchanges two folders is noticed by the next', async () => {
    const workspace = newWorkspace({ 'a/file': '1', 'b/file': '2' })
    await workspace.snapshot()
    fs.renameSync(workspace.at('a'), workspace.at('c'))
    fs.renameSync(workspace.at('b'), workspace.at('a'))
    fs.renameSync(workspace.at('c'), workspace.at('b'))
    const { snapshot_id, modified } = await workspace.call('snapshot')
    expect(modified).toBe(2)
    expect((await workspace.call('cat', { snapshot_id, path: 'a/file' })).content).toBe('2')
  })
})

describe('a file that another process keeps rewriting', () => {
  const SIZE = 6_000_000
  const PIECE = 100_000
  const LETTERS = ['A', 'B']

  /** A writer in this process: `put` writes all or a part of the file in place. */
  const newWriter = (workspace: Workspace) => {
    let turn = 0
    const put = (from = 0, to = SIZE): void => {
      const fd = fs.openSync(workspace.at('busy'), 'r+')
      fs.writeSync(fd, Buffer.alloc(to - from, LETTERS[turn % 2]), 0, to - from, from)
      fs.closeSync(fd)
    }
    return { put, next: () => void turn++ }
  }

  /** What a capture made of it: its letters, or `reported`. */
  const captured = async (workspace: Workspace): Promise<string> => {
    const { snapshot_id, warnings } = await workspace.call('snapshot', { label: 'round' })
    if (warnings.some((warning) => warning.startsWith('busy is not captured'))) return 'reported'
    const { content } = await workspace.call('cat', { snapshot_id, path: 'busy' })
    return [...new Set(content)].join('')
  }

  const busy = (): Workspace => newWorkspace({ busy: Buffer.alloc(SIZE, 'A'), calm: 'x' })

  // Real writers race with captures in test/long.
  test('in place, once, between two parts of the reading is captured whole', async () => {
    const workspace = busy()
    const { put, next } = newWriter(workspace)
    next()
    whenPassing('read:chunk', put)
    expect(await captured(workspace)).toBe('B')
  })

  test('piece by piece, to its end, during the first reading is captured whole', async () => {
    const workspace = busy()
    const { put, next } = newWriter(workspace)
    next()
    let at = 0
    onTestFinished(() => setPointHook(undefined))
    setPointHook((name) => {
      if (name === 'read:chunk' && at < SIZE) put(at, (at += PIECE))
      if (name === 'read:between') while (at < SIZE) put(at, (at += PIECE))
    })
    expect(await captured(workspace)).toBe('B')
  })

  test('in place without a pause is reported', async () => {
    const workspace = busy()
    const { put, next } = newWriter(workspace)
    onTestFinished(() => setPointHook(undefined))
    setPointHook((name) => {
      if (name !== 'read:between') return
      next()
      put()
    })
    expect(await captured(workspace)).toBe('reported')
  })

  test('cut before it is written is captured whole', async () => {
    const workspace = busy()
    const { put, next } = newWriter(workspace)
    next()
    whenPassing('read:chunk', () => {
      fs.truncateSync(workspace.at('busy'))
      put()
    })
    expect(await captured(workspace)).toBe('B')
  })

  const rewrite = async (workspace: Workspace, ...how: string[]): Promise<ChildProcess> => {
    const writer = workspace.startScript('rewriter.ts', [workspace.at('busy'), String(SIZE), ...how])
    await untilSays(writer, 'writing')
    return writer
  }

  test('is whole and reported when it is restored meanwhile, and everything else is restored', async () => {
    const workspace = newWorkspace({ busy: 'then', calm: 'then' })
    const id = await workspace.snapshot()
    workspace.write({ busy: Buffer.alloc(SIZE, 'A') })
    const writer = await rewrite(workspace, 'keep', '500000', '0')
    for (let round = 0; round < 5; round++) {
      workspace.write({ calm: `now ${round}` })
      const receipt = await workspace.restore(id)
      expect(receipt.restored).toContain('calm')
      const told = [...receipt.skipped, ...receipt.conflicts, ...receipt.restored.map((path) => ({ path }))]
      expect(told.map(({ path }) => path)).toContain('busy')
    }
    writer.kill('SIGKILL')
    await ended(writer)
    expect(workspace.read('calm')).toBe('then')
  })

  test('at its very moment of being replaced is put back', async () => {
    const workspace = newWorkspace({ file: 'then' })
    const id = await workspace.snapshot()
    workspace.write({ file: 'now' })
    whenPassing('restore:written', () => workspace.write({ file: 'precious' }))
    expect(await workspace.restore(id)).toMatchObject({ restored: [], conflicts: [{ path: 'file' }] })
    expect(workspace.read('file')).toBe('precious')
  })
})

describe('eight processes that capture one workspace at once', () => {
  const captureAll = (workspace: Workspace) => Promise.all(times(8, () => workspace.tw(['snapshot', '--json'])))

  test('all succeed and agree, also when the store is made by whoever comes first', async () => {
    const workspace = newWorkspace(Object.fromEntries(times(200, (i) => [`${i % 10}/${i}`, `content ${i}`])))
    const answers = await captureAll(workspace)
    expect(answers.map(({ exit, stderr }) => ({ exit, stderr }))).toEqual(times(8, () => ({ exit: 0, stderr: '' })))
    expect(new Set(answers.map(({ json }) => json.tree)).size).toBe(1)
    expect(new Set(answers.map(({ json }) => json.snapshot_id)).size).toBe(1)
    expect(answers.filter(({ json }) => json.created)).toHaveLength(1)
    expect((await workspace.call('workspace_list')).workspaces).toHaveLength(1)
    expect(await workspace.call('fsck')).toMatchObject({ ok: true, problems: [] })
  })

  test('all succeed and agree on a change, and exactly one records it', async () => {
    const workspace = newWorkspace(Object.fromEntries(times(200, (i) => [`${i % 10}/${i}`, `content ${i}`])))
    await workspace.snapshot()
    await workspace.close()
    workspace.write({ '3/3': 'changed', 'new/file': 'y' })
    const answers = await captureAll(workspace)
    expect(answers.map(({ exit }) => exit)).toEqual(times(8, () => 0))
    expect(new Set(answers.map(({ json }) => json.snapshot_id)).size).toBe(1)
    expect(answers.filter(({ json }) => json.created)).toHaveLength(1)
  })

  test('all succeed after a restore died, and its rest is done once', async () => {
    const workspace = newWorkspace({ a: 'then', b: 'then' })
    const id = await workspace.snapshot()
    workspace.write({ a: 'now', b: 'now' })
    await workspace.close()
    const dead = await paused(workspace, 'restore:journal', 'restore', { snapshot_id: id })
    dead.kill('SIGKILL')
    await ended(dead)
    const answers = await captureAll(workspace)
    expect(answers.map(({ exit, json }) => json?.error?.code ?? exit)).toEqual(times(8, () => 0))
    expect([workspace.read('a'), workspace.read('b')]).toEqual(['then', 'then'])
    const { snapshots } = await workspace.call('get_edit_history')
    expect(snapshots.filter(({ label }) => label === 'restore')).toHaveLength(1)
  })
})

const paused = async (workspace: Workspace, point: string, tool: string, input: object): Promise<ChildProcess> => {
  const child = workspace.startChild('paused', [workspace.home, workspace.root, point, tool, JSON.stringify(input)])
  await untilSays(child, 'paused')
  return child
}

describe('while one process restores', () => {
  const prepare = async () => {
    const workspace = newWorkspace({ a: 'then', b: 'then', 'c/d': 'then' })
    const id = await workspace.snapshot()
    workspace.write({ a: 'now', b: 'now', new: 'now' })
    await workspace.close()
    const holder = await paused(workspace, 'restore:placed', 'restore', { snapshot_id: id })
    return { workspace, id, holder }
  }
  const release = (holder: ChildProcess): void => void holder.stdin?.end('\n')
  const lastLine = ({ stdout }: Answer) => JSON.parse(stdout.trim().split('\n').at(-1) ?? '')

  test.for(['restore', 'undo'])('%s in another one is busy and names the holder', async (command) => {
    const { workspace, id, holder } = await prepare()
    const before = describeTree(workspace.root)
    const args = command === 'restore' ? [command, id] : [command]
    const { exit, json } = await workspace.tw([...args, '--json'])
    expect({ exit, code: json.error?.code }).toEqual({ exit: 5, code: 'WORKSPACE_BUSY' })
    expect(json.error.data).toMatchObject({ root: workspace.root, purpose: 'restore' })
    expect(json.error.data.holder).toContain(`process ${holder.pid} `)
    expect(json.error.hint).toBe('Wait until it is done, then repeat the command.')
    expect(describeTree(workspace.root)).toEqual(before)
    const finished = answerOf(holder)
    release(holder)
    expect(await finished).toMatchObject({ exit: 0 })
    expect([workspace.read('a'), workspace.read('b'), workspace.has('new')]).toEqual(['then', 'then', false])
  })

  test('status tells who', async () => {
    const { workspace, holder } = await prepare()
    const { json } = await workspace.tw(['status', '--json'])
    expect(json.busy).toMatchObject({ holder: expect.stringContaining(`process ${holder.pid} `), purpose: 'restore' })
  })

  test('a capture in another one waits for its end', async () => {
    const { workspace, holder } = await prepare()
    const finished = answerOf(holder)
    const waiting = await paused(workspace, 'capture:waits', 'snapshot', {})
    const captured = answerOf(waiting)
    release(holder)
    const restored = lastLine(await finished)
    release(waiting)
    expect(lastLine(await captured)).toMatchObject({ created: false, snapshot_id: restored.new_snapshot_id })
  })

  test('and is killed, the next one takes over and finishes it', async () => {
    const { workspace, holder } = await prepare()
    holder.kill('SIGKILL')
    await ended(holder)
    const { exit, json } = await workspace.tw(['status', '--json'])
    expect({ exit, busy: json.busy }).toEqual({ exit: 0, busy: null })
    expect(json.warnings.join()).toContain('a restore that was interrupted has been finished')
    expect([workspace.read('a'), workspace.read('b'), workspace.has('new')]).toEqual(['then', 'then', false])
    expect(fs.readdirSync(workspace.at('.timewarp'))).toEqual(['.gitignore'])
    await workspace.call('undo')
    expect([workspace.read('a'), workspace.read('b'), workspace.read('new')]).toEqual(['now', 'now', 'now'])
  })

  test('and is killed, a capture waits for the process that finishes it, and does not finish it again', async () => {
    const { workspace, holder } = await prepare()
    holder.kill('SIGKILL')
    await ended(holder)
    const finisher = await paused(workspace, 'restore:applied', 'snapshot', {})
    const waiting = await paused(workspace, 'capture:waits', 'snapshot', {})
    const [finished, captured] = [answerOf(finisher), answerOf(waiting)]
    release(finisher)
    expect(await finished).toMatchObject({ exit: 0 })
    release(waiting)
    expect(lastLine(await captured)).toMatchObject({ created: false })
    const { snapshots } = await workspace.call('get_edit_history')
    expect(snapshots.filter(({ label }) => label === 'restore')).toHaveLength(1)
  })

  test('and is killed, another restore takes over', async () => {
    const { workspace, id, holder } = await prepare()
    holder.kill('SIGKILL')
    await ended(holder)
    expect(await workspace.tw(['restore', id, '--json'])).toMatchObject({ exit: 0 })
    expect([workspace.read('a'), workspace.read('b'), workspace.has('new')]).toEqual(['then', 'then', false])
  })

  test('and is killed, what somebody changed since then stays', async () => {
    const { workspace, holder } = await prepare()
    holder.kill('SIGKILL')
    await ended(holder)
    workspace.write({ a: 'precious', b: 'precious', new: 'precious' })
    expect(await workspace.tw(['snapshot', '--json'])).toMatchObject({ exit: 0 })
    expect(['a', 'b', 'new'].map((path) => workspace.read(path))).toEqual(['precious', 'precious', 'precious'])
  })

  test('another workspace of the same store is not busy', async () => {
    const { workspace, id } = await prepare()
    const other = `${workspace.temp}/other`
    fs.mkdirSync(other)
    expect(await workspace.tw(['snapshot', '--json'], { cwd: other })).toMatchObject({
      exit: 0,
      json: { created: true },
    })
    expect(await workspace.tw(['restore', 'latest', '--json'], { cwd: other })).toMatchObject({ exit: 0 })
    expect(await workspace.tw(['cat', id, 'a'])).toMatchObject({ exit: 0, stdout: 'then' })
  })
})

test('two restores at once: one does its work, the other is told that it is busy or comes after', async () => {
  const workspace = newWorkspace(Object.fromEntries(times(350, (i) => [`${i}`, `then ${i}`])))
  const id = await workspace.snapshot()
  const then = describeTree(workspace.root)
  for (let i = 0; i < 350; i++) workspace.write({ [`${i}`]: `now ${i}` })
  await workspace.close()
  const answers = await Promise.all(times(3, () => workspace.tw(['restore', id, '--json'])))
  expect(answers.every(({ exit }) => exit === 0 || exit === 5)).toBe(true)
  expect(answers.some(({ exit }) => exit === 0)).toBe(true)
  for (const { exit, json } of answers) if (exit === 0) expect(json).toMatchObject({ conflicts: [], skipped: [] })
  expect(describeTree(workspace.root)).toEqual(then)
})
