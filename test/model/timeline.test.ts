import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type App, openApp } from '../../src/app/app.ts'
import { Fault } from '../../src/base/fault.ts'
import { rounds, seed } from '../kit/rounds.ts'
import {
  type Call,
  callIn,
  KEEP_NOTHING,
  makeWorld,
  removeWorld,
  type State,
  setConfig,
  snapshotState,
  stateOf,
  type World,
} from '../kit/world.ts'

/** Any sequence of work and time travel agrees with the simplest thing that could be right: whole copies. */

const PATHS = ['a', 'b', 'A', 'dir', 'dir/a', 'dir/b', 'dir/sub', 'dir/sub/c', 'other/x/y', 'na me\n"ü"']
const CONTENTS = ['', '\0', 'a', 'b', 'line\r\n', '\ufeffbom', 'same size 1', 'same size 2', 'x'.repeat(5000)]
const MODES = [0o644, 0o600, 0o755, 0o444]

const path = fc.constantFrom(...PATHS)
const content = fc.constantFrom(...CONTENTS)

/** What somebody does to files; what the system refuses is not done. */
const fileOps = [
  fc.record({ op: fc.constant('write' as const), path, content }),
  fc.record({ op: fc.constant('append' as const), path, content }),
  fc.record({ op: fc.constant('delete' as const), path }),
  fc.record({ op: fc.constant('mkdir' as const), path }),
  fc.record({ op: fc.constant('rename' as const), path, to: path }),
  fc.record({ op: fc.constant('chmod' as const), path, mode: fc.constantFrom(...MODES) }),
  fc.record({ op: fc.constant('link' as const), path, to: fc.constantFrom('a', 'nowhere', '..', 'dir/sub') }),
  fc.record({ op: fc.constant('touch' as const), path, time: fc.constantFrom(0, 1_000_000_000, 1_700_000_000.5) }),
]
const nth = fc.nat({ max: 30 })
const timeOps = [
  fc.record({ op: fc.constant('snapshot' as const), pin: fc.boolean() }),
  fc.record({ op: fc.constant('snapshot' as const), pin: fc.constant(false) }),
  fc.record({ op: fc.constant('restore' as const), nth }),
  fc.record({
    op: fc.constant('restore some' as const),
    nth,
    paths: fc.uniqueArray(path, { minLength: 1, maxLength: 2 }),
  }),
  fc.record({ op: fc.constant('undo' as const) }),
  fc.record({ op: fc.constant('redo' as const) }),
  fc.record({ op: fc.constant('pin' as const), nth, pinned: fc.boolean() }),
  fc.record({ op: fc.constant('prune' as const), gc: fc.boolean() }),
  fc.record({ op: fc.constant('gc' as const) }),
]
const anyOp = fc.oneof({ weight: 3, arbitrary: fc.oneof(...fileOps) }, { weight: 2, arbitrary: fc.oneof(...timeOps) })
type Op = typeof anyOp extends fc.Arbitrary<infer T> ? T : never
type FileOp = Exclude<Op, { op: 'snapshot' | 'restore' | 'restore some' | 'undo' | 'redo' | 'pin' | 'prune' | 'gc' }>

/** A whole copy of the files for every moment, and the steps that can be undone and done again. */
class Model {
  readonly moments = new Map<string, State>()
  readonly pinned = new Set<string>()
  newest: string | undefined
  /** States to go back and forth between; undefined once pruning has taken some of them away. */
  undo: { before: State; after: State }[] | undefined = []
  redo: { before: State; after: State }[] = []

  record(id: string, state: State): void {
    this.moments.set(id, state)
    this.newest = id
  }

  step(before: State | undefined, after: State): void {
    if (this.undo && before) this.undo.push({ before, after })
    this.redo = []
  }

  get present(): State | undefined {
    return this.newest === undefined ? undefined : this.moments.get(this.newest)
  }

  choose(n: number): [string, State] | undefined {
    const all = [...this.moments]
    return all[n % Math.max(1, all.length)]
  }
}

class Play {
  readonly world: World = makeWorld()
  readonly app: App
  readonly call: Call
  readonly model = new Model()

  constructor() {
    setConfig(this.world, KEEP_NOTHING)
    this.app = openApp({ home: this.world.home })
    this.call = callIn(this.app, this.world.ws)
  }

  get now(): State {
    return stateOf(this.world.ws)
  }

