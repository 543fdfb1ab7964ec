import { crypto } from '../host/builtins.ts'

/** The id git gives to a file with these contents; `digits` says which of its two hash functions. */
export function blobHash(bytes: Uint8Array, digits: 40 | 64 = 40): string {
  const hash = crypto().createHash(digits === 40 ? 'sha1' : 'sha256')
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/** So many are remembered, the oldest first: what an edit leaves is what the next one finds. */
const REMEMBERED = 64
const lately = new Map<string, string>()

/** As `blobHash`, for contents whose SHA-256 is known: of those lately asked for, without making it again. */
export function blobHashOf(sha256: string, bytes: () => Uint8Array): string {
  const hash = lately.get(sha256) ?? blobHash(bytes())
  lately.delete(sha256)
  lately.set(sha256, hash)
  for (const oldest of lately.keys()) {
    if (lately.size <= REMEMBERED) break
    lately.delete(oldest)
  }
  return hash
}
