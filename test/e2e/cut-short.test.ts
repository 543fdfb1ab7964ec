import { expect, test } from 'vitest'
import { newWorkspace, type Workspace, whenPassing } from '../kit/workspace.ts'

const THEN = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i}`, `then ${i}`]))
const NOW = Object.fromEntries(Object.keys(THEN).map((name) => [name, `now of ${name}`]))

/** A workspace in which a restore died after some of its files. */
async function cutShort(): Promise<{ workspace: Workspace; id: string }> {
  const workspace = newWorkspace(THEN)
  const { json } = await workspace.tw(['snapshot', '--json'])
  const id = json.snapshot_id as string
  workspace.write(NOW)
  const died = await workspace.tw(['restore', id], { env: { TIMEWARP_TEST_DIE_AT: 'restore:placed:5' } })
  expect(died.exit).not.toBe(0)
  return { workspace, id }
}

const isThen = (workspace: Workspace): boolean =>
  Object.entries(THEN).every(([name, content]) => workspace.read(name) === content)

test.for([
  ['log'],
  ['log', '--json'],
  ['show', 'latest'],
  ['history', 'f0'],
  ['cat', 'latest', 'f0'],
  ['pin', 'latest'],
  ['milestones'],
  ['blame', 'f0'],
])('a restore that was cut short is finished and announced by %j', async (words) => {
  const { workspace } = await cutShort()
  const { exit, stderr } = await workspace.tw(words)
  expect({ exit, stderr }).toMatchObject({
    exit: 0,
    stderr: expect.stringMatching(/^A restore that was interrupted has been finished: \d+ paths restored/),
  })
  expect(isThen(workspace)).toBe(true)
  expect((await workspace.tw(words)).stderr).toBe('')
})

test.for([['status'], ['diff', 'latest'], ['snapshot']])('%j tells it among its warnings', async (words) => {
  const { workspace } = await cutShort()
  const { exit, json, stderr } = await workspace.tw([...words, '--json'])
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  expect(json.warnings.join()).toContain('a restore that was interrupted has been finished')
  expect(isThen(workspace)).toBe(true)
})

test('what cannot be finished now does not keep anyone from looking', async () => {
  const { workspace } = await cutShort()
  whenPassing('capture:scanned', () => {
    throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' })
  })
  expect((await workspace.call('get_edit_history')).snapshots.length).toBeGreaterThan(0)
  expect(isThen(workspace)).toBe(false)
})

test('another workspace is left alone', async () => {
  const { workspace } = await cutShort()
  await workspace.tw(['stats'])
  await workspace.tw(['workspaces'])
  expect(isThen(workspace)).toBe(false)
})
