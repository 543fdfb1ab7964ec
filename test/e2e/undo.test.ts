import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { isFault } from '../../src/base/fault.ts'
import { newWorkspace, type Workspace } from '../kit/workspace.ts'
import { seeded } from '../kit/world.ts'

/** Every file with its content. */
type Files = Readonly<Record<string, string>>

const filesOf = ({ root }: Workspace): Files =>
  Object.fromEntries(
    fs
      .readdirSync(root)
      .filter((name) => name !== '.timewarp')
      .sort()
      .map((name) => [name, fs.readFileSync(`${root}/${name}`, 'utf8')]),
  )

const differing = (a: Files, b: Files): string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => a[name] !== b[name]).sort()

test('undo takes back one step, also where only a backup has a change; redo brings back just that', async () => {
  const workspace = newWorkspace({ a: 'a\n' })
  await workspace.snapshot()
  workspace.write({ z: 'z\n' })
  await workspace.snapshot('L')
  workspace.write({ a: 'a\nedit\n' })
  const edited = filesOf(workspace)
  await workspace.restore('latest')
  await workspace.call('undo')
  expect(filesOf(workspace)).toEqual(edited)
  expect((await workspace.call('undo')).affected_files).toEqual(['a'])
  expect(filesOf(workspace)).toEqual({ a: 'a\n', z: 'z\n' })
  expect((await workspace.call('undo')).message).toContain('(L)')
  expect(filesOf(workspace)).toEqual({ a: 'a\n' })
  await workspace.call('redo')
  await workspace.call('redo')
  expect(filesOf(workspace)).toEqual(edited)
})

/** Undoes or redoes one step; says whether there was one, and checks that the report tells what really changed. */
async function step(workspace: Workspace, act: 'undo' | 'redo'): Promise<boolean> {
  const before = filesOf(workspace)
  try {
    const { affected_files } = await workspace.call(act)
    expect([...affected_files].sort()).toEqual(differing(before, filesOf(workspace)))
    return true
  } catch (error) {
    if (isFault(error, 'NOTHING_TO_UNDO') || isFault(error, 'NOTHING_TO_REDO')) return false
    throw error
  }
}

async function randomAct(workspace: Workspace, ids: string[], random: () => number): Promise<void> {
  const pick = (n: number): number => Math.floor(random() * n)
  const kind = pick(10)
  if (kind < 4) workspace.write({ [`f${pick(4)}`]: `content ${pick(1000)}` })
  else if (kind === 4) fs.rmSync(workspace.at(`f${pick(4)}`), { force: true })
  else if (kind < 7) ids.push(await workspace.snapshot())
  else if (kind === 7) await workspace.restore(ids[pick(ids.length)] ?? '', random() < 0.3 ? ['f0'] : [])
  else await step(workspace, kind === 8 ? 'undo' : 'redo')
}

test.for([1, 2, 3, 4, 5, 6, 7, 8])(
  'any number of undos and as many redos come back to the same bytes (%i)',
  async (seed) => {
    const random = seeded(seed)
    const workspace = newWorkspace({ f0: 'first' })
    const ids = [await workspace.snapshot()]
    for (let i = 0; i < 14; i++) await randomAct(workspace, ids, random).catch(unknownPathIsFine)
    const states = [filesOf(workspace)]
    while (states.length < 12 && (await step(workspace, 'undo'))) states.push(filesOf(workspace))
    for (const state of states.slice(0, -1).reverse()) {
      expect(await step(workspace, 'redo')).toBe(true)
      expect(filesOf(workspace)).toEqual(state)
    }
  },
)

/** A path that neither the snapshot nor the newest state has. */
function unknownPathIsFine(error: unknown): void {
  if (!isFault(error, 'PATH_NOT_FOUND')) throw error
}
