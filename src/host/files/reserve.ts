import { join } from 'node:path'
import { crypto } from '../builtins.ts'
import { writeCache } from './durable.ts'
import { freeBytes, lstat, removeFile } from './fs.ts'

/**
 * A file that only occupies space. Removing anything needs a write to the records first. On a completely full disk the
 * reserve is deleted, which makes space for that write.
 */
const NAME = 'reserve'
const RESERVE_BYTES = 1024 * 1024
/** With less free space than this, the records cannot be written. */
const LITTLE = 512 * 1024
/** The reserve is created only if it takes at most half of the free space. */
const PLENTY = 2 * RESERVE_BYTES

/** Creates the reserve, if it is missing and there is space. Ignores errors: a later call tries again. */
export function keepReserve(home: string): void {
  const path = join(home, NAME)
  try {
    // Random bytes: a file system may compress others to nothing.
    if (lstat(path) === undefined && freeBytes(home) > PLENTY) writeCache(path, crypto().randomBytes(RESERVE_BYTES))
  } catch {
    // The disk is full, or read-only.
  }
}

/** Deletes the reserve if the disk is nearly full, before an operation that frees space. */
export function spendReserve(home: string): void {
  try {
    if (freeBytes(home) < LITTLE) removeFile(join(home, NAME))
  } catch {
    // It does not exist any more, or nothing can be deleted here.
  }
}
