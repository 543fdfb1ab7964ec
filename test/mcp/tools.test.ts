import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Agent, meet, WAYS } from './kit.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

/** Prompts say how to work. */
async function checkPrompts(agent: Agent): Promise<void> {
  const { prompts } = await agent.client.listPrompts()
  expect(prompts.map(({ name }) => name)).toEqual(['optimise', 'undo-last', 'review-session'])
  const { messages } = await agent.client.getPrompt({ name: 'optimise', arguments: { issue_id: 'i_1' } })
  const text = messages[0]?.content.type === 'text' ? messages[0].content.text : ''
  expect(text).toContain('i_1')
  for (const step of ['1.', '2.', '3.', '4.', '5.', '6.', '7.']) expect(text).toContain(`\n${step}`)
  await expect(agent.client.getPrompt({ name: 'nothing' })).rejects.toMatchObject({ code: -32602 })
}

describe.each(WAYS)('%s, %s', (...way) => {
  test('the tools of the default sets are listed, with schemas and hints', async () => {
    const { agent } = await meet(way)
    const { tools } = await agent.client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['snapshot', 'status', 'restore', 'apply_edit_block', 'undo']))
    for (const absent of ['prune', 'gc', 'unpin', 'forget', 'uninstall', 'GetEditHistory', 'list'])
      expect(names).not.toContain(absent)
    for (const tool of tools) {
      expect(tool.title, tool.name).toMatch(/^[A-Z]/)
      expect(tool.description, tool.name).toMatch(/^[A-Z].*\.$/)
      expect(tool.inputSchema.type, tool.name).toBe('object')
      expect(tool.outputSchema?.type, tool.name).toBe('object')
      expect(tool.inputSchema.properties, tool.name).not.toHaveProperty('workspace')
    }
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))
    expect(hints['diff']).toMatchObject({ readOnlyHint: true, destructiveHint: false, idempotentHint: true })
    expect(hints['snapshot']).toMatchObject({ readOnlyHint: false, destructiveHint: false })
    expect(hints['restore']).toMatchObject({ readOnlyHint: false, destructiveHint: true })
    expect(tools.find(({ name }) => name === 'restore')?.inputSchema.properties).toHaveProperty('confirm')
    expect(tools.find(({ name }) => name === 'diff')?.inputSchema.properties).not.toHaveProperty('confirm')
    await checkPrompts(agent)
  })

  test('a call answers with its output, and with words', async () => {
    const { agent, live } = await meet(way)
    // The client checks what comes against the schema that was listed.
    await agent.client.listTools()
    const { out, text, isError } = await agent.call('snapshot', { label: 'first' })
    expect(isError).toBe(false)
    expect(out).toMatchObject({ created: true, files: 1 })
    expect(text).toContain(`Snapshot: ${out.snapshot_id}`)
    live.workspace.write({ 'a.txt': 'two\n' })
    const diff = await agent.call('diff', { from: out.snapshot_id })
    expect(diff.text).toContain('-one\n+two\n')
    expect(diff.result.content[1]).toMatchObject({ type: 'text', text: diff.out.diff })
    const edit = await agent.call('apply_edit_block', { path: 'a.txt', search_block: 'two', replace_block: 'three' })
    expect(edit.isError).toBe(false)
    expect(live.workspace.read('a.txt')).toBe('three\n')
    for (const [tool, input] of [
      ['status', {}],
      ['get_edit_history', { include_diffs: true }],
      ['show', { snapshot_id: 'latest' }],
      ['blame', { path: 'a.txt' }],
      ['file_history', { path: 'a.txt' }],
      ['read_snapshot_diff', { snapshot_id: 'latest' }],
      ['create_milestone', { title: 'm', description: 'd' }],
      ['get_milestones', {}],
    ] as const)
      expect((await agent.call(tool, input)).isError, tool).toBe(false)
  })

  test('a failure is a result with code, message, hint and data, and says what is wrong', async () => {
    const { agent, live } = await meet(way)
    await agent.call('snapshot')
    const { isError, error } = await agent.call('show', { snapshot_id: 's_19990101_000000_aaaaaa' })
    expect(isError).toBe(true)
    expect(error).toEqual({
      code: 'SNAPSHOT_NOT_FOUND',
      message: 'There is no snapshot s_19990101_000000_aaaaaa',
      hint: 'List them with: timewarp log',
      data: { id: 's_19990101_000000_aaaaaa' },
    })
    const wrong = await agent.call('cat', { snapshot: 'latest', path: 7 })
    expect([wrong.isError, wrong.error.code]).toEqual([true, 'BAD_INPUT'])
    for (const said of ['"snapshot_id"', '"path"', 'Unrecognized key: "snapshot"'])
      expect(wrong.error.message).toContain(said)
    expect(wrong.text).toContain('snapshot_id (string, needed)')
    expect((await agent.call('snapshots')).error).toMatchObject({ code: 'UNKNOWN_TOOL' })
    expect((await agent.call('prune')).error).toMatchObject({ code: 'TOOL_NOT_OFFERED' })
    // A server works in its own workspace and nowhere else.
    expect((await agent.call('snapshot', { workspace: '/tmp' })).error).toMatchObject({
      code: 'WORKSPACE_FIXED',
      data: { root: live.root, asked: '/tmp' },
    })
    expect((await agent.call('snapshot', { workspace: live.root })).isError).toBe(false)
  })

  test('what is of another workspace is not shown, not even by its whole id', async () => {
    const { agent, live } = await meet(way)
    const other = join(live.workspace.temp, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'secret.txt'), 'theirs\n')
    const { snapshot_id: theirs } = await live.workspace.call('snapshot', { workspace: other })
    const own = (await agent.call('snapshot')).out.snapshot_id
    for (const [tool, input] of [
      ['cat', { snapshot_id: theirs, path: 'secret.txt' }],
      ['show', { snapshot_id: theirs }],
      ['diff', { from: own, to: theirs }],
      ['diff', { from: theirs }],
    ] as const)
      expect((await agent.call(tool, input)).error, tool).toMatchObject({ code: 'SNAPSHOT_FOREIGN' })
    await expect(agent.read(`timewarp://snapshot/${theirs}/file/secret.txt`)).rejects.toMatchObject({
      data: { code: 'SNAPSHOT_FOREIGN' },
    })
  })

  test('resources are snapshots, their files, and differences; bytes are bytes', async () => {
    const files = { 'src/ä b.txt': 'one\n', 'p.png': PNG, 'b.bin': Uint8Array.of(255, 0, 254), 'e.txt': '' }
    const { agent, live } = await meet(way, {}, files)
    expect((await agent.client.listResources()).resources).toEqual([])
    const first = (await agent.call('snapshot', { label: 'first' })).out.snapshot_id
    live.workspace.write({ 'src/ä b.txt': 'two\n' })
    const second = (await agent.call('snapshot', { label: 'second' })).out.snapshot_id
    const { resources } = await agent.client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual([`timewarp://snapshot/${second}`, `timewarp://snapshot/${first}`])
    expect(resources[0]?.title).toContain('second')
    const { resourceTemplates } = await agent.client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'timewarp://snapshot/{id}',
      'timewarp://snapshot/{id}/file/{+path}',
      'timewarp://diff/{a}/{b}',
    ])
    expect(JSON.parse((await agent.read(`timewarp://snapshot/${first}`)).text)).toMatchObject({ label: 'first' })
    expect(await agent.read(`timewarp://snapshot/${first}/file/src/%C3%A4%20b.txt`)).toMatchObject({ text: 'one\n' })
    expect(await agent.read(`timewarp://snapshot/latest/file/b.bin`)).toMatchObject({ blob: '/wD+' })
    expect((await agent.read(`timewarp://diff/${first}/${second}`)).text).toContain('-one\n+two')
    live.workspace.write({ 'src/ä b.txt': 'three\n' })
    expect((await agent.read(`timewarp://diff/${second}/present`)).text).toContain('+three')
    await expect(agent.read('timewarp://nothing/here')).rejects.toMatchObject({ code: -32602 })
    await expect(agent.read('timewarp://snapshot/s_19990101_000000_aaaaaa')).rejects.toMatchObject({
      code: -32602,
      data: { code: 'SNAPSHOT_NOT_FOUND' },
    })
    // Bytes come as what they are.
    const image = (await agent.call('cat', { snapshot_id: 'latest', path: 'p.png' })).result.content[0]
    expect(image).toEqual({ type: 'image', mimeType: 'image/png', data: PNG.toString('base64') })
    const binary = (await agent.call('cat', { snapshot_id: 'latest', path: 'b.bin' })).result.content[0]
    expect(binary).toMatchObject({ type: 'resource', resource: { blob: '/wD+', mimeType: 'application/octet-stream' } })
    expect((await agent.call('cat', { snapshot_id: 'latest', path: 'e.txt' })).result.content).toEqual([
      { type: 'text', text: '' },
    ])
  })
})
