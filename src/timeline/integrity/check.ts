import { type Deep, deeply } from '../../base/deeply.ts'
import { isFault } from '../../base/fault.ts'
import { outPath } from '../../base/quote.ts'
import { count } from '../../base/text.ts'
import { fromHex, keyOf, toHex } from '../../host/hash.ts'
import type { StoreProblem } from '../../protocol/keeping.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import { joinPath, type RelPath, ROOT } from '../../schema/path.ts'
import { decodeList } from '../../store/chunk-list.ts'
import { OBJECT } from '../../store/store.ts'
import { decodeTree, type Entry, KIND } from '../../store/tree.ts'
import { verifyPacks } from '../../store/verify.ts'
import { agrees, decodeSnapshot } from '../capture/snapshot-object.ts'
import type { MaintenanceContext } from './context.ts'
import { unrecorded } from './unrecorded.ts'

export interface Checked {
  readonly problems: StoreProblem[]
  readonly packs: number
  readonly objects: number
  readonly snapshots: number
  readonly bytes: number
}

/** Checks the whole store: packs against the index, snapshots against their objects, and every reference. */
export function check(ctx: MaintenanceContext, progress: (done: number, total: number) => void): Checked {
  const verified = verifyPacks(ctx.store, progress)
  const snapshots = ctx.records.snapshots.all()
  const needs = new Needs(ctx, verified.damaged)
  for (const snapshot of snapshots) needs.of(snapshot)
  for (const { id, tree } of ctx.records.gitKeeps.all()) needs.ofTree(id, fromHex(tree))
  for (const { id, tree } of ctx.records.issues.all()) needs.ofTree(id, fromHex(tree))
  const problems: StoreProblem[] = [
    ...sqliteProblems(ctx),
    ...lagProblems(ctx),
    ...verified.defects.map((defect) => ({ ...defect, ...needs.who(defect.object), repaired: false })),
    ...needs.missing(),
    ...snapshots.flatMap((snapshot) => recordProblem(ctx, snapshot, verified.damaged)),
  ]
  return {
    problems,
    packs: verified.packs,
    objects: verified.objects,
    snapshots: snapshots.length,
    bytes: verified.bytes,
  }
}

function sqliteProblems({ records }: MaintenanceContext): StoreProblem[] {
  return records.db
    .all<{ integrity_check: string }>('PRAGMA integrity_check')
    .filter(({ integrity_check }) => integrity_check !== 'ok')
    .map(({ integrity_check }) => problem('RECORDS_DAMAGED', `${records.db.path}: ${integrity_check}`))
}

/** Reports snapshots that were recorded once, are in the packs, and are missing from the database. */
function lagProblems(ctx: MaintenanceContext): StoreProblem[] {
  const lost = unrecorded(ctx)
  if (lost.length === 0) return []
  const message =
    `the packs hold ${count(lost.length, 'snapshot')} that the records have lost; ` +
    'bring them back with: timewarp fsck --rebuild'
  return [{ ...problem('RECORDS_BEHIND', message), snapshots: lost.map(({ id }) => id) }]
}

/** Reports a row that differs from its object. */
function recordProblem(ctx: MaintenanceContext, row: SnapshotRecord, damaged: ReadonlySet<string>): StoreProblem[] {
  if (damaged.has(keyOf(row.object)) || !ctx.store.index.has(row.object)) return []
  const stored = decodeSnapshot(ctx.store.reader.get(row.object), row.object)
  return agrees(row, stored)
    ? []
    : [{ ...problem('RECORD_WRONG', `the record of ${row.id} does not say what its object says`), snapshots: [row.id] }]
}

const problem = (code: StoreProblem['code'], message: string): StoreProblem => ({
  code,
  message,
  object: null,
  pack: null,
  snapshots: [],
  paths: [],
  repaired: false,
})

/** Finds the snapshots and paths that need damaged or missing objects. */
class Needs {
  readonly #ctx: MaintenanceContext
  readonly #bad: Map<string, { snapshots: Set<string>; paths: Set<string>; missing: boolean }>
  /** Subtrees known to be complete: they are not walked again for the next snapshot. */
  readonly #whole = new Set<string>()
  readonly #good = new Set<string>()
  /** Trees with names that lead out of their folder. */
  readonly #outside = new Map<string, StoreProblem>()