  async do(op: Op): Promise<void> {
    if (op.op === 'snapshot') return this.#snapshot(op.pin)
    if (op.op === 'restore') return this.#restore(op.nth, [])
    if (op.op === 'restore some') return this.#restore(op.nth, op.paths)
    if (op.op === 'undo' || op.op === 'redo') return this.#walk(op.op)
    if (op.op === 'pin') return this.#pin(op.nth, op.pinned)
    if (op.op === 'prune') return this.#prune(op.gc)
    if (op.op === 'gc') return void (await this.call('gc'))
    changeFile(this.world.ws, op)
  }

  async #snapshot(pin: boolean): Promise<void> {
    const [before, now] = [this.model.present, this.now]
    const { snapshot_id, created } = await this.call('snapshot', { pin })
    expect(this.now).toEqual(now)
    expect(created).toBe(before === undefined || pin || !same(before, now))
    if (pin) this.model.pinned.add(snapshot_id)
    if (!created) return
    this.model.record(snapshot_id, now)
    this.model.step(before, now)
  }

  async #restore(n: number, paths: readonly string[]): Promise<void> {
    const chosen = this.model.choose(n)
    if (chosen === undefined) return
    const [snapshot_id, target] = chosen
    const [present, before] = [this.model.present, this.now]
    const known = paths.filter((one) => one in target || one in (this.model.present ?? {}))
    if (known.length < paths.length) return
    const wanted = paths.length === 0 ? target : mixed(before, target, paths)
    if (wanted === undefined) return
    const receipt = await this.call('restore', { snapshot_id, paths })
    expect([receipt.conflicts, receipt.skipped]).toEqual([[], []])
    expect(this.now).toEqual(wanted)
    this.#acted(receipt, before)
    // What only the backup captured is a step of its own.
    if (present && !same(present, before)) this.model.step(present, before)
    this.model.step(before, wanted)
  }

  #acted(receipt: { backup_id: string; new_snapshot_id: string }, before: State): void {
    this.model.record(receipt.backup_id, before)
    this.model.record(receipt.new_snapshot_id, this.now)
    this.expectMoment(receipt.backup_id)
  }

  /** To the state before the newest step, or to the newest snapshot when there are changes since. */
  async #walk(act: 'undo' | 'redo'): Promise<void> {
    const { model } = this
    const before = this.now
    const dirty = model.present !== undefined && !same(model.present, before)
    let receipt: Awaited<ReturnType<Call>>
    try {
      receipt = await this.call(act)
    } catch (error) {
      if (!(error instanceof Fault) || !/^NOTHING_TO|^SNAPSHOT_DROPPED/.test(error.code)) throw error
      expect(this.now).toEqual(before)
      if (model.undo)
        expect(act === 'undo' ? !dirty && model.undo.length === 0 : dirty || model.redo.length === 0).toBe(true)
      return
    }
    const target = model.moments.get(receipt.snapshot_id)
    expect(this.now).toEqual(target)
    if (model.undo && act === 'undo') {
      const step = dirty ? { before: model.present as State, after: before } : model.undo.pop()
      expect(this.now).toEqual(step?.before)
      // What had been undone before cannot be done again over changes.
      if (step) model.redo = dirty ? [step] : [...model.redo, step]
    } else if (model.undo) {
      const step = model.redo.pop()
      expect(this.now).toEqual(step?.after)
      if (step) model.undo.push(step)
    }
    this.#acted(receipt as never, before)
  }

  async #pin(n: number, pinned: boolean): Promise<void> {
    const chosen = this.model.choose(n)
    if (chosen === undefined) return
    await this.call(pinned ? 'pin' : 'unpin', { snapshot_id: chosen[0] })
    if (pinned) this.model.pinned.add(chosen[0])
    else this.model.pinned.delete(chosen[0])
  }

  async #prune(gc: boolean): Promise<void> {
    if (this.model.newest === undefined) return
    const before = this.now
    const { removed } = await this.call('prune', { gc })
    expect(this.now).toEqual(before)
    for (const id of removed) {
      expect(this.model.pinned.has(id) || id === this.model.newest).toBe(false)
      this.model.moments.delete(id)
    }
    if (removed.length > 0) this.model.undo = undefined
    this.expectAll()
  }

  expectMoment(id: string): void {
    expect(snapshotState(this.app, id)).toEqual(this.model.moments.get(id))
  }

  expectAll(): void {
    const ids = this.app.records.snapshots.all().map(({ id }) => id)
    expect(ids.sort()).toEqual([...this.model.moments.keys()].sort())
    for (const id of ids) this.expectMoment(id)
  }

  async end(): Promise<void> {
    try {
      this.expectAll()
      expect((await this.call('fsck')).problems).toEqual([])
    } finally {
      this.leave()
    }
  }

  leave(): void {
    this.app.close()
    removeWorld(this.world)
  }
}

