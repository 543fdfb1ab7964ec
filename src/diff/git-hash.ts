import { crypto } from '../host/builtins.ts'

/** Git's id of a blob with these contents; `digits` selects one of its two hash functions. */
export function blobHash(bytes: Uint8Array, digits: 40 | 64 = 40): string {
  const hash = crypto().createHash(digits === 40 ? 'sha1' : 'sha256')
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/**
 * The size of the cache; the least recently used entry is evicted. The result of one edit is usually the input of the
 * next.
 */
const REMEMBERED = 64
const lately = new Map<string, string>()

/** As `blobHash`, for contents with a known SHA-256; recent results are cached. */
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
