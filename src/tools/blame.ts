import type { z } from 'zod'
import { handler, type ToolCall } from '../app/handler.ts'
import { findSnapshotWithContent, findWorkspace, refuseFolder } from '../app/workspace-lookup.ts'
import { Fault } from '../base/fault.ts'
import { bytesFromName, outPath } from '../base/quote.ts'
import { firstLine } from '../base/visible.ts'
import { lineAt, splitLines } from '../diff/split.ts'
import { lstat, readFile, readLink } from '../host/files/fs.ts'
import { Blame } from '../protocol/blame.ts'
import type { SnapshotRecord } from '../records/snapshot-record.ts'
import { certaintyOf } from '../schema/cause.ts'
import { foldersAbove, type RelPath } from '../schema/path.ts'
import { findEntry } from '../store/compare-trees.ts'
import { KIND } from '../store/tree.ts'
import { Trees } from '../timeline/capture/trees.ts'
import { type BlameVersion, blameLines } from '../timeline/history/blame.ts'
import { type LineageContext, lineage } from '../timeline/history/blame-lineage.ts'
import { candidatesOf } from './candidates.ts'

/** A version of the file and the snapshot that made it; undefined for what is not captured yet. */
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
    refuseFolder(findEntry(new Trees(call.app.store.reader).read, target.tree, path), path)
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

/** The requested snapshot, or the newest whose contents are kept; undefined when there is none yet. */
function targetOf(
  call: ToolCall,
  input: { workspace?: string | undefined; snapshot_id?: string | undefined },
): SnapshotRecord | undefined {
  if (input.snapshot_id !== undefined) return findSnapshotWithContent(call, input, input.snapshot_id)
  return call.app.records.snapshots.before(findWorkspace(call, input).id, Number.MAX_SAFE_INTEGER)
}

function stepsTo(call: ToolCall, target: SnapshotRecord, path: RelPath): Step[] {
  const { reader } = call.app.store
  const ctx: LineageContext = {
    snapshots: call.app.records.snapshots,
    read: new Trees(reader).read,
    content: ({ hash }) => reader.get(hash),
    workspace: target.workspace,
  }
  const steps: Step[] = lineage(ctx, path, target.seq).map((ancestor) => ({
    path: ancestor.path,
    bytes: () => ancestor.entry && ctx.content(ancestor.entry),
    bringsBack: ancestor.snapshot.cause.act !== undefined,
    snapshot: ancestor.snapshot,
  }))
  const entry = findEntry(ctx.read, target.tree, path)
  const bytes = entry && entry.kind !== KIND.directory ? ctx.content(entry) : undefined
  const last = steps.at(-1)?.bytes()
  // Retention may have dropped the contents of the snapshot that made this version; its record still names the author.
  if (bytes ? !(last && Buffer.from(bytes).equals(last)) : last)
    steps.push({ path, bytes: () => bytes, bringsBack: false, snapshot: lastToChange(ctx, path, target) })
  return steps
}

function lastToChange({ snapshots, workspace }: LineageContext, path: RelPath, target: SnapshotRecord): SnapshotRecord {
  const changing = snapshots.changing(workspace, path).flatMap((id) => snapshots.get(id) ?? [])
  return (
    changing
      .filter(({ seq }) => seq <= target.seq)
      .sort((a, b) => a.seq - b.seq)
      .at(-1) ?? target
  )
}

/** The bytes at the path now; undefined behind a symlinked folder, which may lead anywhere. */
function presentBytes(root: string, path: RelPath): Uint8Array | undefined {
  if (foldersAbove(path).some((folder) => !lstat(`${root}/${folder}`)?.isDirectory())) return undefined
  const at = `${root}/${path}`
  const stat = lstat(at)
  if (stat?.isSymbolicLink()) return bytesFromName(readLink(at))
  return stat?.isFile() ? readFile(at) : undefined
}

function linesOf(call: ToolCall, steps: readonly Step[]) {
  const { doubts } = call.app.records
  const doubted = new Map(steps.map(({ snapshot }, i) => [i, snapshot ? doubts.of(snapshot.id) : []]))
  const writers = new Map<number, Writer>()
  const whoWrote = (writer: number, { snapshot, path }: Step): Writer => {
    if (snapshot === undefined) return NOBODY
    const isDoubted = doubted.get(writer)?.includes(path) ?? false
    const who = writers.get(writer) ?? writerOf(call, snapshot, isDoubted)
    writers.set(writer, who)
    return who
  }
  const lines = splitLines(steps.at(-1)?.bytes() ?? new Uint8Array())
  return blameLines(steps).map((writer, i) => {
    const step = steps[writer] as Step
    const { snapshot, path } = step
    const text = textOf(lineAt(lines, i))
    return {
      line: i + 1,
      snapshot_id: snapshot?.id ?? null,
      ...whoWrote(writer, step),
      path: outPath(path),
      ...(text === undefined ? {} : { text }),
    }
  })
}

type Writer = Omit<z.output<typeof Blame.output>['lines'][number], 'line' | 'snapshot_id' | 'path' | 'text'>

const NOBODY: Writer = {
  session_id: null,
  client: null,
  tool: null,
  prompt_id: null,
  prompt: null,
  actor: null,
  source: null,
  certainty: null,
  shared: false,
  shared_by: [],
  already_there: false,
}

/**
 * The contents of a workspace's first snapshot were there before: they have no known author, whichever session took the
 * snapshot.
 */
function writerOf(call: ToolCall, { base, cause, source, workspace }: SnapshotRecord, isDoubted: boolean): Writer {
  if (base === null) return { ...NOBODY, source, already_there: true }
  const { sessions, prompts } = call.app.records
  const { session_id = null, prompt_id = null, tool = null, actor = null } = cause
  const certainty = isDoubted ? 'shared' : (certaintyOf(cause) ?? null)
  const asked = prompt_id === null ? undefined : prompts.get(workspace, prompt_id)?.text
  return {
    session_id,
    tool,
    prompt_id,
    actor,
    source,
    certainty,
    client: session_id === null ? null : (sessions.get(workspace, session_id)?.client ?? null),
    prompt: asked === undefined ? null : firstLine(asked),
    shared: certainty === 'shared',
    shared_by: candidatesOf(call, workspace, cause),
    already_there: false,
  }
}

function textOf(line: Uint8Array): string | undefined {
  const text = Buffer.from(line).toString()
  return Buffer.from(text).equals(line) ? text.replace(/\r?\n$/, '') : undefined
}
