import type { z } from 'zod'
import { actorOf } from '../app/actor.ts'
import { type Handler, handler, type ToolCall } from '../app/handler.ts'
import { recoverFirst, refuseWhenBlocked } from '../app/recovery.ts'
import { recordedInput, recordedText } from '../app/tool-input.ts'
import { pruneLater } from '../app/upkeep.ts'
import { captureContext, requestedRoot, type WorkspaceSelector, workspaceOrNew } from '../app/workspace-lookup.ts'
import { Fault } from '../base/fault.ts'
import { lazily } from '../base/lazily.ts'
import { bytesFromBase64, count } from '../base/text.ts'
import { applyPatch } from '../diff/patch/apply.ts'
import { parsePatch } from '../diff/patch/parse.ts'
import type { EditOp } from '../edits/ops.ts'
import { planEdits } from '../edits/plan.ts'
import { contentHash, type PresentFiles as Seen } from '../edits/plan-draft.ts'
import type { Plan } from '../edits/plan-outcome.ts'
import type { ApplyDiff } from '../edits/plan-patch.ts'
import { type Preview, previewOf } from '../edits/plan-preview.ts'
import { fromHex, toHex } from '../host/hash.ts'
import {
  ApplyEditBlock,
  ApplyEdits,
  ApplyRangedEdit,
  ApplyUnifiedDiff,
  ApplyWholeFileEdit,
  CreateDirectory,
  Delete,
  type EditAnswer,
  Rename,
} from '../protocol/edits.ts'
import type { Spec } from '../protocol/spec.ts'
import type { Cause } from '../schema/cause.ts'
import type { RelPath } from '../schema/path.ts'
import { type Entry, KIND } from '../store/tree.ts'
import { change, type Decide, type Outcome, type PresentTree, previewChange } from '../timeline/restore/change.ts'
import type { TreeEdits } from '../timeline/restore/tree-edits.ts'
import type { Workspace } from '../timeline/workspace/workspace.ts'
import { diffFields } from './diff-text.ts'
import { refuseLinks, stakeOf } from './edit-paths.ts'
import { removal, targetEntry } from './target-entries.ts'

interface Common extends WorkspaceSelector {
  readonly session_id?: string | undefined
  readonly actor?: string | undefined
  readonly description?: string | undefined
  readonly dry_run: boolean
}

/** A handler for a tool whose input is a single operation. */
const single = <I extends z.ZodObject, O extends z.ZodObject>(spec: Spec<I, O>, op: EditOp['op']): Handler<I, O> =>
  handler(spec, async (call, input) => {
    const { workspace: _w, session_id: _s, actor: _a, description: _d, dry_run: _r, ...rest } = input as Common
    return (await edit(call, spec.name, input as Common, [{ op, ...rest } as EditOp])) as z.output<O>
  })

export const applyEditBlock = single(ApplyEditBlock, 'block')
export const applyWholeFileEdit = single(ApplyWholeFileEdit, 'whole')
export const applyRangedEdit = single(ApplyRangedEdit, 'ranged')
export const applyUnifiedDiff = single(ApplyUnifiedDiff, 'diff')
export const remove = single(Delete, 'delete')
export const createDirectory = single(CreateDirectory, 'create_directory')
export const rename = single(Rename, 'rename')
export const applyEdits = handler(ApplyEdits, (call, input) => edit(call, ApplyEdits.name, input, input.edits))

/** Plans the edits, and applies the plan unless it is a dry run: all of it or nothing. */
async function edit(call: ToolCall, tool: string, input: Common, ops: readonly EditOp[]): Promise<EditAnswer> {
  refuseLinks(requestedRoot(call, input), ops)
  const { workspace, isNew } = workspaceOrNew(call, input)
  const recovered = await recoverFirst(call, workspace)
  const ctx = captureContext(call)
  const notes: string[] = [...(isNew ? [`${workspace.root} was not a workspace yet; now it is`] : []), ...recovered]
  const decide: Decide<Preview> = (present) => {
    const plan = planEdits(ops, seenIn(present), applying(notes))
    notes.push(...plan.warnings)
    const preview = previewOf(plan)
    return { wishes: wishesOf(plan), linesChanged: () => preview.lines_added + preview.lines_removed, detail: preview }
  }
  if (input.dry_run) return answerOf(await previewChange(ctx, workspace, decide), notes)
  refuseWhenBlocked(call, workspace)
  const outcome = await change(ctx, workspace, {
    act: 'edit',
    also: stakeOf(ops),
    decide,
    after: { source: 'edit', cause: causeOf(call, workspace, tool, input, ops), ...described(workspace, input) },
  })
  pruneLater(call, workspace)
  return answerOf(outcome, notes)
}

