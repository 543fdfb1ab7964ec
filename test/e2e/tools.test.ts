import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newWorkspace } from '../kit/workspace.ts'

test('fields may come in camel case, and what no field is called is refused', async () => {
  const workspace = newWorkspace()
  writeFileSync(join(workspace.root, 'a'), 'one')
  const snapshot_id = await workspace.snapshot()
  writeFileSync(join(workspace.root, 'a'), 'two')
  const call = workspace.call.bind(workspace) as (name: string, input: object) => Promise<Record<string, unknown>>
  expect(await call('restore', { snapshot_id, dryRun: true })).toMatchObject({ dry_run: true, restored: ['a'] })
  await expect(call('restore', { snapshot_id, dry: true })).rejects.toMatchObject({ code: 'BAD_INPUT' })
  expect((await workspace.call('diff', { from: snapshot_id })).files).toHaveLength(1)
})

test('a partial section of the settings leaves the rest of it as the home has it', async () => {
  const workspace = newWorkspace()
  await workspace.call('workspace_init')
  await workspace.call('config', { key: 'retention.edits_days', value: '7', home: true })
  await workspace.call('config', { key: 'retention.undo_steps', value: '9' })
  const { settings } = await workspace.call('config')
  expect(settings['retention']).toMatchObject({ edits_days: 7, undo_steps: 9, manual_days: 90 })
})

test('log filters by label, source, time, pin, session, tool and file, and pages through with cursors', async () => {
  const workspace = newWorkspace()
  for (const [i, name] of ['a.ts', 'b.md', 'src/c.ts', 'd.md', 'e.ts'].entries()) {
    workspace.write({ [name]: String(i) })
    await workspace.call('snapshot', {
      label: `l${i}`,
      pin: i === 1,
      session_id: `sess_${i % 2}`,
      ...(i === 3 ? { tool: 'Bash' } : {}),
    })
  }
  const labels = async (input: object): Promise<(string | null)[]> =>
    (await workspace.call('get_edit_history', input)).snapshots.map(({ label }) => label)
  expect(await labels({})).toEqual(['l4', 'l3', 'l2', 'l1', 'l0'])
  expect(await labels({ label: 'l[12]' })).toEqual(['l2', 'l1'])
  expect(await labels({ pinned_only: true })).toEqual(['l1'])
  expect(await labels({ session: 'sess_0' })).toEqual(['l4', 'l2', 'l0'])
  expect(await labels({ tool_filter: ['Bash', 'Edit'] })).toEqual(['l3'])
  expect(await labels({ file_filter: '*.ts' })).toEqual(['l4', 'l2', 'l0'])
  expect(await labels({ file_filter: 'src/**' })).toEqual(['l2'])
  expect(await labels({ source: 'scheduled' })).toEqual([])
  expect(await labels({ since: '1h' })).toHaveLength(5)
  expect(await labels({ until: '1h' })).toEqual([])
  const first = await workspace.call('get_edit_history', { limit: 2 })
  expect(first.pagination).toMatchObject({ total: 5, has_more: true })
  const second = await workspace.call('get_edit_history', { limit: 3, cursor: first.pagination.next_cursor as string })
  expect(second.snapshots.map(({ label }) => label)).toEqual(['l2', 'l1', 'l0'])
  expect(second.pagination).toEqual({ total: 5, has_more: false, next_cursor: null })
})
