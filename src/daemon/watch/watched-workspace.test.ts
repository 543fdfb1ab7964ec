import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fingerprintOf } from '../../config/rules.ts'
import { mergeConfig } from '../../schema/config.ts'
import { Folders } from '../../timeline/scan/folders.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'
import { WatchManager } from './watch-manager.ts'

const basis = { epoch: 0, index: { has: () => true } }
const NO_RULES: Workspace['rules'] = { defaults: [], own: [], tracked: [] }

/** A workspace that is watched by nobody in particular, and a look at it. */
function watched() {
  const temp = mkdtempSync(join(tmpdir(), 'timewarp-watched-'))
  onTestFinished(() => rmSync(temp, { recursive: true, force: true }))
  mkdirSync(join(temp, 'cache'))
  const keeper = new WatchManager({
    home: temp,
    cookies: join(temp, 'cookies'),
    now: Date.now,
    log: () => {},
    startWatch: () => ({ add: () => undefined, drop: () => {}, has: () => false, close: () => {}, size: 0 }),
  })
  keeper.open()
  onTestFinished(() => keeper.close())
  const config = mergeConfig([])
  const workspace = { id: 'w', root: temp, rules: NO_RULES, config } as unknown as Workspace
  const state = {
    last: undefined,
    folders: new Folders(undefined),
    epoch: 0,
    hasSkipped: false,
    rules: fingerprintOf(NO_RULES, config.max_file_bytes),
  }
  const look = async (meanwhile: () => void = () => {}) => {
    const view = await keeper.view(workspace, basis, new Map())
    meanwhile()
    view.keep(state, { linked: [], looked: 'all' })
    view.end()
    return { of: view.folders.of, sight: keeper.sightOf('w')?.sight }
  }
  return { keeper, look, isStill: () => keeper.isStill(workspace, basis, []) }
}

test('a look during which events were lost does not count: the next one is at everything', async () => {
  const { keeper, look, isStill } = watched()
  expect(await look(() => keeper.doubt())).toEqual({ of: 'all', sight: 'cold' })
  expect(await isStill()).toBe(false)
  expect(await look()).toEqual({ of: 'all', sight: 'warm' })
  expect(await isStill()).toBe(true)
  expect(await look(() => keeper.doubt())).toEqual({ of: 'some', sight: 'cold' })
  expect(await isStill()).toBe(false)
  expect(await look()).toEqual({ of: 'all', sight: 'warm' })
})
