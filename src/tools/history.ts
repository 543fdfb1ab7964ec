import { handler, type ToolCall } from '../app/handler.ts'
import { recoverFirst } from '../app/recovery.ts'
import { parseTime } from '../app/times.ts'
import {
  captureContext,
  findSnapshot,
  findSnapshotWithContent,
  findWorkspace,
  refuseFolder,
  requireWorkspace,
  withinOf,
} from '../app/workspace-lookup.ts'
import { Fault, isDamage } from '../base/fault.ts'
import { bytesFromName, outPath } from '../base/quote.ts'
import { linesIn, writeDiff } from '../diff/unified.ts'
import { lstat, readFile, readLink } from '../host/files/fs.ts'
import { toHex } from '../host/hash.ts'
import { findTool } from '../protocol/catalogue.ts'
import { Cat, Diff, FileHistory, GetEditHistory, ReadSnapshotDiff, Show } from '../protocol/history.ts'
import type { FileDiffFields, SnapshotDetail } from '../protocol/shapes.ts'
import type { SnapshotRecord } from '../records/snapshot-record.ts'
import { isWithin, type RelPath } from '../schema/path.ts'
import { findEntry, type ReadTree, statusOf, type TreeDifference } from '../store/compare-trees.ts'
import { type Entry, KIND, KIND_NAMES } from '../store/tree.ts'
import { isOnDisk, leftOutNow, leftOutSince, leftOutWarnings } from '../timeline/capture/left-out.ts'
import { preview } from '../timeline/capture/preview.ts'
import { Trees } from '../timeline/capture/trees.ts'
import { fileVersions } from '../timeline/history/file-history.ts'
import { pathsOf as changedPaths, listSnapshots } from '../timeline/history/listing.ts'
import type { Workspace } from '../timeline/workspace/workspace.ts'
import { asFileChanges, diffFields, type ReadContent, reported, storedContents } from './diff-text.ts'
import { lineOf, statsOf } from './snapshot-line.ts'

const iso = (ms: number): string => new Date(ms).toISOString()
const SHOWN_PATHS = 100

export const getEditHistory = handler(GetEditHistory, async (call, input) => {
  const workspace = findWorkspace(call, input)
  const { snapshots } = call.app.records
  const now = call.app.clock.now()
  const trees = new Trees(call.app.store.reader)
  const page = listSnapshots(snapshots, trees.read, {
    workspace: workspace.id,
    limit: input.limit,
    ...(input.cursor ? { before: parseCursor(input.cursor) } : {}),
    ...(input.source ? { source: input.source } : {}),
    ...(input.label ? { label: input.label } : {}),
    ...(input.since ? { since: parseTime(input.since, now, 'since') } : {}),
    ...(input.until ? { until: parseTime(input.until, now, 'until') } : {}),
    pinnedOnly: input.pinned_only,
    ...(input.session ? { session: input.session } : {}),
    ...(input.tool_filter ? { tools: input.tool_filter.flatMap(namesOf) } : {}),
    ...(input.file_filter ? { glob: input.file_filter } : {}),
  })
  return {
    snapshots: page.snapshots.map((snapshot) => ({
      ...lineOf(call, snapshot, changedPaths(snapshots, trees.read, snapshot, SHOWN_PATHS)),
      already_there: snapshot.base === null,
      metadata: { lines_changed: linesChanged(call, snapshot), execution_time_ms: snapshot.duration_ms },
      ...(input.include_diffs ? diffOf(call, snapshot) : {}),
    })),
    prompts: promptsOf(call, page.snapshots),
    pagination: { total: page.total, has_more: page.next !== undefined, next_cursor: page.next?.toString(36) ?? null },
  }
})

/** The prompts under which some snapshots were made. */
function promptsOf(call: ToolCall, snapshots: readonly SnapshotRecord[]) {
  const { prompts } = call.app.records
  const asked = new Map(snapshots.map(({ workspace, cause }) => [cause.prompt_id, workspace]))
  return [...asked].flatMap(([id, workspace]) => {
    const prompt = id === undefined ? undefined : prompts.get(workspace, id)
    return prompt ? [{ prompt_id: prompt.id, session_id: prompt.session_id, text: prompt.text }] : []
  })
}

/** Timewarp's tools are recorded by their own name, also when they were called by an alias. */
const namesOf = (name: string): string[] => [name, findTool(name)?.tool ?? name]

function parseCursor(text: string): number {
  const cursor = Number.parseInt(text, 36)
  if (Number.isSafeInteger(cursor) && cursor.toString(36) === text) return cursor
  throw new Fault('BAD_INPUT', { problem: `"cursor": ${text} is not a cursor that was given out`, command: 'log' })
}

function diffOf(call: ToolCall, snapshot: SnapshotRecord): { diff: string; diff_base64?: string } {
  const base = call.app.records.snapshots.baseOf(snapshot)
  if (!snapshot.content || !base) return { diff: '' }
  return diffFields(writeDiff(storedContents(call, differencesOf(call, base, snapshot)), 'git'))
}

