import { keyOf, sha256 } from '../store/hash.ts'
import { diffLines } from './lines.ts'
import { lineCount, splitLines } from './split.ts'

/** One state of a file on its way to the present. */
export interface BlameVersion {
  /** Undefined where there was no file. Read when needed: together the versions may be larger than memory. */
  readonly bytes: () => Uint8Array | undefined
  /** Made by a restore, undo, redo or revert: lines that are new in it come from an older version, if one has them. */
  readonly bringsBack: boolean
}

/** For each line of a version, the index of the version that wrote it, or UNKNOWN. */
type Writers = Int32Array
const UNKNOWN = -1

/**
 * Who wrote each line of the last version, as indices into `versions`, which go from the oldest to the newest.
 *
 * Unchanged lines keep their writer from version to version. A version that is as an earlier one was has the
 * writers of that one, whatever happened between them.
 */
export function blameLines(versions: readonly BlameVersion[]): number[] {
  const known: (Writers | undefined)[] = []
  const byContent = new Map<string, Writers>()
  for (const [i, version] of versions.entries()) {
    const bytes = version.bytes()
    if (bytes === undefined) {
      known.push(undefined)
      continue
    }
    const key = keyOf(sha256(bytes))
    const writers = byContent.get(key) ?? writersOf(versions, known, i, bytes)
    byContent.set(key, writers)
    known.push(writers)
  }
  return [...(known.at(-1) ?? [])]
}

function writersOf(
  versions: readonly BlameVersion[],
  known: readonly (Writers | undefined)[],
  i: number,
  bytes: Uint8Array,
): Writers {
  const writers: Writers = new Int32Array(lineCount(splitLines(bytes))).fill(UNKNOWN)
  const oldest = versions[i]?.bringsBack ? 0 : i - 1
  for (let j = i - 1; j >= oldest && j >= 0 && writers.includes(UNKNOWN); j--) {
    const [before, from] = [versions[j]?.bytes(), known[j]]
    if (before && from) carry(before, from, bytes, writers)
  }
  return writers.map((writer) => (writer === UNKNOWN ? i : writer))
}

/** Gives the lines that `after` shares with `before` the writers they had there, where they have none yet. */
function carry(before: Uint8Array, from: Writers, after: Uint8Array, to: Writers): void {
  let [i, j] = [0, 0]
  const shareUpTo = (end: number): void => {
    for (; j < end; i++, j++) if (to[j] === UNKNOWN) to[j] = from[i] ?? UNKNOWN
  }
  for (const { newStart, oldEnd, newEnd } of diffLines(before, after).changes) {
    shareUpTo(newStart)
    ;[i, j] = [oldEnd, newEnd]
  }
  shareUpTo(to.length)
}

/** Which part of the larger of two files their common lines are, from 0 to 1. */
export function likeness(a: Uint8Array, b: Uint8Array): number {
  const larger = Math.max(a.length, b.length)
  if (larger === 0) return 1
  const { new: lines, changes } = diffLines(a, b)
  const start = (line: number): number => lines.bounds[line] ?? b.length
  const changed = changes.reduce((sum, { newStart, newEnd }) => sum + start(newEnd) - start(newStart), 0)
  return (b.length - changed) / larger
}
