import type { ElicitResult } from '@modelcontextprotocol/client'
import { describe, expect, test, vi } from 'vitest'
import { meet, WAYS } from './kit.ts'

/** A workspace whose file has changed since its snapshot. */
async function changed(way: (typeof WAYS)[number], meeting: Parameters<typeof meet>[1] = {}) {
  const met = await meet(way, meeting)
  const { snapshot_id } = (await met.agent.call('snapshot')).out
  met.live.workspace.write({ 'a.txt': 'changed\n' })
  return { ...met, snapshot_id, file: () => met.live.workspace.read('a.txt') }
}

describe.each(WAYS)('%s, %s', (...way) => {
  test('without a form, a token confirms: once, and for the same arguments alone', async () => {
    const { agent, snapshot_id, file } = await changed(way)
    const { isError, error, text } = await agent.call('restore', { snapshot_id, paths: ['a.txt'] })
    expect(isError).toBe(true)
    expect(error.code).toBe('CONFIRM_NEEDED')
    expect(text).toContain('Would restore 1 path')
    expect(file()).toBe('changed\n')
    const { confirm } = error.data
    const other = await agent.call('restore', { snapshot_id, confirm })
    expect(other.error.code).toBe('CONFIRM_WRONG')
    expect((await agent.call('restore', { snapshot_id, paths: ['a.txt'], confirm })).error.code).toBe('CONFIRM_WRONG')
    const again = (await agent.call('restore', { snapshot_id, paths: ['a.txt'] })).error.data.confirm
    // In whatever order they come.
    const done = await agent.call('restore', { confirm: again, paths: ['a.txt'], snapshot_id })
    expect(done.isError).toBe(false)
    expect(file()).toBe('one\n')
    expect((await agent.call('restore', { snapshot_id, paths: ['a.txt'], confirm: again })).error.code).toBe(
      'CONFIRM_WRONG',
    )
    expect((await agent.call('restore', { snapshot_id, confirm: 'made-up' })).error.code).toBe('CONFIRM_WRONG')
  })

  test('a token counts for the plan that was shown', async () => {
    const { agent, live, file } = await changed(way)
    await agent.call('snapshot')
    const input = { snapshot_id: 'latest~1' }
    const first = await agent.call('restore', input)
    expect(first.text).toContain('a.txt')
    for (const name of ['b.txt', 'c.txt']) {
      live.workspace.write({ [name]: 'new' })
      await agent.call('snapshot')
    }
    const other = await agent.call('restore', { ...input, confirm: first.error.data.confirm })
    expect(other.error.code).toBe('CONFIRM_WRONG')
    expect(other.error.data.would).toContain('c.txt')
    expect(live.workspace.has('c.txt')).toBe(true)
    const done = await agent.call('restore', { ...input, confirm: other.error.data.confirm })
    expect(done.out.deleted).toEqual(['c.txt'])
    expect(file()).toBe('changed\n')
  })

  test('a token for a tool without a dry run counts for the snapshot that was meant', async () => {
    const { agent, live, snapshot_id } = await changed(way)
    const input = { snapshot_id: 'latest', dir: `${live.root}-copy` }
    const first = await agent.call('materialise', input)
    expect(first.error.data.would).toContain(`latest is ${snapshot_id}`)
    const later = (await agent.call('snapshot')).out.snapshot_id
    const other = await agent.call('materialise', { ...input, confirm: first.error.data.confirm })
    expect(other.error.code).toBe('CONFIRM_WRONG')
    expect(other.error.data.would).toContain(`latest is ${later}`)
    const done = await agent.call('materialise', { ...input, confirm: other.error.data.confirm })
    expect(done.out.snapshot_id).toBe(later)
  })

  test('a user who agreed is asked again when the plan has changed', async () => {
    const asked: string[] = []
    const met = await changed(way, {
      user: ({ params }) => {
        if (asked.push(params.message) === 1) met.live.workspace.write({ 'b.txt': 'made while the user reads' })
        return { action: 'accept', content: { confirm: true } }
      },
    })
    const input = { snapshot_id: met.snapshot_id }
    const { error } = await met.agent.call('restore', input)
    expect([error.code, error.data.confirm]).toEqual(['CONFIRM_WRONG', undefined])
    expect(met.live.workspace.has('b.txt')).toBe(true)
    expect((await met.agent.call('restore', input)).out.deleted).toEqual(['b.txt'])
    expect(asked[1]).toContain('b.txt')
  })

  test('a user who can be asked is asked, and yes does it', async () => {
    const user = vi.fn(() => ({ action: 'accept' as const, content: { confirm: true } }))
    const { agent, snapshot_id, file } = await changed(way, { user })
    const { isError, out } = await agent.call('restore', { snapshot_id })
    expect(isError).toBe(false)
    expect(out.restored).toEqual(['a.txt'])
    expect(file()).toBe('one\n')
    expect(user).toHaveBeenCalledTimes(1)
    const asked = user.mock.calls[0] as unknown as [{ params: { message: string } }]
    expect(asked[0].params.message).toContain('Would restore 1 path')
  })

  test('a user who says no is obeyed, in whatever way', async () => {
    const answers: ElicitResult[] = [
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept', content: { confirm: false } },
    ]
    const user = async () => {
      const answer = answers.shift() as ElicitResult
      // A question that is closed sooner was shown to nobody.
      if (answer.action === 'cancel') await new Promise((done) => setTimeout(done, 600))
      return answer
    }
    const { agent, snapshot_id, file } = await changed(way, { user })
    while (answers.length > 0)
      expect((await agent.call('restore', { snapshot_id })).error.code).toBe('CONFIRM_DECLINED')
    expect(file()).toBe('changed\n')
  })
})

