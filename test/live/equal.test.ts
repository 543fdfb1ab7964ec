import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { fsPath, readNames } from '../../src/host/files/fs.ts'
import { rounds, seed } from '../kit/rounds.ts'
import { type Captured, newWarm, type Warm } from './warm.ts'

/** A warm capture answers what a scan answers, whatever happened in between. */

function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const NAMES = ['a', 'b', 'c', 'd', 'e f', 'gé', '"q"', 'new\nline', 'not-utf8-\udcff', 'node_modules']
const p = fsPath

type Act = (at: string, other: string, pick: (below: number) => number) => void
const ACTS: Readonly<Record<string, Act>> = {
  create: (at, _, pick) => fs.writeFileSync(p(at), `${pick(1e6)}`),
  append: (at) => fs.appendFileSync(p(at), 'x'),
  sameSize: (at, _, pick) => {
    const bytes = fs.readFileSync(p(at))
    if (bytes.length > 0) bytes[0] = pick(256)
    fs.writeFileSync(p(at), bytes)
  },
  folder: (at) => fs.mkdirSync(p(at)),
  tree: (at, _, pick) => {
    fs.mkdirSync(p(`${at}/p/q/r`), { recursive: true })
    for (let i = 0; i < 5; i++) fs.writeFileSync(p(`${at}/p/q/r/${i}`), `${pick(100)}`)
  },
  rename: (at, other) => fs.renameSync(p(at), p(other)),
  swap: (at, other) => {
    fs.renameSync(p(at), p(`${at}.tmp`))
    fs.renameSync(p(other), p(at))
    fs.renameSync(p(`${at}.tmp`), p(other))
  },
  remove: (at) => fs.rmSync(p(at), { recursive: true }),
  again: (at, _, pick) => {
    fs.rmSync(p(at), { recursive: true })
    fs.mkdirSync(p(`${at}/x`), { recursive: true })
    fs.writeFileSync(p(`${at}/x/y`), `${pick(100)}`)
  },
  mode: (at, _, pick) => fs.chmodSync(p(at), 0o700 + pick(8)),
  time: (at, _, pick) => fs.utimesSync(p(at), pick(1e9), pick(1e9)),
  link: (at, other) => fs.symlinkSync(p(other), p(at)),
  hardLink: (at, other) => fs.linkSync(p(other), p(at)),
}

/** Every folder of the workspace, by names in which bytes that are not UTF-8 stand as lone surrogates. */
function folders(root: string): string[] {
  const isFolder = (path: string): boolean => fs.lstatSync(p(path)).isDirectory()
  const below = readNames(root).filter((name) => name !== '.timewarp' && isFolder(`${root}/${name}`))
  return [root, ...below.flatMap((name) => folders(`${root}/${name}`))]
}

/** Does something somewhere; what cannot be done is left undone. */
function disturb(root: string, pick: (below: number) => number): string {
  const all = folders(root)
  const somewhere = (): string => `${all[pick(all.length)]}/${NAMES[pick(NAMES.length)]}`
  const name = Object.keys(ACTS)[pick(Object.keys(ACTS).length)] as string
  const [at, other] = [somewhere(), somewhere()]
  try {
    ;(ACTS[name] as Act)(at, other, pick)
    return `${name} ${at.slice(root.length)} ${other.slice(root.length)}`
  } catch {
    return ''
  }
}

/** What the snapshot says it changed. */
async function recorded(warm: Warm, { snapshot_id }: Captured): Promise<string[]> {
  const { output } = await warm.daemon.call('get_edit_history', { workspace: warm.workspace.root, limit: 1 })
  const [newest] = (output as { snapshots: { snapshot_id: string; affected_files: string[] }[] }).snapshots
  expect(newest?.snapshot_id).toBe(snapshot_id)
  return (newest?.affected_files ?? []).toSorted()
}

/** What a comparison of the two states finds. */
async function differing(warm: Warm, { base, snapshot_id }: Captured): Promise<string[]> {
  const call = { workspace: warm.workspace.root, from: base, to: snapshot_id, format: 'json' }
  const { output } = await warm.daemon.call('diff', call)
  const { files } = output as { files: { path: string }[] }
  return files.map(({ path }) => path).toSorted()
}

async function expectEqual(warm: Warm, told: string): Promise<void> {
  const [ours, theirs] = [await warm.warm(), await warm.cold()]
  expect([ours.tree, ours.files, ours.warnings], told).toEqual([theirs.tree, theirs.files, theirs.warnings])
  const changes = ours.added + ours.modified + ours.deleted
  // Of many, only some are listed.
  if (ours.created && ours.base && changes < 100)
    expect(await recorded(warm, ours), told).toEqual(await differing(warm, ours))
}

const SEEDS = Array.from({ length: rounds(25, 2) }, (_, i) => seed(1) + i)
const MANY = rounds(5000, 1500)

test.each(SEEDS)('after random changes, seed %i', async (one) => {
  const warm = newWarm({ 'a/b/c': '1', 'd/e f/x': '2', top: '3' })
  const pick = random(one)
  await expectEqual(warm, 'at first')
  for (let round = 0; round < 60; round++) {
    const told = Array.from({ length: 1 + pick(6) }, () => disturb(warm.workspace.root, pick)).join('\n')
    await expectEqual(warm, told)
  }
  expect(warm.sight.sight).toBe('warm')
})

test('after bursts of thousands of files in new folders and in one', async () => {
  const warm = newWarm({ 'src/a': '1' })
  await expectEqual(warm, 'at first')
  for (let i = 0; i < MANY; i++) {
    if (i % 50 === 0) fs.mkdirSync(warm.workspace.at(`many/${i}`), { recursive: true })
    fs.writeFileSync(warm.workspace.at(`many/${i - (i % 50)}/${i}`), `${i}`)
    fs.writeFileSync(warm.workspace.at(`src/${i}`), `${i}`)
  }
  await expectEqual(warm, 'after the burst')
  for (let i = 0; i < MANY; i += 3) fs.appendFileSync(warm.workspace.at(`src/${i}`), 'x')
  fs.renameSync(warm.workspace.at('many'), warm.workspace.at('moved'))
  await expectEqual(warm, 'after a change of many and a move')
  fs.appendFileSync(warm.workspace.at('moved/0/0'), 'x')
  await expectEqual(warm, 'after a change under the new name')
  fs.rmSync(warm.workspace.at('moved'), { recursive: true })
  await expectEqual(warm, 'after a removal')
})

test('nothing changed is told without a new snapshot', async () => {
  const warm = newWarm({ a: '1' })
  const first = await warm.warm()
  expect(await warm.warm()).toMatchObject({ snapshot_id: first.snapshot_id, created: false })
  warm.workspace.write({ a: '2' })
  expect(await warm.warm()).toMatchObject({ created: true })
})
