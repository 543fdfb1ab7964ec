import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sleep } from '../../src/host/clock.ts'
import { ended, isRoot, newWorkspace, shell, type Workspace } from '../kit/workspace.ts'
import { newWarm } from '../live/warm.ts'

/** What could not be captured and now can be is a change: no snapshot holds it yet. */

const LIMIT = 1000
const setLimit = (workspace: Workspace, bytes: number): void => {
  fs.mkdirSync(workspace.home, { recursive: true, mode: 0o700 })
  fs.writeFileSync(join(workspace.home, 'config.json'), JSON.stringify({ max_file_bytes: bytes }))
}

/** What a capture says it could not take. */
const left = ({ warnings }: { warnings: readonly string[] }): readonly string[] =>
  warnings.filter((warning) => warning.includes('is not captured'))

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5)
}

interface Taker {
  readonly workspace: Workspace
  readonly snapshot: () => Promise<{
    created: boolean
    snapshot_id: string
    added: number
    warnings: readonly string[]
  }>
}

const TAKERS: Readonly<Record<string, () => Taker>> = {
  'a scan': () => {
    const workspace = newWorkspace({ a: 'a' })
    return { workspace, snapshot: () => workspace.call('snapshot') }
  },
  'a warm capture': () => {
    const live = newWarm({ a: 'a' })
    return { workspace: live.workspace, snapshot: () => live.warm() }
  },
}

/** How a path gets in the way of a capture, and how it ceases to be. */
const WAYS: Readonly<Record<string, { before: (w: Workspace) => void; after: (w: Workspace) => void }>> = {
  'too large, then small': {
    before: (w) => w.write({ 'sub/m': 'x'.repeat(2 * LIMIT) }),
    after: (w) => w.write({ 'sub/m': 'precious' }),
  },
  'too large, then the limit is raised': {
    before: (w) => w.write({ 'sub/m': 'precious'.repeat(LIMIT) }),
    after: (w) => setLimit(w, 100 * LIMIT),
  },
  'a pipe, then a file': {
    before: (w) => {
      w.write({ 'sub/': '' })
      shell('mkfifo -- "$1"', w.at('sub/m'))
    },
    after: (w) => {
      fs.rmSync(w.at('sub/m'))
      w.write({ 'sub/m': 'precious' })
    },
  },
}

describe.each(Object.entries(TAKERS))('%s', (_, take) => {
  test.each(Object.entries(WAYS))('captures what was %s', async (__, { before, after }) => {
    const { workspace, snapshot } = take()
    setLimit(workspace, LIMIT)
    before(workspace)
    expect(left(await snapshot())).toHaveLength(1)
    after(workspace)
    const content = workspace.read('sub/m')
    const next = await snapshot()
    expect(next).toMatchObject({ created: true, added: 1 })
    expect(left(next)).toEqual([])
    expect((await snapshot()).created).toBe(false)
    const shown = await workspace.call('diff', {
      from: (next as unknown as { base: string }).base,
      to: next.snapshot_id,
    })
    expect(shown.files).toMatchObject([{ path: 'sub/m', status: 'added' }])
    fs.rmSync(workspace.at('sub/m'))
    await workspace.restore(next.snapshot_id)
    expect(workspace.read('sub/m')).toBe(content)
  })

  test('captures what kept changing while it was read, once it no longer does', async () => {
    const { workspace, snapshot } = take()
    await snapshot()
    workspace.write({ 'sub/m': '' })
    const writer = spawn('sh', ['-c', 'while :; do printf x >> "$1"; done', 'sh', workspace.at('sub/m')])
    onTestFinished(() => void writer.kill('SIGKILL'))
    await until(() => fs.statSync(workspace.at('sub/m')).size > 0)
    await snapshot()
    writer.kill('SIGKILL')
    await ended(writer)
    await snapshot()
    const last = await snapshot()
    expect(last.created).toBe(false)
    expect(left(last)).toEqual([])
    fs.copyFileSync(workspace.at('sub/m'), join(workspace.temp, 'm'))
    fs.rmSync(workspace.at('sub/m'))
    await workspace.restore(last.snapshot_id)
    expect(fs.readFileSync(workspace.at('sub/m'))).toEqual(fs.readFileSync(join(workspace.temp, 'm')))
  })

  test('undo leaves it alone: what it was before is not known', async () => {
    const { workspace, snapshot } = take()
    setLimit(workspace, LIMIT)
    workspace.write({ m: 'x'.repeat(2 * LIMIT) })
    await snapshot()
    workspace.write({ m: 'precious', a: 'b' })
    await snapshot()
    const { skipped } = await workspace.call('undo')
    expect(skipped).toMatchObject([{ path: 'm', reason: 'it was not captured then (oversized)' }])
    expect(workspace.read('m')).toBe('precious')
    expect(workspace.read('a')).toBe('a')
  })
})

/** A file, or the folder it is in, that its owner may not read. */
const LOCKED = [
  ['file', 'sub/m', 0o644],
  ['folder', 'sub', 0o755],
] as const

describe.each(['off', 'on'])('with the daemon %s', (daemon) => {
  test.each(LOCKED)('captures what was in an unreadable %s, once it can be read', async (_, path, mode) => {
    const workspace = newWorkspace({ a: 'a', 'sub/m': 'precious' })
    fs.chmodSync(workspace.at(path), 0)
    if (isRoot) workspace.giveToNobody()
    const run = { asNobody: isRoot, env: { TIMEWARP_DAEMON: daemon } }
    const snapshot = async () => (await workspace.tw(['snapshot', '--json'], run)).json
    if (daemon === 'on') onTestFinished(async () => void (await workspace.tw(['daemon', 'stop'], run)))
    expect(left(await snapshot())).toHaveLength(1)
    expect(await snapshot()).toMatchObject({ created: false })
    fs.chmodSync(workspace.at(path), mode)
    const next = await snapshot()
    expect(next).toMatchObject({ created: true, added: path === 'sub' ? expect.any(Number) : 1 })
    expect(left(next)).toEqual([])
    expect(await snapshot()).toMatchObject({ created: false })
    fs.rmSync(workspace.at('sub/m'))
    await workspace.tw(['restore', next.snapshot_id], run)
    expect(workspace.read('sub/m')).toBe('precious')
  })
})
