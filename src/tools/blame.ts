import { Fault } from '../base/fault.ts'
import { bytesFromName, outPath } from '../base/quote.ts'
import { type BlameVersion, blameLines } from '../edits/blame.ts'
import { type LineageRoom, lineage } from '../edits/blame-lineage.ts'
import { lineAt, splitLines } from '../edits/split.ts'
import { lstat, readFile, readLink } from '../host/fs.ts'
import { Blame } from '../protocol/blame.ts'
import type { SnapshotRecord } from '../records/snapshots.ts'
import { foldersAbove, type RelPath } from '../schema/path.ts'
import { KIND } from '../store/tree.ts'
import { findEntry } from '../timeline/compare.ts'
import { Trees } from '../timeline/trees.ts'
import { type Call, handler } from './handler.ts'
import { findKept, findWorkspace, refuseFolder } from './place.ts'

/** A version and who made it; nobody is known to have made what is not captured yet. */
interface Step extends BlameVersion {
  readonly path: RelPath
  readonly snapshot: SnapshotRecord | undefined
}

export const blame = handler(Blame, async (call, input) => {
  const { path } = input
  const target = targetOf(call, input)
  const steps = target ? stepsTo(call, target, path) : []
  const captured = steps.at(-1)?.bytes()
  const present = input.snapshot_id === undefined ? presentBytes(findWorkspace(call, input).root, path) : undefined
  if (captured === undefined && present === undefined && target)
    refuseFolder(findEntry(new Trees(call.house.store.reader).read, target.tree, path), path)
  if (captured === undefined && present === undefined)
    throw new Fault('PATH_NOT_FOUND', { path: outPath(path), snapshot_id: target?.id ?? 'latest' })
  const isNew = present !== undefined && !(captured && Buffer.from(present).equals(captured))
  if (isNew) steps.push({ path, bytes: () => present, bringsBack: false, snapshot: undefined })
  return {
    path: outPath(path),
    snapshot_id: target?.id ?? null,
    lines: linesOf(call, steps),
    notes: [
      ...(isNew ? ['The file has changed since; lines without a snapshot are not captured yet.'] : []),
      ...(input.snapshot_id === undefined && present === undefined
        ? ['The file is deleted since; this is how the snapshot has it.']
        : []),
    ],
  }
})

/** The snapshot asked for, or the newest that is kept; undefined when there is none yet. */
function targetOf(
  call: Call,
  input: { workspace?: string | undefined; snapshot_id?: string | undefined },
): SnapshotRecord | undefined {
  if (input.snapshot_id !== undefined) return findKept(call, input, input.snapshot_id)
  return call.house.records.snapshots.before(findWorkspace(call, input).id, Number.MAX_SAFE_INTEGER)
}

function stepsTo(call: Call, target: SnapshotRecord, path: RelPath): Step[] {
  const { reader } = call.house.store
  const room: LineageRoom = {
    snapshots: call.house.records.snapshots,
    read: new Trees(reader).read,
    content: ({ hash }) => reader.get(hash),
    workspace: target.workspace,
  }
  const steps: Step[] = lineage(room, path, target.seq).map((ancestor) => ({
    path: ancestor.path,
    bytes: () => ancestor.entry && room.content(ancestor.entry),
    bringsBack: ancestor.snapshot.cause.act !== undefined,
    snapshot: ancestor.snapshot,
  }))
  const entry = findEntry(room.read, target.tree, path)
  const bytes = entry && entry.kind !== KIND.directory ? room.content(entry) : undefined
  const last = steps.at(-1)?.bytes()
  // Retention may have dropped the contents of the snapshot that made it so; its record tells who it was.
  if (bytes ? !(last && Buffer.from(bytes).equals(last)) : last)
    steps.push({ path, bytes: () => bytes, bringsBack: false, snapshot: lastToChange(room, path, target) })
  return steps
}

function lastToChange({ snapshots, workspace }: LineageRoom, path: RelPath, target: SnapshotRecord): SnapshotRecord {
  const changing = snapshots.changing(workspace, path).flatMap((id) => snapshots.get(id) ?? [])
  return (
    changing
      .filter(({ seq }) => seq <= target.seq)
      .sort((a, b) => a.seq - b.seq)
      .at(-1) ?? target
  )
}

/** What is at the path now; nothing behind a symlink, which may lead anywhere. */
function presentBytes(root: string, path: RelPath): Uint8Array | undefined {
  if (foldersAbove(path).some((folder) => !lstat(`${root}/${folder}`)?.isDirectory())) return undefined
  const at = `${root}/${path}`
  const stat = lstat(at)
  if (stat?.isSymbolicLink()) return bytesFromName(readLink(at))
  return stat?.isFile() ? readFile(at) : undefined
}

function linesOf(call: Call, steps: readonly Step[]) {
  const { doubts } = call.house.records
  const doubted = new Map(steps.map(({ snapshot }, i) => [i, snapshot ? doubts.of(snapshot.id) : []]))
  const lines = splitLines(steps.at(-1)?.bytes() ?? new Uint8Array())
  return blameLines(steps).map((writer, i) => {
    const { snapshot, path } = steps[writer] as Step
    const text = textOf(lineAt(lines, i))
    const isDoubted = doubted.get(writer)?.includes(path) ?? false
    return {
      shared: isDoubted || snapshot?.cause.shared !== undefined,
      line: i + 1,
      snapshot_id: snapshot?.id ?? null,
      session_id: snapshot?.cause.session_id ?? null,
      tool: snapshot?.cause.tool ?? null,
      prompt_id: snapshot?.cause.prompt_id ?? null,
      actor: snapshot?.cause.actor ?? null,
      source: snapshot?.source ?? null,
      path: outPath(path),
      ...(text === undefined ? {} : { text }),
    }
  })
}

function textOf(line: Uint8Array): string | undefined {
  const text = Buffer.from(line).toString()
  return Buffer.from(text).equals(line) ? text.replace(/\r?\n$/, '') : undefined
}