  constructor(ctx: MaintenanceContext, damaged: ReadonlySet<string>) {
    this.#ctx = ctx
    this.#bad = new Map([...damaged].map((key) => [key, { snapshots: new Set(), paths: new Set(), missing: false }]))
  }

  of(snapshot: SnapshotRecord): void {
    this.#object(snapshot.object, snapshot.id, ROOT)
    if (snapshot.content) this.ofTree(snapshot.id, snapshot.tree)
  }

  ofTree(id: string, tree: Uint8Array): void {
    deeply(this.#tree(tree, id, ROOT))
  }

  who(object: string | null): { snapshots: string[]; paths: string[] } {
    const found = object === null ? undefined : this.#bad.get(keyOf(fromHex(object)))
    return { snapshots: [...(found?.snapshots ?? [])], paths: [...(found?.paths ?? [])] }
  }

  /** The missing objects, and the trees that are stored but cannot be used. */
  missing(): StoreProblem[] {
    const missing = [...this.#bad].flatMap(([key, need]) => {
      if (!need.missing) return []
      const object = toHex(Buffer.from(key, 'latin1'))
      const said = problem('OBJECT_MISSING', `object ${object} is referred to but not stored`)
      return [{ ...said, object, snapshots: [...need.snapshots], paths: [...need.paths] }]
    })
    return [...missing, ...this.#outside.values()]
  }

  /** Whether the subtree is complete. */
  *#tree(hash: Uint8Array, snapshot: string, path: RelPath): Deep<boolean> {
    const key = keyOf(hash)
    if (this.#whole.has(key)) return true
    if (!this.#object(hash, snapshot, path)) return false
    const entries = this.#entries(hash, snapshot, path)
    if (entries === undefined) return false
    let whole = true
    for (const entry of entries) {
      const at = joinPath(path, entry.name)
      const isFolder = entry.kind === KIND.directory
      const isWhole = isFolder ? yield this.#tree(entry.hash, snapshot, at) : this.#content(entry.hash, snapshot, at)
      if (!isWhole) whole = false
    }
    if (whole) this.#whole.add(key)
    return whole
  }

  #content(hash: Uint8Array, snapshot: string, path: RelPath): boolean {
    const whole = this.#object(hash, snapshot, path)
    const place = this.#ctx.store.index.find(hash)
    if (place?.kind !== OBJECT.list || this.#bad.has(keyOf(hash))) return whole
    const chunks = decodeList(this.#ctx.store.reader.raw(hash).bytes)
    return chunks.map((chunk) => this.#object(chunk.hash, snapshot, path)).every(Boolean) && whole
  }

  /** Undefined when the tree holds a name that cannot be in a folder. */
  #entries(hash: Uint8Array, snapshot: string, path: RelPath): readonly Entry[] | undefined {
    try {
      return decodeTree(Buffer.from(this.#ctx.store.reader.get(hash)))
    } catch (error) {
      if (!isFault(error, 'PATH_DAMAGED')) throw error
      const known = this.#outside.get(keyOf(hash)) ?? { ...problem('PATH_DAMAGED', error.message), object: toHex(hash) }
      const [snapshots, paths] = [new Set([...known.snapshots, snapshot]), new Set([...known.paths, outPath(path)])]
      this.#outside.set(keyOf(hash), { ...known, snapshots: [...snapshots], paths: [...paths] })
      return undefined
    }
  }

  #object(hash: Uint8Array, snapshot: string, path: RelPath): boolean {
    const key = keyOf(hash)
    if (this.#good.has(key)) return true
    let need = this.#bad.get(key)
    if (need === undefined) {
      if (this.#ctx.store.index.has(hash)) {
        this.#good.add(key)
        return true
      }
      this.#bad.set(key, (need = { snapshots: new Set(), paths: new Set(), missing: true }))
    }
    need.snapshots.add(snapshot)
    if (path !== '') need.paths.add(outPath(path))
    return false
  }
}