const described = ({ root }: Workspace, { description }: Common): { description?: string } =>
  description ? { description: recordedText(root, description) } : {}

const causeOf = (call: ToolCall, workspace: Workspace, tool: string, input: Common, ops: readonly EditOp[]): Cause => ({
  role: 'change',
  tool,
  tool_input: recordedInput(workspace.root, ops.map(withoutBytes)),
  ...actorOf(call, workspace, input),
})

/** Binary contents cannot be searched for secrets, so they are not recorded; they are in the snapshot. */
const withoutBytes = (op: EditOp): object =>
  Object.fromEntries(
    Object.entries(op).map(([key, value]) =>
      key.endsWith('_base64') && typeof value === 'string'
        ? [key, `(${count(bytesFromBase64(value).length, 'byte')})`]
        : [key, value],
    ),
  )

function answerOf({ detail, changed }: Outcome<Preview>, warnings: string[]): EditAnswer {
  const { diff, affected_files, lines_added, lines_removed, hashes } = detail
  const { diff: preview_diff, diff_base64 } = diffFields(diff)
  return {
    snapshot_id: changed?.after.id ?? null,
    base_id: changed?.before.id ?? null,
    affected_files: [...affected_files],
    preview_diff,
    ...(diff_base64 === undefined ? {} : { preview_diff_base64: diff_base64 }),
    lines_added,
    lines_removed,
    hashes: { ...hashes },
    warnings,
    dry_run: changed === undefined,
  }
}

const applying =
  (notes: string[]): ApplyDiff =>
  (diff, read) => {
    const patch = parsePatch(diff)
    if (patch.files.length === 0) throw new Fault('PATCH_BAD', { line: 1, problem: 'there is no diff in this text' })
    const { files, offsets } = applyPatch(patch, read)
    for (const { path, hunk, offset } of offsets)
      notes.push(
        `hunk ${hunk} of ${path} was applied ${Math.abs(offset)} lines ${offset > 0 ? 'further down' : 'further up'}`,
      )
    return files
  }

/** The captured state in the form that the planner reads. */
const seenIn = (present: PresentTree): Seen => ({
  read: (path) => {
    const entry = present.entry(path)
    if (entry === undefined) return undefined
    if (entry.kind === KIND.directory) return { kind: 'directory', mode: entry.mode }
    return contentIn(present, path, entry)
  },
  list: (folder) => {
    const entry = folder === '' ? undefined : present.entry(folder)
    const tree = folder === '' ? present.tree : entry?.hash
    return tree ? present.trees.read(tree).map(({ name }) => name) : []
  },
})

function contentIn(present: PresentTree, path: RelPath, entry: Entry) {
  const bytes = lazily(() => present.bytes(path, entry))
  return {
    kind: entry.kind === KIND.symlink ? ('symlink' as const) : ('file' as const),
    mode: entry.mode,
    hash: toHex(entry.hash),
    get bytes(): Uint8Array {
      return bytes()
    },
  }
}

/** Removals first, then folders, then files: where paths overlap, the later edit wins. */
const wishesOf = ({ changes, make, remove: going }: Plan): TreeEdits[] => [
  ...changes.filter(({ after }) => after === undefined).map(({ path }) => removal(path)),
  ...going.map(removal),
  ...make.map(({ path, mode }): TreeEdits => ({ path, wish: { kind: 'directory', mode } })),
  ...changes.flatMap(({ path, after }) => (after ? targetEntry(path, after, fromHex(contentHash(after))) : [])),
]