const same = (a: State, b: State): boolean => JSON.stringify(a) === JSON.stringify(b)

/** What a restore of some paths leaves: those from the target, the rest as it is. Undefined when they cannot stand together. */
function mixed(before: State, target: State, paths: readonly string[]): State | undefined {
  const wanted = (path: string): boolean => paths.some((one) => path === one || path.startsWith(`${one}/`))
  const result: State = {}
  for (const [path, line] of Object.entries(before)) if (!wanted(path)) result[path] = line
  for (const [path, line] of Object.entries(target)) if (wanted(path)) result[path] = line
  for (const path of Object.keys(result))
    for (let above = dirname(path); above !== '.'; above = dirname(above)) {
      result[above] ??= target[above] as string
      if (!result[above]?.startsWith('folder')) return undefined
    }
  return Object.fromEntries(Object.entries(result).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function changeFile(root: string, op: FileOp): void {
  const at = join(root, op.path)
  try {
    if (isBehindLink(root, op.path) || (op.op === 'rename' && isBehindLink(root, op.to))) return
    if (op.op === 'write') put(at, op.content)
    else if (op.op === 'append') appendFileSync(at, op.content)
    else if (op.op === 'delete') rmSync(at, { recursive: true })
    else if (op.op === 'mkdir') mkdirSync(at, { recursive: true })
    else if (op.op === 'rename') renameSync(at, join(root, op.to))
    else if (op.op === 'chmod') chmodIfFile(at, op.mode)
    else if (op.op === 'touch') touchIfFile(at, op.time)
    else link(at, op.to)
  } catch (error) {
    if (!/^(EEXIST|ENOTDIR|EISDIR|ENOENT|ENOTEMPTY|EINVAL|ELOOP)$/.test((error as NodeJS.ErrnoException).code ?? ''))
      throw error
  }
}

/** Whether the way to a path leads through a symlink, and so perhaps out of the workspace. */
function isBehindLink(root: string, path: string): boolean {
  for (let above = dirname(path); above !== '.'; above = dirname(above))
    if (lstatSync(join(root, above), { throwIfNoEntry: false })?.isSymbolicLink()) return true
  return false
}

function put(at: string, text: string): void {
  mkdirSync(dirname(at), { recursive: true })
  rmSync(at, { recursive: true, force: true })
  writeFileSync(at, text)
}

function link(at: string, target: string): void {
  rmSync(at, { recursive: true, force: true })
  symlinkSync(target, at)
}

function chmodIfFile(at: string, mode: number): void {
  const stat = lstatSync(at)
  if (!stat.isSymbolicLink()) chmodSync(at, stat.isDirectory() ? mode | 0o700 : mode)
}

function touchIfFile(at: string, time: number): void {
  if (lstatSync(at).isFile()) utimesSync(at, time, time)
}

async function playAll(ops: readonly Op[]): Promise<void> {
  const play = new Play()
  try {
    await play.do({ op: 'snapshot', pin: false })
    for (const op of ops) await play.do(op)
  } catch (error) {
    play.leave()
    throw error
  }
  await play.end()
}

/** Sequences that once failed. */
const KEPT: Record<string, Op[]> = {
  'a file becomes the folder again that it was': [
    { op: 'write', path: 'dir/a', content: 'a' },
    { op: 'snapshot', pin: false },
    { op: 'write', path: 'dir', content: 'b' },
    { op: 'restore', nth: 1 },
  ],
  'a file comes back into folders that are gone': [
    { op: 'write', path: 'dir/sub/c', content: 'a' },
    { op: 'snapshot', pin: false },
    { op: 'delete', path: 'dir' },
    { op: 'restore some', nth: 1, paths: ['dir/sub/c'] },
  ],
  'a folder becomes a symlink that leads nowhere but to itself': [
    { op: 'mkdir', path: 'dir/a' },
    { op: 'snapshot', pin: false },
    { op: 'link', path: 'a', to: 'a' },
    { op: 'link', path: 'dir', to: 'a' },
    { op: 'snapshot', pin: false },
    { op: 'restore', nth: 1 },
  ],
}
test.each(Object.entries(KEPT))('%s', (_, ops) => playAll(ops))

test('any sequence of file operations and time travel agrees with whole copies', { timeout: 7_200_000 }, async () => {
  await fc.assert(fc.asyncProperty(fc.array(anyOp, { minLength: 5, maxLength: 40, size: 'max' }), playAll), {
    seed: seed(20261115),
    numRuns: rounds(2000, 40),
    endOnFailure: false,
  })
})
