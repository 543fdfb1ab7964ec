import { Fault } from '../../base/fault.ts'
import { lazily } from '../../base/lazily.ts'
import { Rules } from '../../config/rules.ts'
import { errorCode, lstat, readNames } from '../../host/files/fs.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import { foldersAbove, nameOf, parentOf, type RelPath } from '../../schema/path.ts'
import { FORGOTTEN } from '../../schema/skip.ts'
import { compareTrees, findEntry, type TreeDifference } from '../../store/compare-trees.ts'
import { type Entry, KIND } from '../../store/tree.ts'
import type { Assembled } from '../capture/assemble.ts'
import { areOf, compareFolders, entryIn } from '../capture/compare-folders.ts'
import type { Trees } from '../capture/trees.ts'
import type { CaptureContext } from '../scan/context.ts'
import { decodeFolder, type Folder, hashAt, SKIPPED } from '../scan/folder.ts'
import { type ScanScope, scopeOf } from '../scan/scan-scope.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { ExpectedFile } from './put-checks.ts'
import { planRestore, type RestorePlan } from './restore-plan.ts'

/** The plan from a present state to a target, without the paths that must be left alone. */
export function planFor(
  trees: Trees,
  workspace: Workspace,
  target: SnapshotRecord,
  paths: readonly RelPath[],
  present: Assembled,
): RestorePlan {
  const { folders, before, remade } = present
  // Most often the target is the state with which the scan was compared: then no tree has to be read.
  const isBefore = areOf(before, target.tree)
  const presentEntry = (path: RelPath): Entry | undefined => entryIn(folders, path)
  const targetEntry = (path: RelPath): Entry | undefined =>
    isBefore ? entryIn(before, path) : findEntry(trees.read, target.tree, path)
  const differences =
    isBefore && paths.length === 0
      ? compareFolders(folders, before, remade)
      : [...compareTrees(trees.read, present.tree, target.tree, paths)]
  return planRestore({
    differences: withFoldersAbove(differences, presentEntry, targetEntry),
    barrier: barriers(workspace, target, present),
    presentFolder: presentEntry,
    targetFolder: targetEntry,
    holdsOther: holdsOther(workspace.root, present),
    within: paths,
  })
}

/** A wanted state, made from a snapshot. All of its contents are known, so nothing in it counts as skipped. */
export const wishedState = (from: SnapshotRecord, tree: Uint8Array): SnapshotRecord => ({
  ...from,
  tree,
  facts: { ...from.facts, skipped: [] },
})

/**
 * Everything that a restore may overwrite or remove. It is scanned just before the restore in any case, because some
 * changes, such as those through mapped memory, cause no events.
 */
export function pathsAtRisk(
  ctx: CaptureContext,
  trees: Trees,
  workspace: string,
  target: SnapshotRecord,
  paths: readonly RelPath[],
): ScanScope {
  const newest = ctx.records.snapshots.newest(workspace)
  if (!newest?.content) return new Map()
  const known = ctx.live?.foldersOf(workspace)
  if (known) trees.lend(known, known)
  try {
    return scopeOf([...compareTrees(trees.read, newest.tree, target.tree, paths)].map(({ path }) => path))
  } catch (error) {
    // Missing or damaged objects are reported where they are needed.
    if (error instanceof Fault) return new Map()
    throw error
  }
}

/** Restored paths need the folders above them, which a comparison limited to those paths leaves out. */
export function withFoldersAbove(
  differences: readonly TreeDifference[],
  present: (path: RelPath) => Entry | undefined,
  target: (path: RelPath) => Entry | undefined,
): TreeDifference[] {
  const known = new Set(differences.map(({ path }) => path))
  const missing = new Map<RelPath, TreeDifference>()
  for (const { path, new: entry } of differences)
    for (const folder of entry ? foldersAbove(path) : []) {
      if (known.has(folder)) continue
      known.add(folder)
      const now = present(folder)
      if (now?.kind !== KIND.directory) missing.set(folder, { path: folder, old: now, new: target(folder) })
    }
  return [...[...missing.keys()].sort().map((path) => missing.get(path) as TreeDifference), ...differences]
}

