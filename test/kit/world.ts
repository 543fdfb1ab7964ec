import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type App, openApp } from '../../src/app/app.ts'
import { Fault } from '../../src/base/fault.ts'
import { microsOf } from '../../src/host/files/fs.ts'
import { walkTree } from '../../src/store/compare-trees.ts'
import { decodePayload } from '../../src/store/pack-format.ts'
import { packNames, scanPack } from '../../src/store/pack-scan.ts'
import { KIND } from '../../src/store/tree.ts'
import { Trees } from '../../src/timeline/capture/trees.ts'
import { callTool } from '../../src/tools/call.ts'

/** A store and a workspace to break, in a folder of their own. */
export interface World {
  readonly dir: string
  readonly home: string
  readonly ws: string
}

export function makeWorld(dir = realpathSync(mkdtempSync(join(tmpdir(), 'timewarp-crash-')))): World {
  const world = { dir, home: join(dir, 'home'), ws: join(dir, 'ws') }
  mkdirSync(world.ws, { recursive: true })
  return world
}

export function removeWorld({ dir }: World): void {
  rmSync(dir, { recursive: true, force: true })
}

/** Keeps a copy of the store and the workspace, times and all. */
export function saveWorld({ dir, home, ws }: World): void {
  rmSync(join(dir, 'saved'), { recursive: true, force: true })
  mkdirSync(join(dir, 'saved'))
  for (const part of [home, ws]) if (existsSync(part)) copyAll(part, join(dir, 'saved'))
}

/** Brings the copy back, at the same place. */
export function resetWorld({ dir, home, ws }: World): void {
  for (const part of [home, ws]) rmSync(part, { recursive: true, force: true })
  for (const name of readdirSync(join(dir, 'saved'))) copyAll(join(dir, 'saved', name), dir)
}

export function copyAll(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', '--', from, to])
  if (status !== 0) throw new Error(`cp failed: ${stderr.toString()}`)
}

export function write(root: string, path: string, content: string | Uint8Array, mode = 0o644): void {
  const at = join(root, path)
  mkdirSync(dirname(at), { recursive: true })
  rmSync(at, { force: true })
  writeFileSync(at, content)
  chmodSync(at, mode)
}

/** A path with all that matters of it: kind, mode, time and content. Folders have no time here. */
export type State = Record<string, string>

const digest = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16)
const line = (kind: string, mode: number, mtime: number | '', content: string): string =>
  `${kind} ${mode.toString(8)} ${mtime} ${content}`

/** The workspace as it is now. */
export function stateOf(root: string): State {
  const state: State = {}
  const walk = (folder: string): void => {
    for (const name of readdirSync(join(root, folder)).sort()) {
      if (folder === '' && name === '.timewarp') continue
      const path = folder === '' ? name : `${folder}/${name}`
      const stat = lstatSync(join(root, path), { bigint: true })
      const [mode, mtime] = [Number(stat.mode) & 0o7777, microsOf(stat.mtimeNs)]
      if (stat.isDirectory()) {
        state[path] = line('folder', mode, '', '')
        walk(path)
      } else if (stat.isSymbolicLink()) state[path] = line('link', 0o777, mtime, digest(readlinkSync(join(root, path))))
      else state[path] = line('file', mode, mtime, digest(readFileSync(join(root, path))))
    }
  }
  walk('')
  return state
}

/** The same of a snapshot, every content read back from the store. */
export function snapshotState(app: App, id: string): State {
  const snapshot = app.records.snapshots.get(id)
  if (snapshot === undefined) throw new Error(`${id} is gone`)
  const state: State = {}
  for (const { path, entry } of walkTree(new Trees(app.store.reader).read, snapshot.tree)) {
    if (entry.kind === KIND.directory) state[path] = line('folder', entry.mode, '', '')
    else {
      const content = digest(app.store.reader.get(entry.hash))
      state[path] = line(entry.kind === KIND.symlink ? 'link' : 'file', entry.mode, entry.mtime, content)
    }
  }
  return state
}

/** A house that is closed whatever happens. */
export async function inHouse<T>(world: World, act: (app: App, call: Call) => Promise<T>): Promise<T> {
  const app = openApp({ home: world.home })
  try {
    const result = await act(app, callIn(app, world.ws))
    await app.settle()
    return result
  } finally {
    app.close()
  }
}

// Outputs are looked at field by field.
// oxlint-disable-next-line typescript/no-explicit-any
type Output = any
export type Call = (tool: string, input?: object) => Promise<Output>

export const callIn =
  (app: App, cwd: string): Call =>
  async (tool, input = {}) =>
    (await callTool({ app, cwd, progress: () => {} }, tool, input)).output

export const callOnce = (world: World, tool: string, input: object = {}): Promise<Output> =>
  inHouse(world, (_, call) => call(tool, input))

/** The fault that `act` ends with. */
export async function faultOf(act: () => Promise<unknown>): Promise<Fault> {
  try {
    await act()
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
  throw new Error('it did not fail')
}

/** Settings under which prune keeps the newest snapshot, pins, and nothing else. */
export const KEEP_NOTHING = {
  retention: { tiers: [], edits_days: 0, manual_days: 0, undo_steps: 0, auto: false },
}

export function setConfig({ home }: World, config: object): void {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  writeFileSync(join(home, 'config.json'), JSON.stringify(config))
}

/** Everything in every pack, decompressed: what a thief would find. */
export function packBytes(home: string): Buffer {
  const dir = join(home, 'objects')
  return Buffer.concat(
    packNames(dir).flatMap((name) => [
      readFileSync(join(dir, name)),
      ...[...scanPack(dir, name)].map(({ head, stored }) => decodePayload(head.codec, stored, head.raw)),
    ]),
  )
}

/** Whatever a crash may leave behind in the workspace. */
export function litter(root: string): string[] {
  const found: string[] = []
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const at = join(folder, entry.name)
      if (entry.name.startsWith('.timewarp-tmp-') || entry.name.endsWith('.tmp')) found.push(at)
      if (entry.isDirectory()) walk(at)
    }
  }
  walk(root)
  const [aside, rescued] = ['aside', 'rescued'].map((name) => join(root, '.timewarp', name)) as [string, string]
  if (existsSync(aside)) found.push(...readdirSync(aside).map((name) => join(aside, name)))
  if (existsSync(rescued)) found.push(rescued)
  return found
}

/** Chance that can be repeated. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
