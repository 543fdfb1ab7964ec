import { Fault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { ByteSink } from '../diff/byte-sink.ts'
import { type HeadedHunk, headedHunks } from '../diff/hunks.ts'
import { diffLines, type LineDiff } from '../diff/lines.ts'
import { isBinary } from '../diff/unified.ts'
import { isWithin } from '../schema/path.ts'
import type { RecordedEdit, RecordedEdits, StoredState } from './file-change.ts'

/** A part of a change that can be reverted by itself, numbered from 1 through the whole diff. */
export interface NumberedHunk {
  readonly hunk: number
  readonly path: string
  /** The header of a hunk of lines; for anything else, what happens to the file. */
  readonly head: string
}

/** Unchanged lines around a change, as in the diff that is shown. */
const CONTEXT = 3

/** The hunks as the diff of the change shows them; a file without lines to choose from is one hunk. */
export const hunksOf = ({ did }: RecordedEdits): NumberedHunk[] =>
  did
    .flatMap((one) => headsOf(one).map((head) => ({ path: outPath(one.path), head })))
    .map((piece, i) => ({ hunk: i + 1, ...piece }))

/**
 * The change reduced to these hunks: the state before it already contains all the others. The mode change of a file
 * is included only with all of its hunks.
 */
export function onlyHunks(doing: RecordedEdits, wanted: ReadonlySet<number>): RecordedEdits {
  const hunks = hunksOf(doing)
  const unknown = [...wanted].find((number) => number > hunks.length)
  if (unknown !== undefined) throw new Fault('HUNK_UNKNOWN', { hunk: unknown, hunks })
  let seen = 0
  const did = doing.did.flatMap((one) => {
    const count = headsOf(one).length
    const chosen = Array.from({ length: count }, (_, i) => wanted.has(seen + i + 1))
    seen += count
    if (chosen.every(Boolean)) return one
    return chosen.some(Boolean) ? partOf(one, chosen) : []
  })
  const folders = doing.folders.filter(({ path }) => did.some((one) => isWithin(one.path, path)))
  return { id: doing.id, did, folders }
}

function headsOf(did: RecordedEdit): string[] {
  const { before, after } = did
  if (before === undefined) return ['new file']
  if (after === undefined) return ['deleted file']
  const lines = linesOf(before, after)
  if (lines === undefined) return [before.kind === 'file' && after.kind === 'file' ? 'binary file' : 'symlink']
  const heads = headed(lines).map(({ head }) => head)
  return heads.length > 0 ? heads : ['mode']
}

const headed = (lines: LineDiff): HeadedHunk[] => [...headedHunks(lines, CONTEXT)]

/** Undefined where there are no lines to choose from. */
function linesOf(before: StoredState, after: StoredState): LineDiff | undefined {
  if (before.kind !== 'file' || after.kind !== 'file' || isBinary(before.bytes) || isBinary(after.bytes))
    return undefined
  return diffLines(before.bytes, after.bytes)
}

/** The change as if only the chosen hunks had been made. */
function partOf({ path, before, after }: RecordedEdit, chosen: readonly boolean[]): RecordedEdit {
  if (before === undefined || after === undefined) throw new Fault('INTERNAL', { problem: 'a file is one hunk' })
  const lines = diffLines(before.bytes, after.bytes)
  const { old, new: now } = lines
  const out = new ByteSink()
  let done = 0
  for (const [i, { hunk }] of headed(lines).entries()) {
    if (!chosen[i]) continue
    for (const { oldStart, oldEnd, newStart, newEnd } of hunk.changes) {
      out.addRange(now.bytes, now.bounds[done]!, now.bounds[newStart]!)
      out.addRange(old.bytes, old.bounds[oldStart]!, old.bounds[oldEnd]!)
      done = newEnd
    }
  }
  out.addRange(now.bytes, now.bounds[done]!, now.bytes.length)
  return { path, before: { ...after, bytes: out.bytes() }, after }
}