test.each(WAYS)(
  'where nobody sits, every question is closed at once: then a token confirms: %s, %s',
  async (...way) => {
    const { agent, snapshot_id, file } = await changed(way, { user: () => ({ action: 'cancel' }) })
    const { error } = await agent.call('restore', { snapshot_id })
    expect(error.code).toBe('CONFIRM_NEEDED')
    expect((await agent.call('restore', { snapshot_id, confirm: error.data.confirm })).isError).toBe(false)
    expect(file()).toBe('one\n')
  },
)

test('the description of a tool promises no question that a client cannot put', async () => {
  const { agent } = await meet(['stdio', 'legacy'])
  const { tools } = await agent.client.listTools()
  const restore = tools.find(({ name }) => name === 'restore')
  expect(restore?.description).toContain('Needs confirmation')
  expect(tools.filter(({ description }) => description?.includes('user is asked'))).toEqual([])
})

test('nobody is asked for a dry run, an edit, or something that does not fit', async () => {
  const user = vi.fn(() => ({ action: 'decline' as const }))
  const { agent, snapshot_id, live } = await changed(['stdio', 'legacy'], { user })
  expect((await agent.call('restore', { snapshot_id, dry_run: true })).isError).toBe(false)
  expect((await agent.call('apply_whole_file_edit', { path: 'b.txt', content: 'b' })).isError).toBe(false)
  expect((await agent.call('restore', { snapshot_id: 's_19990101_000000_aaaaaa' })).error.code).toBe(
    'SNAPSHOT_NOT_FOUND',
  )
  expect((await agent.call('restore', {})).error.code).toBe('BAD_INPUT')
  expect(user).not.toHaveBeenCalled()
  expect((await agent.call('delete', { path: 'b.txt' })).error.code).toBe('CONFIRM_DECLINED')
  expect(live.workspace.has('b.txt')).toBe(true)
})

test('the command line never asks', async () => {
  const { live } = await meet(['stdio', 'legacy'])
  await live.tw(['snapshot'])
  live.workspace.write({ 'a.txt': 'changed\n' })
  expect((await live.tw(['restore', 'latest', '--json'])).exit).toBe(0)
  expect(live.workspace.read('a.txt')).toBe('one\n')
})
