import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeTree } from '../kit/tree.ts'
import { newWorkspace } from '../kit/workspace.ts'
import { newNestedWarm } from './root-ways.ts'

/** A link in the place of a folder above the root: the root's path leads to another folder, which is not the workspace. */

type CallTool = (tool: string, input?: object) => Promise<unknown>

/** A workspace in a folder that can be renamed, captured twice; called without a daemon and with one. */
const SCENES: Readonly<Record<string, () => { root: string; call: CallTool }>> = {
  'without a daemon': () => {
    const workspace = newWorkspace({ a: '1' }, tmpdir(), 'above/workspace')
    return { root: workspace.root, call: (tool, input = {}) => workspace.call(tool as never, input as never) }
  },
  'with a daemon': () => {
    const { workspace, daemon } = newNestedWarm()
    const call: CallTool = (tool, input) => daemon.call(tool, { workspace: workspace.root, ...input })
    return { root: workspace.root, call }
  },
}

describe.each(Object.entries(SCENES))('%s', (_, newScene) => {
  async function captured() {
    const { root, call } = newScene()
    await call('snapshot')
    fs.writeFileSync(join(root, 'a'), '2')
    await call('snapshot')
    const above = dirname(root)
    const other = join(dirname(above), 'other')
    return { root, call, above, other }
  }

  function link(above: string, other: string): void {
    fs.renameSync(above, `${above}-away`)
    fs.symlinkSync(other, above)
  }

  const ACTS: readonly (readonly [string, object])[] = [
    ['snapshot', {}],
    ['undo', {}],
    ['restore', { snapshot_id: 'latest~1' }],
    ['apply_whole_file_edit', { path: 'a', content: 'edited' }],
    ['delete', { path: 'a' }],
    ['status', {}],
  ]

  test('nothing of the other folder is captured, and nothing is done to it', async () => {
    const { root, call, above, other } = await captured()
    fs.mkdirSync(join(other, 'workspace'), { recursive: true })
    fs.writeFileSync(join(other, 'workspace', 'theirs'), 'theirs')
    fs.mkdirSync(join(other, 'workspace', '.timewarp'))
    link(above, other)
    const before = describeTree(other)
    const leads_to = join(other, 'workspace')
    for (const [tool, input] of ACTS)
      await expect(call(tool, input), tool).rejects.toMatchObject({ code: 'ROOT_LINKED', data: { root, leads_to } })
    await call('uninstall')
    expect(describeTree(other)).toEqual(before)
    fs.rmSync(above)
    fs.renameSync(`${above}-away`, above)
    await call('undo')
    expect(fs.readFileSync(join(root, 'a'), 'utf8')).toBe('1')
  })

  test('a root that is gone is not made again through a link', async () => {
    const { call, above, other } = await captured()
    fs.mkdirSync(other)
    link(above, other)
    await expect(call('restore', { snapshot_id: 'latest' })).rejects.toMatchObject({ code: 'ROOT_LINKED' })
    expect(fs.readdirSync(other)).toEqual([])
    fs.rmdirSync(other)
    await expect(call('restore', { snapshot_id: 'latest' })).rejects.toMatchObject({
      code: 'ROOT_LINKED',
      data: { leads_to: null },
    })
  })

  test('a real folder in its place is the workspace', async () => {
    const { root, call, above } = await captured()
    fs.renameSync(above, `${above}-away`)
    fs.mkdirSync(root, { recursive: true })
    fs.writeFileSync(join(root, 'new'), 'new')
    await call('snapshot')
    await call('undo')
    expect(fs.readFileSync(join(root, 'a'), 'utf8')).toBe('2')
  })
})
