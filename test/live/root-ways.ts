import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { newWorkspace } from '../kit/workspace.ts'
import { Warm } from './warm.ts'

/** Ways in which another folder, or the same one anew, gets to the path of a workspace's root. */

export type RootWay = (root: string, round: number) => void

/** The number of an inode that is free again is given to the next folder, mostly. */
function remake(root: string): void {
  fs.rmSync(root, { recursive: true })
  fs.mkdirSync(root)
}

export const ROOT_WAYS: Readonly<Record<string, RootWay>> = {
  'removed and made again': remake,
  'removed and made again as another inode': (root) => {
    fs.mkdirSync(`${root}-next`)
    fs.rmSync(root, { recursive: true })
    fs.renameSync(`${root}-next`, root)
  },
  'removed and filled again as by a clone': (root) => {
    remake(root)
    fs.mkdirSync(join(root, 'sub/deep'), { recursive: true })
    for (let i = 0; i < 20; i++) fs.writeFileSync(join(root, 'sub', `${i}`), `${i}`)
  },
  'moved away and back': (root) => {
    fs.renameSync(root, `${root}-away`)
    fs.writeFileSync(join(`${root}-away`, 'while-away'), 'x')
    fs.renameSync(`${root}-away`, root)
  },
  'moved away, removed there, and made again': (root) => {
    fs.renameSync(root, `${root}-away`)
    fs.rmSync(`${root}-away`, { recursive: true })
    fs.mkdirSync(root)
  },
  'replaced by rename': (root) => {
    fs.mkdirSync(join(`${root}-next`, 'sub'), { recursive: true })
    fs.renameSync(root, `${root}-old`)
    fs.renameSync(`${root}-next`, root)
    fs.rmSync(`${root}-old`, { recursive: true })
  },
  'below a parent that is renamed and back': (root) => {
    const parent = dirname(root)
    fs.renameSync(parent, `${parent}-away`)
    fs.writeFileSync(join(`${parent}-away`, basename(root), 'while-away'), 'x')
    fs.renameSync(`${parent}-away`, parent)
  },
  'below a parent that is replaced': (root) => {
    const parent = dirname(root)
    fs.renameSync(parent, `${parent}-away`)
    fs.mkdirSync(root, { recursive: true })
    fs.rmSync(`${parent}-away`, { recursive: true })
  },
  'given another mode and other times': (root, round) => {
    fs.chmodSync(root, round % 2 === 0 ? 0o700 : 0o755)
    fs.utimesSync(root, round, round)
  },
}

/** A watched workspace in a folder that can be renamed. */
export function newNestedWarm(): Warm {
  const warm = new Warm(newWorkspace({ a: '1', 'sub/deep/b': '2' }, tmpdir(), 'above/workspace'))
  onTestFinished(() => warm.close())
  return warm
}

/** Writes at the root and below it, twice, and expects each to be in the daemon's next answer. */
export async function expectRecorded(warm: Warm, round: number): Promise<void> {
  for (const text of ['new', 'later']) {
    warm.workspace.write({ z: `${text} ${round}`, 'sub/y': `${text} ${round}`, 'sub/deep/x': `${text} ${round}` })
    warm.workspace.write({ [`only/${round % 7}`]: text })
    const [warmly, coldly] = [await warm.warm(), await warm.cold()]
    expect(warmly.tree, `round ${round}, ${text}`).toBe(coldly.tree)
    expect(warmly.created).toBe(true)
  }
  expect(warm.sight.sight).toBe('warm')
}
