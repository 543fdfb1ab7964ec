import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gitIn } from '../kit/git.ts'
import { newWorkspace, type Workspace } from '../kit/workspace.ts'

/** Every name below a folder; links are not followed. The store's own tables come and go. */
const namesIn = (dir: string): string[] =>
  fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/timewarp\.db|\/cache\//.test(path))
    .sort()

async function withKeep(): Promise<{ workspace: Workspace; id: string; other: string }> {
  const workspace = newWorkspace({ 'a.txt': 'a', 'sub/b.txt': 'b' })
  const git = gitIn(workspace)
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'first')
  const id = await workspace.snapshot()
  await workspace.call('git_keep', {})
  const other = join(workspace.temp, 'other')
  fs.mkdirSync(other)
  await workspace.call('snapshot', { workspace: other })
  return { workspace, id, other }
}

/** Places that no tool may write to, by what is wrong with them. */
function places({ temp, root, home }: Workspace, other: string): [string, string][] {
  const link = (name: string, to: string): string => {
    fs.symlinkSync(to, join(temp, name))
    return join(temp, name)
  }
  return [
    ['the store', home],
    ['its packs', join(home, 'objects')],
    ['a new folder in the store', join(home, 'new', 'deep')],
    ['the store through a link', link('to-store', join(home, 'objects'))],
    ['below a link to the store', join(link('to-home', home), 'new')],
    ['the workspace', root],
    ['a new folder in the workspace', join(root, 'new', 'deep')],
    ['a relative one', 'new'],
    ['below a link to the workspace', join(link('to-workspace', root), 'new')],
    ['another workspace', other],
    ['a new folder in another workspace', join(other, 'new')],
    ['a link to nothing', link('to-nothing', join(temp, 'nothing'))],
    ['below a file', join(root, 'a.txt', 'x')],
    ['a device', '/dev/null'],
    ['an empty name', ''],
    ['a name with NUL', 'a\0b'],
    ['a name too long', join(temp, 'x'.repeat(300))],
  ]
}

const TOOLS: Record<string, (workspace: Workspace, id: string, dir: string) => Promise<unknown>> = {
  mirror: (workspace, _, dir) => workspace.call('mirror', { dir }),
  materialise: (workspace, snapshot_id, dir) => workspace.call('materialise', { snapshot_id, dir }),
  travel: (workspace, snapshot_id, into) => workspace.call('timewarp_travel', { snapshot_id, into }),
  'git-rescue': (workspace, _, into) => workspace.call('git_rescue', { git_id: 'latest', into }),
}

test.for(Object.entries(TOOLS))('%s writes into no workspace and not into the store', async ([, act]) => {
  const { workspace, id, other } = await withKeep()
  for (const [what, dir] of places(workspace, other)) {
    const before = namesIn(workspace.temp)
    const fault: unknown = await act(workspace, id, dir).then(
      () => 'it did',
      (error: unknown) => error,
    )
    expect(fault, what).toMatchObject({ code: expect.stringMatching(/^(FOLDER_REFUSED|BAD_INPUT)$/) })
    expect(namesIn(workspace.temp), what).toEqual(before)
  }
})

test.for(Object.entries(TOOLS))('%s writes where a link outside leads', async ([, act]) => {
  const { workspace, id } = await withKeep()
  fs.mkdirSync(join(workspace.temp, 'place'))
  fs.symlinkSync(join(workspace.temp, 'place'), join(workspace.temp, 'link'))
  await act(workspace, id, join(workspace.temp, 'link', 'new'))
  expect(fs.readdirSync(join(workspace.temp, 'place', 'new')).length).toBeGreaterThan(0)
})

test('a journey through a link is ended through the same link', async () => {
  const { workspace, id } = await withKeep()
  fs.mkdirSync(join(workspace.temp, 'place'))
  fs.symlinkSync(join(workspace.temp, 'place'), join(workspace.temp, 'link'))
  const into = join(workspace.temp, 'link', 'past')
  const { dir } = await workspace.call('timewarp_travel', { snapshot_id: id, into })
  expect(dir).toBe(join(workspace.temp, 'place', 'past'))
  expect(await workspace.call('timewarp_return', { into })).toMatchObject({ dir })
  await workspace.call('timewarp_travel', { snapshot_id: id, into })
})

test('a mirror lies neither in the store nor around it', async () => {
  const { workspace } = await withKeep()
  await expect(workspace.call('mirror', { dir: workspace.temp })).rejects.toMatchObject({ code: 'MIRROR_BAD' })
  expect(fs.existsSync(join(workspace.temp, 'objects'))).toBe(false)
})
