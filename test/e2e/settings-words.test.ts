import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newWorkspace, type Workspace } from '../kit/workspace.ts'

/** What a person reads about settings: what counts, what is wrong, and which command mends it. */

const putConfig = (workspace: Workspace, settings: unknown): void => {
  mkdirSync(join(workspace.root, '.timewarp'), { recursive: true })
  writeFileSync(join(workspace.root, '.timewarp/config.json'), JSON.stringify(settings))
}
const configOf = (workspace: Workspace): unknown =>
  JSON.parse(readFileSync(join(workspace.root, '.timewarp/config.json'), 'utf8'))

async function withFiles(): Promise<Workspace> {
  const workspace = newWorkspace({ a: '1', '.timewarpignore': '*.log\n' })
  await workspace.tw(['init'])
  putConfig(workspace, { max_file_bytes: 99 })
  return workspace
}
const say = async (workspace: Workspace, ...args: string[]): Promise<string> => {
  const { stdout, stderr } = await workspace.tw(args)
  return stdout + stderr
}

test('trust never sends the user to trust', async () => {
  const workspace = await withFiles()
  const asked = (await workspace.tw(['trust', '--json'])).json.error.data
  expect(asked.would).toContain('2 settings would be weaker.')
  expect(asked.would).not.toContain('timewarp trust')
  const done = await say(workspace, 'trust', '--yes')
  expect(done).toContain('max_file_bytes: 99 instead of 268435456')
  expect(done).not.toMatch(/accept/i)
  expect(await say(workspace, 'trust', '--revoke')).not.toMatch(/accept/i)
})

test('a dry run says what would come of it, before and after', async () => {
  const workspace = await withFiles()
  expect(await say(workspace, 'trust', '--dry-run')).toContain(
    '2 settings would be weaker. Accept with: timewarp trust',
  )
  expect(await say(workspace, 'trust', '--revoke', '--dry-run')).toContain('Nothing is trusted.')
  await workspace.tw(['trust', '--yes'])
  const again = await say(workspace, 'trust', '--dry-run')
  expect(again).toContain('.timewarp/config.json: trusted')
  expect(again).toContain('There is nothing new to trust.')
  expect(await say(workspace, 'trust', '--revoke', '--dry-run')).toContain('They would be trusted no longer.')
  const revoked = await say(workspace, 'trust', '--revoke')
  expect(revoked).toContain('.timewarp/config.json: untrusted')
  expect(revoked).toContain('  max_file_bytes: 268435456 again, not 99\n')
  expect(revoked).toContain('  .timewarpignore: [] again, not ["*.log"]\nNo longer trusted.')
})

test('of patterns that were changed since they were trusted, the changes do not count', async () => {
  const workspace = newWorkspace({ '.timewarpignore': '*.log\n' })
  await workspace.tw(['init'])
  expect(await say(workspace, 'status')).toContain('.timewarpignore is untrusted; not applied: its patterns.')
  await workspace.tw(['trust', '--yes'])
  workspace.write({ '.timewarpignore': '*.log\n*.tmp\n' })
  expect(await say(workspace, 'status')).toContain('changed since you trusted it; not applied: its changes.')
})

test('settings that are wrong are mended one by one by the commands that are shown', async () => {
  const workspace = newWorkspace({ a: '1' })
  await workspace.tw(['init'])
  putConfig(workspace, { max_file_bytes: 'many', retention: { edits_days: -1 }, 'no such': 1 })
  const { warnings } = (await workspace.tw(['status', '--json'])).json
  expect(warnings).toEqual([
    expect.stringMatching(
      /^\.timewarp\/config\.json: "max_file_bytes" is not used: .*: timewarp config max_file_bytes VALUE$/,
    ),
    expect.stringMatching(/"retention\.edits_days" is not used: .*: timewarp config retention\.edits_days VALUE$/),
    expect.stringMatching(/There is no setting "no such"\. Remove it with: timewarp config --unset 'no such'$/),
  ])
  const wrong = await workspace.tw(['config', 'max_file_bytes', 'few'])
  expect([wrong.exit, configOf(workspace)]).toEqual([2, expect.objectContaining({ max_file_bytes: 'many' })])
  expect((await workspace.tw(['config', 'max_file_bytes', '1000'])).exit).toBe(0)
  expect((await workspace.tw(['config', '--unset', 'retention.edits_days'])).exit).toBe(0)
  expect((await workspace.tw(['config', '--unset', 'no such'])).exit).toBe(0)
  expect(configOf(workspace)).toEqual({ max_file_bytes: 1000, retention: {} })
})

test('a file that is not JSON is refused as a whole, and left as it is', async () => {
  const workspace = newWorkspace({ a: '1', '.timewarp/config.json': '{"max_file_bytes": 1' })
  await workspace.tw(['init'])
  const { exit, stderr } = await workspace.tw(['config', 'max_file_bytes', '1000'])
  expect(exit).toBe(2)
  expect(stderr).toContain('config.json: It is not used: it is not JSON')
  expect(readFileSync(join(workspace.root, '.timewarp/config.json'), 'utf8')).toBe('{"max_file_bytes": 1')
})
