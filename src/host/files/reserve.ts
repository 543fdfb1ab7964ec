import { join } from 'node:path'
import { crypto } from '../builtins.ts'
import { writeCache } from './durable.ts'
import { freeBytes, lstat, removeFile } from './fs.ts'

/**
 * A file that only takes up space. To remove anything, the records must be written to first; on a disk that is full to the last
 * byte the reserve goes, and what it took is there for that.
 */
const NAME = 'reserve'
const RESERVE_BYTES = 1024 * 1024
/** Less than this is too little to change the records. */
const LITTLE = 512 * 1024
/** The reserve takes at most half of what is free. */
const PLENTY = 2 * RESERVE_BYTES

/** Makes the reserve, if there is none and there is room for it. What cannot be written now is written another time. */
export function keepReserve(home: string): void {
  const path = join(home, NAME)
  try {
    // Bytes of chance: others a disk may compress to nothing.
    if (lstat(path) === undefined && freeBytes(home) > PLENTY) writeCache(path, crypto().randomBytes(RESERVE_BYTES))
  } catch {
    // The disk is full, or read-only.
  }
}

/** Gives the reserve to whoever is about to free space, if there is hardly any. */
export function spendReserve(home: string): void {
  try {
    if (freeBytes(home) < LITTLE) removeFile(join(home, NAME))
  } catch {
    // It has been spent already, or nothing can be removed here.
  }
}
