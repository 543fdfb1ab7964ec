import { appendCache, writeCache } from '../../host/files/durable.ts'
import { errorCode } from '../../host/files/fs.ts'
import { encodeAddition, encodeScanIndex, type ScanFacts, type ScanIndex } from './scan-index.ts'
import type { ScanState } from './scan-result.ts'

/** Additions may make the index file this much longer before it is rewritten. */
const SLACK = 1.25

/**
 * Saves a state for the next scan to start from. If only records of known folders differ, they are appended to the
 * file: rewriting all of it costs more than the rest of a small capture.
 */
export function saveScan(file: string, { last, folders, rules, epoch, hasSkipped }: ScanState): void {
  const facts = { rules, epoch, ...folders.totals(), hasSkipped }
  const changed = last && folders.patchOf(last)
  if (last && changed && add(file, last, facts, changed)) return
  writeCache(file, encodeScanIndex(facts, [...folders.all()]))
}

function add(file: string, last: ScanIndex, facts: ScanFacts, changed: Map<number, Uint8Array>): boolean {
  if (!last.file) return false
  for (const i of last.patched) if (!changed.has(i)) changed.set(i, last.folderAt(i))
  const bytes = encodeAddition(facts, changed)
  if (last.file.length + bytes.length > SLACK * last.length) return false
  try {
    const added = appendCache(file, bytes, last.file)
    if (added) last.file = { ino: last.file.ino, length: last.file.length + bytes.length }
    return added
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}
