import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { lstat } from '../../src/host/files/fs.ts'
import { rounds, seed } from '../kit/rounds.ts'
import { trustFiles } from '../kit/workspace.ts'
import { callIn, inHouse, makeWorld, removeWorld, type State, seeded, stateOf } from '../kit/world.ts'

/** Whatever was and whatever is done in the past: the present comes home as it was, and the past was as it had been. */

const NAMES = ['a', 'b', 'dir', 'dir/x', 'dir/y', 'dir/deep/z', 'é ü', '.hidden', 'deep/er/still', '.timewarpignore']
/** What `.timewarpignore` may leave out. */
const LEFT_OUT = 'y'

/** One change of any kind, at a place where anything may be. */
function disturb(root: string, random: () => number): void {
  const pick = (n: number): number => Math.floor(random() * n)
  const path = join(root, NAMES[pick(NAMES.length)] ?? 'a')
  const act = pick(8)
  const free = (at: string): void => {
    for (let above = dirname(at); above !== root && above.startsWith(root); above = dirname(above))
      if (lstat(above)?.isDirectory() === false) fs.rmSync(above)
    if (lstat(at)) fs.rmSync(at, { recursive: true })
    fs.mkdirSync(dirname(at), { recursive: true })
  }
  if (act === 0) return lstat(path) ? fs.rmSync(path, { recursive: true }) : undefined
  if (act === 1 && lstat(path)?.isFile()) return fs.chmodSync(path, 0o600 | pick(0o100))
  const isRules = path.endsWith('ignore')
  free(path)
  if (act === 2 && !isRules) return fs.mkdirSync(path)
  if (act === 3 && !isRules) return fs.symlinkSync('a', path)
  const text = isRules ? [`${LEFT_OUT}\n`, '*.tmp\n', ''][pick(3)] : `${pick(9)}\r\n`.repeat(pick(2000))
  fs.writeFileSync(path, text ?? '')
  if (act === 4) fs.utimesSync(path, 1_600_000_000 + pick(1000), 1_600_000_000 + pick(1000))
}

/** What is left out of captures is never touched: it need not come home. */
const captured = (state: State): State =>
  Object.fromEntries(Object.entries(state).filter(([path]) => !path.split('/').includes(LEFT_OUT)))

const differing = (a: State, b: State): string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((path) => a[path] !== b[path])

test('journeys between any two states, whatever is done there, bring the present home, or say what did not come', async () => {
  const random = seeded(seed(20260228))
  const world = makeWorld()
  const times = rounds(400, 20)
  let verified = 0
  try {
    await inHouse(world, async (app) => {
      const call = callIn(app, world.ws)
      const moments: string[] = []
      for (let round = 0; round < times; round++) {
        for (let i = 0; i < 6; i++) disturb(world.ws, random)
        trustFiles(world.home, world.ws)
        moments.push((await call('snapshot', { label: `${round}` })).snapshot_id)
        for (let i = 0; i < 4; i++) disturb(world.ws, random)
        trustFiles(world.home, world.ws)
        const before = captured(stateOf(world.ws))
        const there = await call('timewarp_travel', {
          snapshot_id: moments[Math.floor(random() * moments.length)],
        })
        // A folder that holds something left out cannot make way for a file.
        expect(there.conflicts.filter(({ path }: { path: string }) => path !== 'dir')).toEqual([])
        for (let i = 0; i < 6; i++) disturb(world.ws, random)
        const home = await call('timewarp_return')
        const told: string[] = home.differences
        const wrong = differing(before, captured(stateOf(world.ws)))
        const untold = wrong.filter((path) => !told.some((one) => path === one || path.startsWith(`${one}/`)))
        expect(untold, `round ${round}: ${JSON.stringify(home)}`).toEqual([])
        expect(home.verified).toBe(wrong.length === 0)
        if (home.verified) verified++
        else await call('timewarp_acknowledge')
      }
    })
    expect(verified / times).toBeGreaterThan(0.9)
  } finally {
    removeWorld(world)
  }
}, 120_000)
