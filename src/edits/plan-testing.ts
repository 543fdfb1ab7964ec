import { Fault } from '../base/fault.ts'
import { sha256, toHex } from '../host/hash.ts'
import { parentOf, parseRelPath, type RelPath } from '../schema/path.ts'
import type { EditOp } from './ops.ts'
import { planEdits } from './plan.ts'
import type { DraftEntry, PresentFiles } from './plan-draft.ts'
import type { Plan } from './plan-outcome.ts'
import type { ApplyDiff } from './plan-patch.ts'

/** A workspace in memory, for the tests of plans. */

export interface Thing {
  readonly kind: 'file' | 'directory' | 'symlink'
  readonly bytes: Uint8Array
  readonly mode: number
}
export type World = ReadonlyMap<RelPath, Thing>
type Drawn = string | Uint8Array | Thing

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
export const hash = (text: string): string => toHex(sha256(bytes(text)))
export const folder: Thing = { kind: 'directory', bytes: bytes(''), mode: 0o755 }
export const link = (to: string): Thing => ({ kind: 'symlink', bytes: bytes(to), mode: 0o777 })
export const file = (content: string | Uint8Array, mode = 0o644): Thing => ({
  kind: 'file',
  bytes: typeof content === 'string' ? bytes(content) : content,
  mode,
})

/** Files by their text; the folders above them are there as well. */
export function world(drawing: Readonly<Record<string, Drawn>>): World {
  const things = new Map<RelPath, Thing>()
  for (const [path, drawn] of Object.entries(drawing)) {
    const at = parseRelPath(path)
    for (let above = parentOf(at); above !== ''; above = parentOf(above)) things.set(above, folder)
    things.set(at, typeof drawn === 'string' || drawn instanceof Uint8Array ? file(drawn) : drawn)
  }
  return things
}

/** The world as planning sees it; `loaded` names the files whose bytes were asked for. */
export function presentOf(things: World, loaded: Set<RelPath> = new Set()): PresentFiles {
  return {
    read: (path) => {
      const thing = things.get(path)
      return thing && entryOf(path, thing, loaded)
    },
    list: (above) =>
      [...things.keys()].filter((path) => parentOf(path) === above).map((path) => path.slice(above.length + 1)),
  }
}

function entryOf(path: RelPath, { kind, bytes: all, mode }: Thing, loaded: Set<RelPath>): DraftEntry {
  if (kind === 'directory') return { kind, mode }
  const load = (): Uint8Array => {
    loaded.add(path)
    return all
  }
  return {
    kind,
    mode,
    get bytes() {
      return load()
    },
    get hash() {
      return toHex(sha256(all))
    },
  }
}

export const noDiff: ApplyDiff = () => {
  throw new Error('no diff was expected')
}

export const plan = (things: World, ops: readonly EditOp[], applyDiff = noDiff): Plan =>
  planEdits(ops, presentOf(things), applyDiff)

/** Carries a plan out in the order it asks for. Whatever is in the way, or not there, is an error. */
function after(things: World, { changes, make, remove }: Plan): World {
  const now = new Map(things)
  const check = (isRight: boolean, what: string): void => {
    if (!isRight) throw new Error(`the plan is wrong about ${what}`)
  }
  const isEmpty = (path: RelPath): boolean => ![...now.keys()].some((each) => parentOf(each) === path)
  const hasFolder = (path: RelPath): boolean => parentOf(path) === '' || now.get(parentOf(path))?.kind === 'directory'
  for (const { path, before } of changes) check(before?.bytes === things.get(path)?.bytes || !before, path)
  for (const change of changes) if (!change.after) check(now.delete(change.path), change.path)
  for (const path of remove) check(isEmpty(path) && now.delete(path), path)
  for (const { path, mode } of make) {
    check(!now.has(path) && hasFolder(path), path)
    now.set(path, { ...folder, mode })
  }
  for (const change of changes) {
    if (!change.after) continue
    check(hasFolder(change.path) && now.get(change.path)?.kind !== 'directory', change.path)
    const { kind, bytes: content, mode } = change.after
    now.set(change.path, { kind, bytes: content, mode })
  }
  return now
}

/** The world after some edits. */
export const edited = (things: World, ops: readonly EditOp[], applyDiff = noDiff): World =>
  after(things, plan(things, ops, applyDiff))

/** A world to compare and to read: text as latin1, folders as `/`, links as `-> target`. */
export const drawn = (things: World): Record<string, string> =>
  Object.fromEntries(
    [...things]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, { kind, bytes: content, mode }]) => {
        const text = Buffer.from(content).toString()
        const marks = {
          directory: '/',
          symlink: `-> ${text}`,
          file: mode === 0o644 ? text : `${mode.toString(8)} ${text}`,
        }
        return [path, marks[kind]]
      }),
  )

/** The fault that a call throws: its code and data. */
export function faultOf(act: () => unknown): {
  code: string
  data: unknown
  message: string
  hint: string | undefined
} {
  try {
    act()
  } catch (error) {
    if (error instanceof Fault) return { code: error.code, data: error.data, message: error.message, hint: error.hint }
    throw error
  }
  throw new Error('nothing was thrown')
}

interface FakeChange {
  readonly path: string
  readonly from?: string
  readonly text?: string
  readonly mode?: number
}

/** A diff that is easily made: JSON of what comes of each path. Every path is read, as a real diff would. */
export const fakeDiff: ApplyDiff = (diff, read) => {
  const changes = JSON.parse(new TextDecoder().decode(diff)) as FakeChange[]
  return changes.map(({ path, from, text, mode }) => {
    const known = read(from ?? path)
    const after = text === undefined ? undefined : { bytes: bytes(text), mode: mode ?? known?.mode ?? 0o100644 }
    return { path, from, after }
  })
}

export const diffOf = (...changes: readonly FakeChange[]): EditOp => ({ op: 'diff', diff: JSON.stringify(changes) })
