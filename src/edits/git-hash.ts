import { createHash } from 'node:crypto'

/** The id git gives to a file with these contents; `digits` says which of its two hash functions. */
export function blobHash(bytes: Uint8Array, digits: 40 | 64 = 40): string {
  const hash = createHash(digits === 40 ? 'sha1' : 'sha256')
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
