import { lstat, readFile } from '../../host/files/fs.ts'
import { sha256, toHex } from '../../host/hash.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import type { Fingerprint } from '../../records/travels.ts'
import { joinPath, type RelPath, ROOT } from '../../schema/path.ts'
import { compareTrees, isChange, type ReadTree } from '../../store/compare-trees.ts'
import { type Entry, KIND } from '../../store/tree.ts'

/** Compares the present after a journey with the present before it. */

const SAMPLES = 16
/** Only files up to this size are sampled: they are hashed again after the return. */
const SAMPLED_BYTES = 4 * 1024 * 1024

export const fingerprintOf = (read: ReadTree, { files, bytes, tree }: SnapshotRecord): Fingerprint => ({
  files,
  bytes,
  tree: toHex(tree),
  samples: sampled(read, tree),
})

/** Some files from all over the tree. Reads only the folders on the way to them. */
function sampled(read: ReadTree, tree: Uint8Array): { path: RelPath; sha256: string }[] {
  const found = new Map<RelPath, string>()
  for (let i = 0; i < SAMPLES; i++) {
    const one = descend(read, tree, i)
    if (one && one.entry.size <= SAMPLED_BYTES) found.set(one.path, toHex(one.entry.hash))
  }
  return [...found].map(([path, hash]) => ({ path, sha256: hash }))
}

/** A file deep in the tree; `turn` decides which entry is taken in every folder. */
function descend(read: ReadTree, tree: Uint8Array, turn: number): { path: RelPath; entry: Entry } | undefined {
  let [at, path] = [tree, ROOT]
  for (;;) {
    const entries = read(at, path).filter(({ kind }) => kind !== KIND.symlink)
    const entry = entries[Math.floor((entries.length * (turn + 0.5)) / SAMPLES)] ?? entries[0]
    if (entry === undefined) return undefined
    path = joinPath(path, entry.name)
    if (entry.kind === KIND.file) return { path, entry }
    at = entry.hash
  }
}

/** Paths where the present differs from what it was: by the trees, and by the bytes of the samples on disk. */
export function differencesFrom(
  read: ReadTree,
  root: string,
  before: { readonly fingerprint: Fingerprint | null; readonly tree: Uint8Array },
  now: Uint8Array,
): RelPath[] {
  const paths = new Set([...compareTrees(read, before.tree, now)].filter(isChange).map(({ path }) => path))
  for (const { path, sha256: hash } of before.fingerprint?.samples ?? []) {
    const at = `${root}/${path}`
    const bytes = lstat(at)?.isFile() ? readFile(at) : undefined
    if (bytes === undefined || toHex(sha256(bytes)) !== hash) paths.add(path)
  }
  return [...paths].sort()
}