/** The reason why a path must be left alone. */
function barriers(
  workspace: Workspace,
  target: SnapshotRecord,
  present: Assembled,
): (difference: TreeDifference) => string | undefined {
  const now = lazily(() => new Rules(workspace.rules))
  const then = lazily(() => new Rules({ defaults: [], own: target.facts.exclude_globs, tracked: [] }))
  const unknownNow = new Map(present.skipped.map(({ path, reason }) => [path, reason]))
  const unknownThen = new Map(target.facts.skipped.map(({ path, reason }) => [path, reason]))
  const exists = (path: RelPath): boolean => lstat(`${workspace.root}/${path}`) !== undefined
  return ({ path, old: a, new: b }) => {
    const nowReason = onTheWay(path, unknownNow)
    if (nowReason) return `it is not captured now (${nowReason})`
    const thenReason = onTheWay(path, unknownThen)
    if (thenReason === FORGOTTEN) return 'it was forgotten'
    if (thenReason) return `it was not captured then (${thenReason})`
    // A path that is excluded now and does not exist can be restored without harm. What is captured is not excluded.
    if (b && a?.kind !== b.kind && now().excludesDeep(path, b.kind === KIND.directory) && exists(path))
      return 'it is excluded'
    if (a && !b && then().excludesDeep(path, a.kind === KIND.directory)) return 'it was excluded then'
    return undefined
  }
}

/** The reason recorded for a path, or for a folder above it. */
function onTheWay(path: RelPath, said: ReadonlyMap<RelPath, string>): string | undefined {
  if (said.size === 0) return undefined
  for (const at of [path, ...foldersAbove(path)]) if (said.has(at)) return said.get(at)
  return undefined
}

/** Whether a folder holds anything that the present state does not. */
function holdsOther(root: string, present: Assembled): (path: RelPath) => boolean {
  return (path) => {
    const bytes = present.folders.get(path)
    if (bytes === undefined) return true
    const folder = decodeFolder(bytes)
    const captured = new Set(folder.names.filter((_, i) => folder.kinds[i] !== SKIPPED))
    return namesIn(`${root}/${path}`).some((name) => !captured.has(name))
  }
}

function namesIn(dir: string): string[] {
  try {
    return readNames(dir)
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return []
    throw error
  }
}

/** The signature that the scan saw at a path, by which a later check decides whether the file is still the same. */
export function expectations(present: Assembled): (path: RelPath) => ExpectedFile | undefined {
  // Paths arrive folder by folder, so the last folder is kept decoded.
  let at: { parent: RelPath; folder: Folder; places: Map<string, number> } | undefined
  const open = (parent: RelPath): typeof at => {
    const bytes = present.folders.get(parent)
    if (bytes === undefined) return undefined
    const folder = decodeFolder(bytes)
    return { parent, folder, places: new Map(folder.names.map((name, i) => [name, i])) }
  }
  return (path) => {
    const parent = parentOf(path)
    if (at?.parent !== parent) at = open(parent)
    const i = at?.places.get(nameOf(path))
    return at === undefined || i === undefined ? undefined : expectedAt(at.folder, i)
  }
}

function expectedAt(folder: Folder, i: number): ExpectedFile | undefined {
  const kind = folder.kinds[i]
  if (kind === undefined || kind === KIND.directory || kind === SKIPPED) return undefined
  return {
    kind,
    size: folder.sizes[i] ?? 0,
    sigM: folder.sigM[i] ?? 0,
    sigC: folder.sigC[i] ?? Number.NaN,
    ino: folder.inos[i] ?? 0,
    hash: new Uint8Array(hashAt(folder, i)),
  }
}
