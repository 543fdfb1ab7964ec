import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Fault } from '../../src/base/fault.ts'
import { callOnce, makeWorld, removeWorld, type World, write } from '../kit/world.ts'

/** Folders in folders, as deep as paths go and deeper. */

let world: World
beforeEach(() => {
  world = makeWorld()
  write(world.ws, 'a.txt', 'a\n')
})
afterEach(() => {
  execFileSync('rm', ['-rf', world.dir])
  removeWorld(world)
})

/** Makes them one by one from within: from the root the deepest have no path that the system takes. */
function dig(depth: number): void {
  const script = `for (let i = 0; i < ${depth}; i++) { fs.mkdirSync('d'); process.chdir('d') } fs.writeFileSync('f', 'deep')`
  execFileSync(process.execPath, ['-e', script], { cwd: world.ws })
}

const DEEP = 1900

test(`folders ${DEEP} deep are captured, compared, checked and written elsewhere`, { timeout: 3_600_000 }, async () => {
  const { snapshot_id: shallow } = await callOnce(world, 'snapshot')
  dig(DEEP)
  const { snapshot_id } = await callOnce(world, 'snapshot', { label: 'deep' })
  expect((await callOnce(world, 'status')).changed).toMatchObject({ added: 0, modified: 0, deleted: 0 })
  write(world.ws, 'a.txt', 'changed\n')
  expect((await callOnce(world, 'diff', { from: shallow, to: snapshot_id })).files).toHaveLength(1)
  rmSync(join(world.ws, 'd'), { recursive: true })
  expect((await callOnce(world, 'status')).changed).toMatchObject({ added: 0, modified: 1, deleted: 1 })
  expect((await callOnce(world, 'get_edit_history')).snapshots).toHaveLength(2)
  const out = join(world.dir, 'out')
  expect((await callOnce(world, 'materialise', { snapshot_id, dir: out })).files).toBe(2)
  expect(readFileSync(join(out, `${'d/'.repeat(DEEP)}f`), 'utf8')).toBe('deep')
  await callOnce(world, 'restore', { snapshot_id })
  expect(existsSync(join(world.ws, `${'d/'.repeat(DEEP)}f`))).toBe(true)
  expect((await callOnce(world, 'fsck')).ok).toBe(true)
  await callOnce(world, 'gc')
  expect((await callOnce(world, 'forget', { pattern: 'd', dry_run: true })).snapshots).toHaveLength(2)
  expect((await callOnce(world, 'undo')).restored).toBeDefined()
})

test('folders deeper than paths go are refused or left out, and nothing goes wrong inside', {
  timeout: 3_600_000,
}, async () => {
  dig(2500)
  for (const tool of ['snapshot', 'status', 'get_edit_history', 'fsck', 'gc'])
    await callOnce(world, tool, tool === 'snapshot' ? { label: 'x' } : {}).catch((error: unknown) => {
      expect(error).toBeInstanceOf(Fault)
      expect([tool, (error as Fault).code]).not.toEqual([tool, 'INTERNAL'])
    })
  expect((await callOnce(world, 'cat', { snapshot_id: 'latest', path: 'a.txt' })).content).toBe('a\n')
})
