/**
 * A three-way merge, line by line, with the result of `git merge-file`.
 *
 * Each side is compared with the base. Changes of both sides that overlap, or are adjacent without an unchanged line
 * between them, belong together; unless they are equal they are a conflict.
 */

import { ByteSink } from './byte-sink.ts'
import { diffLines, type LineChange, type LineDiff } from './lines.ts'
import { type Lines, lineCount } from './split.ts'
import { isBinary } from './unified.ts'

/** A piece of one of the three texts. */
export interface MergePart {
  /** Its first line, counted from 1; if it is empty, the line after it. */
  readonly line: number
  readonly lines: number
  readonly bytes: Uint8Array
}

/** A place where both sides make different changes. */
export interface MergeConflict {
  readonly base: MergePart
  readonly ours: MergePart
  readonly theirs: MergePart
}

export type Merged =
  | { readonly bytes: Uint8Array }
  /** `forced` is the merge with the lines of `theirs` at every conflict. */
  | { readonly conflicts: readonly MergeConflict[]; readonly forced: Uint8Array }

/** Binary contents count as one line: they merge only when one side is unchanged, or both are equal. */
export function mergeBytes(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array): Merged {
  if (isSame(ours, theirs) || isSame(base, theirs)) return { bytes: ours }
  if (isSame(base, ours)) return { bytes: theirs }
  if ([base, ours, theirs].some(isBinary)) return whole(base, ours, theirs)
  return mergeLines(diffLines(base, ours, 'down'), diffLines(base, theirs, 'down'))
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

function whole(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array): Merged {
  const part = (bytes: Uint8Array): MergePart => ({ line: 1, lines: 1, bytes })
  return { conflicts: [{ base: part(base), ours: part(ours), theirs: part(theirs) }], forced: theirs }
}

function mergeLines(ours: LineDiff, theirs: LineDiff): Merged {
  const out = new ByteSink()
  const conflicts: MergeConflict[] = []
  let done = 0
  for (const region of regionsOf(ours.changes, theirs.changes)) {
    addLines(out, ours.old, done, region.start)
    done = region.end
    const [own, other] = [sideIn(region, region.ours), sideIn(region, region.theirs)]
    const [ourPart, theirPart] = [partOf(ours.new, ...own), partOf(theirs.new, ...other)]
    const isTheirs = region.theirs.length > 0
    out.add((isTheirs ? theirPart : ourPart).bytes)
    if (isTheirs && region.ours.length > 0 && !isSame(ourPart.bytes, theirPart.bytes))
      conflicts.push({ base: partOf(ours.old, region.start, region.end), ours: ourPart, theirs: theirPart })
  }
  addLines(out, ours.old, done, lineCount(ours.old))
  return conflicts.length === 0 ? { bytes: out.bytes() } : { conflicts, forced: out.bytes() }
}

/** Lines of the base, counted from 0, that are changed together. */
interface Region {
  readonly start: number
  end: number
  readonly ours: LineChange[]
  readonly theirs: LineChange[]
}

function regionsOf(ours: readonly LineChange[], theirs: readonly LineChange[]): Region[] {
  const regions: Region[] = []
  for (let i = 0, j = 0; i < ours.length || j < theirs.length; ) {
    const isOurs = j >= theirs.length || (i < ours.length && ours[i]!.oldStart <= theirs[j]!.oldStart)
    const change = isOurs ? ours[i++]! : theirs[j++]!
    const last = regions.at(-1)
    const region = last && change.oldStart <= last.end ? last : undefined
    const { oldStart: start, oldEnd: end } = change
    if (region) region.end = Math.max(region.end, end)
    const joined = region ?? { start, end, ours: [], theirs: [] }
    ;(isOurs ? joined.ours : joined.theirs).push(change)
    if (!region) regions.push(joined)
  }
  return regions
}

/** The lines of a side that correspond to the region. Unused when the side has no change there. */
function sideIn({ start, end }: Region, changes: readonly LineChange[]): [number, number] {
  const [first, last] = [changes[0], changes.at(-1)]
  if (!first || !last) return [0, 0]
  return [first.newStart - (first.oldStart - start), last.newEnd + (end - last.oldEnd)]
}

function partOf({ bytes, bounds }: Lines, start: number, end: number): MergePart {
  return { line: start + 1, lines: end - start, bytes: bytes.subarray(bounds[start], bounds[end]) }
}

const addLines = (out: ByteSink, { bytes, bounds }: Lines, start: number, end: number): void =>
  out.addRange(bytes, bounds[start]!, bounds[end]!)
