import { sleep } from '../../host/clock.ts'
import { readRegular, type Stat, stat } from '../../host/files/fs.ts'
import { sha256 } from '../../host/hash.ts'
import type { Answered } from '../clients/event.ts'

/**
 * The end of an edit, found rather than told: a client that need not run a hook for it saves the time. Only what shows that the
 * edit was made counts: while its client asks for permission, somebody else may be at the same file.
 */

export interface AwaitedEdit {
  readonly file: string
  /** How the file was before. */
  readonly stamp: string
  /** What it holds afterwards, where that is known. */
  readonly made?: WrittenContent | undefined
}

/** The content of a file, by which it is known again. */
export interface WrittenContent {
  readonly bytes: number
  /** SHA-256, in hex. */
  readonly hash: string
}

export interface AwaitedEnd {
  /** Whether it still matters. */
  readonly isOpen: () => boolean
  /** What the client wrote down of its result, if it did. */
  readonly answered: () => Answered | undefined
  readonly longestMs: number
}

export const madeOf = (bytes: Buffer): WrittenContent => ({ bytes: bytes.length, hash: sha256(bytes).toString('hex') })

/** How a file is, so that it can be seen to be another. */
export function stampOf(file: string): string {
  const found = statOf(file)
  return found ? [found.dev, found.ino, found.size, found.mtimeMs, found.ctimeMs].join(' ') : 'absent'
}

/** Undefined when there is nothing, or nobody may look. */
function statOf(file: string): Stat | undefined {
  try {
    return stat(file)
  } catch {
    return undefined
  }
}

/** Waits until an edit is over. `doubtful`: its file may have changed, but not by it. Undefined: nobody need wait any longer. */
export async function untilEdited(
  { file, stamp, made }: AwaitedEdit,
  { isOpen, answered, longestMs }: AwaitedEnd,
): Promise<'done' | 'doubtful' | undefined> {
  const begun = performance.now()
  let [seen, asked] = [stamp, 0]
  for (let waited = 0; waited < longestMs; waited = performance.now() - begun) {
    await sleep(pauseAfter(waited))
    if (!isOpen()) return undefined
    const now = stampOf(file)
    if (now !== seen && made && isMade(file, made)) return 'done'
    seen = now
    if (waited - asked < ASK_MS) continue
    asked = waited
    const answer = answered()
    if (answer) return answer.failed || isLaterThan(file, answer.at) ? 'doubtful' : 'done'
  }
  return undefined
}

/** Most edits are made within milliseconds. After a person's permission, the same person may be at the file soon. */
const PAUSE = { shortest: 4, longest: 50 }
export const pauseAfter = (waited: number): number => Math.min(PAUSE.longest, Math.max(PAUSE.shortest, waited / 4))

/** Whether a file has changed since. The clock of the disk is a little behind. */
const isLaterThan = (file: string, at: number | undefined): boolean => {
  const changed = statOf(file)?.ctimeMs
  return at !== undefined && changed !== undefined && changed > at + 20
}

/** What clients write down is long, and comes a moment later. */
const ASK_MS = 500

const isMade = (file: string, { bytes, hash }: WrittenContent): boolean => {
  const found = readRegular(file, bytes)
  return found?.length === bytes && sha256(found).toString('hex') === hash
}
