import { sleep } from '../host/clock.ts'
import { readFile, stat } from '../host/fs.ts'
import type { Answered, Edit } from './event.ts'

/**
 * The end of an edit, found rather than told: a client that need not run a hook for it saves the time. Only what shows that the
 * edit was made counts: while its client asks for permission, somebody else may be at the same file.
 */

export interface Waiting {
  /** Whether it still matters. */
  readonly isOpen: () => boolean
  /** What the client wrote down of its result, if it did. */
  readonly answered: () => Answered | undefined
  readonly longestMs: number
}

/** How a file is, so that it can be seen to be another. */
export function stampOf(file: string): string {
  try {
    const found = stat(file)
    return found ? [found.dev, found.ino, found.size, found.mtimeMs, found.ctimeMs].join(' ') : 'absent'
  } catch {
    return 'unknown'
  }
}

/** Waits until an edit is over. `failed`: the file has changed, but not by it. Undefined: nobody need wait any longer. */
export async function untilEdited(edit: Edit, since: string, waiting: Waiting): Promise<'done' | 'failed' | undefined> {
  const begun = performance.now()
  for (let [waited, least] = [0, 0]; waited < waiting.longestMs; waited = performance.now() - begun) {
    await sleep(Math.max(least, pauseAfter(waited)))
    if (!waiting.isOpen()) return undefined
    if (stampOf(edit.file) === since) continue
    if (isShown(edit)) return 'done'
    const answered = waiting.answered()
    if (answered) return answered.failed ? 'failed' : 'done'
    // It may be written at this moment; or it was somebody else, and there is no hurry.
    least = PAUSE.inDoubt
  }
  return undefined
}

/** Most edits are made within milliseconds; those that wait for a person's permission can be waited for with leisure. */
const PAUSE = { shortest: 4, longest: 1000, inDoubt: 50 }
const pauseAfter = (waited: number): number => Math.min(PAUSE.longest, Math.max(PAUSE.shortest, waited / 4))

/** More than anybody edits. */
const LARGEST = 16 << 20

/** Of anything but a file it cannot be told; to read a pipe would be to wait for its writer. */
function isShown({ file, shows }: Edit): boolean {
  try {
    const found = stat(file)
    const bytes = found?.isFile() && found.size <= LARGEST ? readFile(file) : undefined
    return bytes !== undefined && shows(bytes)
  } catch {
    return false
  }
}
