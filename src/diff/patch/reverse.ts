import { Fault } from '../../base/fault.ts'
import {
  type FilePatch,
  type Patch,
  type PatchBody,
  type PatchChange,
  type PatchHunk,
  type PatchLine,
  pathOf,
} from './patch.ts'

/** The patch that reverts `patch`. Reversing twice gives the patch itself. Throws `PATCH_BAD`. */
export function reversePatch(patch: Patch): Patch {
  const files = patch.files.map(reverseFile)
  if (!hasSequel(patch)) return { ...patch, files }
  const leads = files.map(({ lead }) => lead)
  return { ...patch, files: files.reverse().map((file, i) => ({ ...file, lead: leads[i]! })) }
}

/** Whether a path occurs in more than one change: then the order matters. */
function hasSequel({ files }: Patch): boolean {
  const paths = files.flatMap((file) => [...new Set([file.old.path ?? file.new.path, pathOf(file)])])
  return new Set(paths).size < paths.length
}

const MARKS = { ' ': ' ', '-': '+', '+': '-' } as const
const CHANGES: Readonly<Record<Exclude<PatchChange, 'copied'>, PatchChange>> = {
  added: 'deleted',
  deleted: 'added',
  modified: 'modified',
  renamed: 'renamed',
}

function reverseFile(file: FilePatch): FilePatch {
  if (file.change === 'copied')
    throw new Fault('PATCH_BAD', { line: file.line, problem: 'a copy cannot be reversed: the patch has not all of it' })
  return {
    ...file,
    change: CHANGES[file.change],
    old: { ...file.new, prefix: file.old.prefix },
    new: { ...file.old, prefix: file.new.prefix },
    body: reverseBody(file),
  }
}

function reverseBody({ body, line }: FilePatch): PatchBody {
  if (body.kind === 'text') return { kind: 'text', hunks: body.hunks.map(reverseHunk) }
  if (body.kind !== 'binary') return body
  if (!body.backward)
    throw new Fault('PATCH_BAD', { line, problem: 'it has only the new contents of a binary file, not the old ones' })
  return { kind: 'binary', forward: body.backward, backward: body.forward }
}

export const reverseHunk = ({ oldStart, newStart, heading, lines }: PatchHunk): PatchHunk => ({
  oldStart: newStart,
  newStart: oldStart,
  heading,
  lines: removedFirst(lines.map(({ mark, bytes }) => ({ mark: MARKS[mark], bytes }))),
})

/** Within lines that replace each other, the removed ones come first, as is customary. */
function removedFirst(lines: readonly PatchLine[]): PatchLine[] {
  const ordered: PatchLine[] = []
  let added: PatchLine[] = []
  let removed = false
  for (const line of lines) {
    if (line.mark === ' ' || (line.mark === '+' && removed)) {
      for (const each of added) ordered.push(each)
      added = []
      removed = false
    }
    if (line.mark === '+') added.push(line)
    else ordered.push(line)
    if (line.mark === '-') removed = true
  }
  return ordered.concat(added)
}