/** What a snapshot changed, without files that are only no longer recorded because of a rule. */
function differencesOf(call: ToolCall, base: SnapshotRecord | undefined, snapshot: SnapshotRecord): TreeDifference[] {
  const { read } = new Trees(call.app.store.reader)
  const all = reported(read, base?.tree, snapshot.tree, [])
  return base === undefined
    ? all
    : withoutLeftOut(all, leftOutSince(call.app.records.snapshots, base, snapshot)).differences
}

/** A list must be quick: beyond these limits, lines are not counted. */
const COUNTED_FILES = 20
const COUNTED_BYTES = 1024 * 1024

/** Null when there is too much to count, or when objects are damaged: the list must be printed all the same. */
function linesChanged(call: ToolCall, snapshot: SnapshotRecord): number | null {
  if (snapshot.facts.lines_changed !== undefined) return snapshot.facts.lines_changed
  const { snapshots } = call.app.records
  const base = snapshots.baseOf(snapshot)
  if (!snapshot.content || !base || snapshot.added + snapshot.modified + snapshot.deleted > COUNTED_FILES) return null
  try {
    const differences = differencesOf(call, base, snapshot)
    const bytes = differences.reduce((sum, { old, new: now }) => sum + (old?.size ?? 0) + (now?.size ?? 0), 0)
    if (bytes > COUNTED_BYTES) return null
    return linesIn(storedContents(call, differences))
  } catch (error) {
    if (isDamage(error)) return null
    throw error
  }
}

export const readSnapshotDiff = handler(ReadSnapshotDiff, async (call, input) => {
  const snapshot = findSnapshotWithContent(call, input, input.snapshot_id)
  const { snapshots } = call.app.records
  const base = snapshots.baseOf(snapshot)
  const { read } = new Trees(call.app.store.reader)
  return {
    ...diffFields(writeDiff(storedContents(call, differencesOf(call, base, snapshot)), input.format)),
    base: base?.id ?? null,
    snapshot: {
      id: snapshot.id,
      snapshot_id: snapshot.id,
      created_at: iso(snapshot.created_at),
      description: snapshot.description,
      tool: snapshot.cause.tool ?? null,
      affected_files: changedPaths(snapshots, read, snapshot, Number.POSITIVE_INFINITY).map(outPath),
    },
  }
})

export const show = handler(Show, async (call, input) => {
  const snapshot = findSnapshot(call, input, input.snapshot_id)
  const { read } = new Trees(call.app.store.reader)
  const root = call.app.records.workspaces.get(snapshot.workspace)?.root ?? ''
  return {
    ...detailOf(snapshot, root),
    doubts: call.app.records.doubts.of(snapshot.id).map(outPath),
    affected_files: changedPaths(call.app.records.snapshots, read, snapshot, 1000).map(outPath),
  }
})

const detailOf = (s: SnapshotRecord, root: string): Omit<SnapshotDetail, 'doubts'> => ({
  snapshot_id: s.id,
  created_at: iso(s.created_at),
  session_id: s.cause.session_id ?? null,
  workspace_id: s.workspace,
  workspace_root: root,
  exclude_globs: [...s.facts.exclude_globs],
  env_fingerprint: s.facts.env_fingerprint,
  initial_task_hint: s.facts.initial_task_hint ?? null,
  label: s.label,
  description: s.description,
  source: s.source,
  pinned: s.pinned,
  tree: toHex(s.tree),
  base: s.base,
  cause: s.cause,
  stats: statsOf(s),
  skipped: s.facts.skipped.map((skip) => ({ ...skip, path: outPath(skip.path) })),
  content: s.content ? 'kept' : 'dropped',
})

export const diff = handler(Diff, async (call, input) => {
  const paths = withinOf(input.paths)
  const from = findSnapshotWithContent(call, input, input.from)
  const sides =
    input.to === undefined
      ? await withPresent(call, input, from, paths)
      : withSnapshot(call, input, from, input.to, paths)
  const bytes =
    input.name_only || input.format === 'json'
      ? Buffer.alloc(0)
      : writeDiff(asFileChanges(sides.differences, sides.old, sides.now), input.format)
  return {
    from: from.id,
    to: sides.to,
    files: sides.differences.map(fileDiff),
    ...diffFields(bytes),
    warnings: sides.warnings,
  }
})

interface Sides {
  readonly to: string | null
  readonly differences: TreeDifference[]
  readonly old: ReadContent
  readonly now: ReadContent
  readonly warnings: string[]
}

function withSnapshot(
  call: ToolCall,
  input: { workspace?: string | undefined },
  from: SnapshotRecord,
  id: string,
  paths: RelPath[],
): Sides {
  const to = findSnapshotWithContent(call, input, id)
  const { reader } = call.app.store
  const content: ReadContent = (_, entry) => reader.get(entry.hash)
  const { read } = new Trees(reader)
  refuseUnknown(paths, [from.id, `snapshot ${to.id}`], (path) => hasPath(read, [from.tree, to.tree], path))
  const found = reported(read, from.tree, to.tree, paths).filter(isKnown(to.facts.skipped))
  const { differences, warnings } = withoutLeftOut(found, leftOutSince(call.app.records.snapshots, from, to))
  return { to: to.id, differences, old: content, now: content, warnings }
}

