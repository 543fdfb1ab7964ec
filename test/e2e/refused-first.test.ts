import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { describeTree } from '../kit/tree.ts'
import { isRoot, newWorkspace, type Workspace } from '../kit/workspace.ts'

/** What could only stop in the middle is refused before it begins: no file is touched, and no journal is left. */

const LAUNCHER = resolve(import.meta.dirname, '../../bin/timewarp')

/** Forty folders of two files, all of which have changed since the snapshot. */
async function changed(): Promise<{ workspace: Workspace; id: string; files: string[] }> {
  const folders = Array.from({ length: 40 }, (_, i) => `dir-${i}`)
  const files = folders.flatMap((folder) => [`${folder}/a`, `${folder}/deep/b`])
  const workspace = newWorkspace(Object.fromEntries(files.map((path) => [path, `then ${path}`])))
  const id = await workspace.snapshot()
  workspace.write(Object.fromEntries(files.map((path) => [path, `now ${path}`])))
  await workspace.close()
  return { workspace, id, files }
}

function journals({ home }: Workspace): number {
  const db = new DatabaseSync(join(home, 'timewarp.db'), { readOnly: true })
  try {
    return Number(db.prepare('SELECT count(*) AS n FROM journals').get()?.['n'])
  } finally {
    db.close()
  }
}

function withFew(workspace: Workspace, limit: number, args: readonly string[]) {
  const script = `ulimit -n ${limit}; exec "$0" "$@" --json`
  const { status, stdout } = spawnSync('sh', ['-c', script, LAUNCHER, ...args], {
    cwd: workspace.root,
    env: { PATH: process.env['PATH'] ?? '', TIMEWARP_HOME: workspace.home, TIMEWARP_DAEMON: 'off' },
    encoding: 'utf8',
  })
  return { status, error: (JSON.parse(stdout || '{}') as { error?: { code: string } }).error }
}

const LIMITS = [24, 28, 32, 48, 64]

test.runIf(process.platform === 'linux')('a restore, an edit, a copy or a journey with few descriptors', async () => {
  const { workspace, id, files } = await changed()
  const before = describeTree(workspace.root)
  const [copy, past] = ['copy', 'past'].map((name) => join(workspace.temp, name)) as [string, string]
  const edit = ['write', 'dir-3/deep/b', '--content', 'edited']
  const away = ['travel', id, '--into', past]
  for (const limit of LIMITS)
    for (const args of [['restore', id], edit, ['materialise', id, copy], away]) {
      const { status, error } = withFew(workspace, limit, args)
      expect([limit, status, error?.code]).toEqual([limit, 4, 'TOO_MANY_FILES'])
      expect(describeTree(workspace.root)).toEqual(before)
      expect(journals(workspace)).toBe(0)
      expect([existsSync(copy), existsSync(past)]).toEqual([false, false])
    }
  expect(withFew(workspace, 1024, ['restore', id])).toMatchObject({ status: 0 })
  expect(files.map((path) => workspace.read(path))).toEqual(files.map((path) => `then ${path}`))
})

test.runIf(process.platform === 'linux')('a restore that was killed is finished once descriptors suffice', async () => {
  const { workspace, id, files } = await changed()
  const env = { TIMEWARP_TEST_DIE_AT: 'restore:placed:5' }
  await workspace.tw(['restore', id], { env })
  expect(journals(workspace)).toBe(1)
  expect(withFew(workspace, 40, ['snapshot']).error?.code).toBe('TOO_MANY_FILES')
  expect(journals(workspace)).toBe(1)
  await workspace.tw(['snapshot'])
  expect(files.map((path) => workspace.read(path))).toEqual(files.map((path) => `then ${path}`))
})

test.for([['restore'], ['write', 'dir-3/a', '--content', 'edited']])(
  'in a workspace where nothing can be written: %s',
  async (command) => {
    const { workspace, id } = await changed()
    const before = describeTree(workspace.root)
    if (isRoot) workspace.giveToNobody()
    chmodSync(workspace.at('.timewarp'), 0o500)
    const args = command[0] === 'restore' ? ['restore', id] : command
    const { json } = await workspace.tw([...args, '--json'], { asNobody: isRoot })
    expect(json.error).toMatchObject({ code: 'NO_PERMISSION' })
    expect(json.error.message).toContain(workspace.at('.timewarp/aside'))
    expect(journals(workspace)).toBe(0)
    chmodSync(workspace.at('.timewarp'), 0o700)
    expect(describeTree(workspace.root)).toEqual(before)
  },
)
