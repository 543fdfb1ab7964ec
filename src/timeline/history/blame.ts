import { diffLines, type LineDiff } from '../../diff/lines.ts'
import { type Lines, lineAt, lineCount, splitLines } from '../../diff/split.ts'
import { keyOf, sha256 } from '../../host/hash.ts'

/** One version of a file's content. */
export interface BlameVersion {
  /** Undefined where the file did not exist. Read only when needed: together the versions may be larger than memory. */
  readonly bytes: () => Uint8Array | undefined
  /** Made by a restore, undo, redo or revert: its new lines are attributed to an older version, if one has them. */
  readonly bringsBack: boolean
}

/** For each line of a version, the index of the version that wrote it, or UNKNOWN. */
type Writers = Int32Array
const UNKNOWN = -1

/**
 * The version that wrote each line of the last version, as indices into `versions`, which are ordered from the oldest.
 *
 * Unchanged lines keep their writer from version to version. A version with the same content as an earlier one has the
 * same writers, whatever happened in between.
 */
export function blameLines(versions: readonly BlameVersion[]): number[] {
  const walk = new Walk(versions)
  for (const i of versions.keys()) walk.visit(i)
  return [...(walk.writers.at(-1) ?? [])]
}

class Walk {
  readonly #versions: readonly BlameVersion[]
  /** The writers of each version visited; undefined where the file did not exist. */
  readonly writers: (Writers | undefined)[] = []
  readonly #byContent = new Map<string, Writers>()
  /** For each deleted line, the last version that had it. */
  readonly #lastWith = new Map<string, number>()

  constructor(versions: readonly BlameVersion[]) {
    this.#versions = versions
  }

  visit(i: number): void {
    const before = this.#versions[i - 1]?.bytes()
    const bytes = this.#versions[i]?.bytes()
    const diff = before && diffLines(before, bytes ?? new Uint8Array())
    if (diff) this.#remember(diff, i - 1)
    this.writers.push(bytes && this.#writersOf(i, bytes, diff))
  }

  #remember({ old, changes }: LineDiff, i: number): void {
    for (const { oldStart, oldEnd } of changes)
      for (let line = oldStart; line < oldEnd; line++) this.#lastWith.set(keyOf(lineAt(old, line)), i)
  }

  #writersOf(i: number, bytes: Uint8Array, diff: LineDiff | undefined): Writers {
    const content = keyOf(sha256(bytes))
    const found = this.#byContent.get(content) ?? this.#traced(i, bytes, diff)
    this.#byContent.set(content, found)
    return found
  }

  #traced(i: number, bytes: Uint8Array, diff: LineDiff | undefined): Writers {
    const lines = splitLines(bytes)
    const writers: Writers = new Int32Array(lineCount(lines)).fill(UNKNOWN)
    const from = this.writers[i - 1]
    if (diff && from) carry(diff, from, writers)
    if (this.#versions[i]?.bringsBack) this.#lookBack(lines, writers)
    return writers.map((writer) => (writer === UNKNOWN ? i : writer))
  }

  /** Attributes lines that are new here to the versions that had them last, beginning with the newest of these. */
  #lookBack(lines: Lines, writers: Writers): void {
    const lastWith = (line: number): number[] =>
      writers[line] === UNKNOWN ? [this.#lastWith.get(keyOf(lineAt(lines, line))) ?? UNKNOWN] : []
    const places = new Set([...writers.keys()].flatMap(lastWith))
    for (const place of [...places].sort((a, b) => b - a)) {
      const [before, from] = [this.#versions[place]?.bytes(), this.writers[place]]
      if (before && from) carry(diffLines(before, lines.bytes), from, writers)
    }
  }
}

/** Copies the writers of the lines that two versions share from the older one, for lines that have none yet. */
function carry({ changes }: LineDiff, from: Writers, to: Writers): void {
  let [i, j] = [0, 0]
  const shareUpTo = (end: number): void => {
    for (; j < end; i++, j++) if (to[j] === UNKNOWN) to[j] = from[i] ?? UNKNOWN
  }
  for (const { newStart, oldEnd, newEnd } of changes) {
    shareUpTo(newStart)
    ;[i, j] = [oldEnd, newEnd]
  }
  shareUpTo(to.length)
}

/** The share of the larger file that the common lines make up, from 0 to 1. */
export function likeness(a: Uint8Array, b: Uint8Array): number {
  const larger = Math.max(a.length, b.length)
  if (larger === 0) return 1
  const { new: lines, changes } = diffLines(a, b)
  const start = (line: number): number => lines.bounds[line] ?? b.length
  const changed = changes.reduce((sum, { newStart, newEnd }) => sum + start(newEnd) - start(newStart), 0)
  return (b.length - changed) / larger
}
