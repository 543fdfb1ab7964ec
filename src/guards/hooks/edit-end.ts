import { sleep } from '../../host/clock.ts'
import { readRegular, type Stat, stat } from '../../host/files/fs.ts'
import { sha256 } from '../../host/hash.ts'
import type { Answered } from '../clients/event.ts'

/**
 * Detects the end of an edit instead of waiting for a report: a client that runs no hook for it saves time. Only
 * evidence that the edit was made counts: while the client asks for permission, something else may change the same
 * file.
 */

export interface AwaitedEdit {
  readonly file: string
  /** The stat values of the file before the edit. */
  readonly stamp: string
  /** The content after the edit, if it is known. */
  readonly made?: WrittenContent | undefined
}

/** Identifies the content of a file. */
export interface WrittenContent {
  readonly bytes: number
  /** SHA-256, in hex. */
  readonly hash: string
}

export interface AwaitedEnd {
  /** Whether the call is still open. */
  readonly isOpen: () => boolean
  /** The result in the client's transcript, if it is there. */
  readonly answered: () => Answered | undefined
  readonly longestMs: number
}

export const madeOf = (bytes: Buffer): WrittenContent => ({ bytes: bytes.length, hash: sha256(bytes).toString('hex') })

/** The stat values of a file, to detect a change. */
export function stampOf(file: string): string {
  const found = statOf(file)
  return found ? [found.dev, found.ino, found.size, found.mtimeMs, found.ctimeMs].join(' ') : 'absent'
}

/** Undefined when there is no file, or it may not be read. */
function statOf(file: string): Stat | undefined {
  try {
    return stat(file)
  } catch {
    return undefined
  }
}

/**
 * Waits until an edit is over. `doubtful`: its file may have changed, but not by the edit. Undefined: the call is
 * closed or the time is up.
 */
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

/**
 * Most edits are made within milliseconds. The longest pause is short, too: a person who has just given permission may
 * change the file soon after.
 */
const PAUSE = { shortest: 4, longest: 50 }
export const pauseAfter = (waited: number): number => Math.min(PAUSE.longest, Math.max(PAUSE.shortest, waited / 4))

/** Whether a file changed after a moment. File times lag a little behind the clock. */
const isLaterThan = (file: string, at: number | undefined): boolean => {
  const changed = statOf(file)?.ctimeMs
  return at !== undefined && changed !== undefined && changed > at + 20
}

/** How often the transcript is read: it is long, and written with a delay. */
const ASK_MS = 500

const isMade = (file: string, { bytes, hash }: WrittenContent): boolean => {
  const found = readRegular(file, bytes)
  return found?.length === bytes && sha256(found).toString('hex') === hash
}
