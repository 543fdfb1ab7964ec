import { handler, type ToolCall } from '../app/handler.ts'
import { parseTime } from '../app/times.ts'
import { findWorkspace } from '../app/workspace-lookup.ts'
import { count } from '../base/text.ts'
import { makeScratch, removeScratch } from '../host/files/scratch.ts'
import { keyOf } from '../host/hash.ts'
import { Export } from '../protocol/export.ts'
import type { SnapshotRecord } from '../records/snapshot-record.ts'
import type { RelPath } from '../schema/path.ts'
import { compareTrees } from '../store/compare-trees.ts'
import { type Entry, KIND } from '../store/tree.ts'
import { Trees } from '../timeline/capture/trees.ts'
import {
  checkBranch,
  ExportIndex,
  type IndexEntry,
  leftAlone,
  makeBranch,
  openRepository,
  type Repository,
  refused,
  treeOf,
  writeBlobs,
  writeCommit,
} from '../timeline/history/export-git.ts'
import { authorOf, groupByPrompt, messageOf, subjectOf } from '../timeline/history/export-plan.ts'

/** What one commit changes; undefined: the file is deleted. */
interface Planned {
  readonly group: readonly SnapshotRecord[]
  readonly changes: ReadonlyMap<RelPath, Entry | undefined>
}

export const exportTool = handler(Export, async (call, input) => {
  const { root, id } = findWorkspace(call, input)
  const repository = openRepository(root)
  checkBranch(repository, input.git)
  const chosen = choose(call, id, input)
  const planned = groupByPrompt(chosen.filter(({ content }) => content)).map((group) => plan(call, group))
  const alone = leftAlone(repository, root, [...new Set(planned.flatMap(({ changes }) => [...changes.keys()]))])
  const commits = write(call, repository, planned, alone, input.message)
  const tip = commits.at(-1)
  if (tip === undefined) throw refused('nothing that was chosen differs from HEAD')
  makeBranch(repository, input.git, tip.commit)
  const dropped = chosen.filter(({ content }) => !content).length
  return {
    branch: input.git,
    commit: tip.commit,
    parent: repository.head ?? null,
    commits,
    left_out: alone.size,
    warnings:
      dropped === 0 ? [] : [`Retention has removed the contents of ${count(dropped, 'snapshot')}: not exported.`],
  }
})

/** The selected snapshots, the oldest first. */
function choose(
  call: ToolCall,
  workspace: string,
  input: { session?: string | undefined; since?: string | undefined },
): SnapshotRecord[] {
  const since = input.since === undefined ? 0 : parseTime(input.since, call.app.clock.now(), 'since')
  const isWanted = ({ cause, created_at }: SnapshotRecord): boolean =>
    created_at >= since && (input.session === undefined || cause.session_id === input.session)
  return call.app.records.snapshots.all(workspace).filter(isWanted)
}

function plan(call: ToolCall, group: readonly SnapshotRecord[]): Planned {
  const { read } = new Trees(call.app.store.reader)
  const asFile = (entry: Entry | undefined): Entry | undefined => (entry?.kind === KIND.directory ? undefined : entry)
  const changes = new Map<RelPath, Entry | undefined>()
  for (const snapshot of group)
    for (const difference of compareTrees(read, call.app.records.snapshots.baseOf(snapshot)?.tree, snapshot.tree)) {
      const [old, now] = [asFile(difference.old), asFile(difference.new)]
      if (old || now) changes.set(difference.path, now)
    }
  return { group, changes }
}

function write(
  call: ToolCall,
  repository: Repository,
  planned: readonly Planned[],
  alone: ReadonlySet<RelPath>,
  message: string | undefined,
) {
  const scratch = makeScratch('timewarp-export-')
  try {
    const index = new ExportIndex(repository, scratch)
    const blobs = new Map<string, string>()
    const commits: { commit: string; subject: string; snapshot_ids: string[] }[] = []
    let parent = repository.head
    let last = parent === undefined ? index.update([]) : treeOf(repository, parent)
    for (const [i, { group, changes }] of planned.entries()) {
      call.progress('Exporting', i, planned.length)
      const wanted = [...changes].filter(([path]) => !alone.has(path))
      storeBlobs(call, repository, wanted, blobs)
      const tree = index.update(wanted.map((change) => asIndexEntry(repository, change, blobs)))
      if (tree === last) continue
      last = tree
      const subject = subjectOf(group, message)
      const [author, at] = [authorOf(group), group.at(-1)?.created_at ?? 0]
      parent = writeCommit(repository, { tree, parent, message: messageOf(group, subject), author, at })
      commits.push({ commit: parent, subject, snapshot_ids: group.map(({ id }) => id) })
    }
    return commits
  } finally {
    removeScratch(scratch)
  }
}

type FileChange = readonly [RelPath, Entry | undefined]

/** How many bytes are handed to git at once. */
const BATCH_BYTES = 64 * 1024 * 1024

/** Stores the blobs that the repository was not given yet; `blobs` maps our hashes to git's ids. */
function storeBlobs(
  call: ToolCall,
  repository: Repository,
  changes: readonly FileChange[],
  blobs: Map<string, string>,
): void {
  const missing = new Map<string, Entry>()
  let bytes = 0
  const store = (): void => {
    const keys = [...missing.keys()]
    const ids = writeBlobs(
      repository,
      [...missing.values()].map(({ hash }) => call.app.store.reader.get(hash)),
    )
    for (const [i, key] of keys.entries()) blobs.set(key, ids[i] ?? '')
    missing.clear()
    bytes = 0
  }
  for (const [, entry] of changes) {
    if (entry === undefined || blobs.has(keyOf(entry.hash))) continue
    missing.set(keyOf(entry.hash), entry)
    bytes += entry.size
    if (bytes >= BATCH_BYTES) store()
  }
  store()
}

function asIndexEntry(
  { prefix }: Repository,
  [path, entry]: FileChange,
  blobs: ReadonlyMap<string, string>,
): IndexEntry {
  if (entry === undefined) return { path: `${prefix}${path}`, file: undefined }
  const mode = entry.kind === KIND.symlink ? '120000' : entry.mode & 0o100 ? '100755' : '100644'
  return { path: `${prefix}${path}`, file: { mode, blob: blobs.get(keyOf(entry.hash)) ?? '' } }
}
