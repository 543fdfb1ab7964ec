import { describe, expect, test } from 'vitest'
import { openApp } from '../../src/app/app.ts'
import { OBJECT } from '../../src/store/store.ts'
import { encodeSnapshot } from '../../src/timeline/capture/snapshot-object.ts'
import { newWorkspace } from '../kit/workspace.ts'

/** `"\ud800"` in JSON is half of a character: text that nothing can hold. */

const HALF = 'a\ud800b'

describe.each([
  ['snapshot', { description: HALF }, 'description'],
  ['snapshot', { label: HALF }, 'label'],
  ['snapshot', { session_id: HALF }, 'session_id'],
  ['apply_whole_file_edit', { path: 'f', content: HALF }, 'content'],
  ['apply_whole_file_edit', { path: HALF, content: '' }, 'path'],
  ['timewarp_issue_report', { title: 't', description: HALF }, 'description'],
  ['cat', { snapshot_id: HALF, path: 'f' }, 'snapshot_id'],
  ['apply_edits', { edits: [{ op: 'write', path: 'f', content: HALF }] }, 'edits.0.content'],
])('%s with half a character in %j', (tool, input, field) => {
  test('is refused before anything happens', async () => {
    const workspace = newWorkspace({ f: 'f' })
    await workspace.snapshot()
    const asked = workspace.call(tool as 'snapshot', input as object)
    await expect(asked).rejects.toMatchObject({ code: 'BAD_INPUT', message: expect.stringContaining(`"${field}"`) })
    expect(workspace.read('f')).toBe('f')
    expect(await workspace.call('fsck')).toMatchObject({ ok: true })
  })
})

test('what a client reports is mended, and its call is guarded', async () => {
  const workspace = newWorkspace({ f: 'f' })
  await workspace.snapshot()
  const call = { client: 'claude', session_id: 's', call_id: 'c', tool: 'Write', kind: 'edit' as const, paths: ['f'] }
  await workspace.call('record_event', { event: 'prompt', session_id: 's', prompt: HALF })
  await workspace.call('record_event', {
    event: 'call_start',
    ...call,
    tool_input: { content: HALF, deep: [{ [HALF]: HALF }] },
  })
  workspace.write({ f: 'g' })
  await workspace.call('record_event', { event: 'call_end', ...call })
  expect((await workspace.call('get_edit_history')).snapshots[0]).toMatchObject({ tool: 'Write' })
  expect(await workspace.call('fsck')).toMatchObject({ ok: true, problems: [] })
})

test('a snapshot that was recorded with such text is no damage', async () => {
  const workspace = newWorkspace({ f: 'f' })
  const id = await workspace.snapshot()
  await workspace.close()
  const app = openApp({ home: workspace.home })
  const row = app.records.snapshots.get(id)
  const batch = app.store.begin()
  const made = { ...row, id: id.replace(/.{6}$/, 'zzzzzz'), description: HALF, changes: [] } as never
  const object = batch.put(OBJECT.snapshot, encodeSnapshot(made))
  app.records.db.write(() => {
    batch.publish()
    app.records.snapshots.add({ ...(made as object), object } as never)
  })
  batch.end()
  app.close()
  expect(await workspace.call('fsck')).toMatchObject({ ok: true, problems: [] })
})