async function withPresent(
  call: ToolCall,
  input: { workspace?: string | undefined },
  from: SnapshotRecord,
  paths: RelPath[],
): Promise<Sides> {
  const workspace = requireWorkspace(call, input)
  const recovered = await recoverFirst(call, workspace)
  const { assembled, trees } = await preview(captureContext(call), workspace)
  const { reader } = call.app.store
  const isThere = (path: RelPath): boolean =>
    hasPath(trees.read, [from.tree, assembled.tree], path) || isOnDisk(workspace.root, path)
  refuseUnknown(paths, [from.id, 'the present'], isThere)
  const found = reported(trees.read, from.tree, assembled.tree, paths).filter(isKnown(assembled.skipped))
  const { differences, warnings } = withoutLeftOut(found, leftOutNow(workspace))
  return {
    to: null,
    differences,
    old: (_, entry) => reader.get(entry.hash),
    now: (path, entry) => presentContent(workspace, path, entry),
    warnings: [...recovered, ...warnings],
  }
}

const hasPath = (read: ReadTree, trees: readonly Uint8Array[], path: RelPath): boolean =>
  trees.some((tree) => findEntry(read, tree, path) !== undefined)

/** Faults for a path that neither side has: otherwise a mistyped path would be reported as having no differences. */
function refuseUnknown(
  paths: readonly RelPath[],
  [snapshot_id, nor]: readonly [string, string],
  isThere: (path: RelPath) => boolean,
): void {
  const lost = paths.find((path) => !isThere(path))
  if (lost !== undefined) throw new Fault('PATH_NOT_FOUND', { path: outPath(lost), snapshot_id, nor })
}

function withoutLeftOut(
  found: readonly TreeDifference[],
  isLeftOut: (difference: TreeDifference) => boolean,
): Pick<Sides, 'differences' | 'warnings'> {
  const leftOut = new Set(found.filter(isLeftOut))
  return { differences: found.filter((one) => !leftOut.has(one)), warnings: leftOutWarnings([...leftOut]) }
}

/**
 * What the later side could not capture does not count as deleted: it may still exist. What the earlier side could not
 * capture counts as added.
 */
const isKnown =
  (skipped: readonly { path: RelPath }[]) =>
  ({ path }: TreeDifference): boolean =>
    !skipped.some((skip) => isWithin(path, skip.path))

function presentContent(workspace: Workspace, path: RelPath, entry: Entry): Uint8Array {
  const at = `${workspace.root}/${path}`
  if (entry.kind === KIND.symlink) return bytesFromName(readLink(at))
  return lstat(at)?.isFile() ? (readFile(at) ?? Buffer.alloc(0)) : Buffer.alloc(0)
}

const fileDiff = (difference: TreeDifference): FileDiffFields => {
  const { path, old: a, new: b } = difference
  const sizeOf = (entry: Entry | undefined): number | null =>
    entry && entry.kind !== KIND.directory ? entry.size : null
  const kind = KIND_NAMES[(b ?? a)?.kind ?? 0] ?? 'file'
  return { path: outPath(path), status: statusOf(difference), old_size: sizeOf(a), new_size: sizeOf(b), kind }
}

export const fileHistory = handler(FileHistory, async (call, input) => {
  const { path } = input
  const workspace = findWorkspace(call, input)
  const trees = new Trees(call.app.store.reader)
  const versions = fileVersions(call.app.records.snapshots, trees.read, workspace.id, path, input.limit)
  const newest = call.app.records.snapshots.newest(workspace.id)
  if (versions.length === 0 && newest?.content) refuseFolder(findEntry(trees.read, newest.tree, path), path)
  return {
    path: outPath(path),
    versions: versions.map(({ snapshot, entry, status }) => ({
      snapshot_id: snapshot.id,
      timestamp: iso(snapshot.created_at),
      size: entry?.size ?? null,
      label: snapshot.label,
      hash: entry ? toHex(entry.hash) : null,
      status,
    })),
  }
})

export const cat = handler(Cat, async (call, input) => {
  const { path } = input
  const snapshot = findSnapshotWithContent(call, input, input.snapshot_id)
  const { reader } = call.app.store
  const entry = findEntry(new Trees(reader).read, snapshot.tree, path)
  refuseFolder(entry, path)
  if (!entry) throw new Fault('PATH_NOT_FOUND', { path: outPath(path), snapshot_id: snapshot.id })
  const bytes = reader.get(entry.hash)
  const text = bytes.toString()
  const exact = Buffer.from(text).equals(bytes)
  return {
    snapshot_id: snapshot.id,
    path: outPath(path),
    size: bytes.length,
    hash: toHex(entry.hash),
    content: exact ? text : null,
    content_base64: exact ? null : bytes.toString('base64'),
  }
})
