import { outPath } from '../base/quote.ts'
import { blobHashOf } from '../diff/git-hash.ts'
import { type FileChange, writeCounted } from '../diff/unified.ts'
import { allFoldersAbove, type RelPath } from '../schema/path.ts'
import { fileChange } from './file-change.ts'
import { ABSENT, contentHash, type DraftContent } from './plan-draft.ts'
import type { Plan, PlannedChange } from './plan-outcome.ts'

/** A plan as it is shown to callers, before or after it is carried out. Paths are in their external form. */
export interface Preview {
  /** In git's format, with renames. */
  readonly diff: Uint8Array
  readonly affected_files: readonly string[]
  readonly lines_added: number
  readonly lines_removed: number
  /** The hash of each affected file afterwards: what the next edit of it can expect. */
  readonly hashes: Readonly<Record<string, string>>
}

export function previewOf(plan: Plan): Preview {
  const changes = fileChanges(plan.changes)
  const { diff, added, removed } = writeCounted(changes)
  return {
    diff,
    affected_files: affectedBy(plan),
    lines_added: added,
    lines_removed: removed,
    hashes: Object.fromEntries(
      plan.changes.map(({ path, after }) => [outPath(path), after ? contentHash(after) : ABSENT]),
    ),
  }
}

/** Files, and empty folders that are created or deleted. */
function affectedBy({ changes, make, remove }: Plan): string[] {
  const paths = [...changes, ...make].map(({ path }) => path).concat(remove)
  const above = allFoldersAbove(paths)
  return [...new Set(paths)]
    .filter((path) => !above.has(path))
    .sort()
    .map(outPath)
}

/** Shows both ends of a move as one change, where nothing else happens at either. */
function fileChanges(changes: readonly PlannedChange[]): FileChange[] {
  const left = new Map(changes.filter(({ after }) => !after).map((change) => [change.path, change]))
  const sourceOf = ({ from, before }: PlannedChange): PlannedChange | undefined =>
    before || from === undefined ? undefined : left.get(from)
  const moved = new Set(changes.map(sourceOf))
  return changes
    .filter((change) => !moved.has(change))
    .map((change) => {
      const source = sourceOf(change)
      if (source?.before === undefined) return named(change.path, change.before, change.after)
      return { ...named(change.path, source.before, change.after), oldPath: source.path }
    })
}

const named = (path: RelPath, before: DraftContent | undefined, after: DraftContent | undefined): FileChange => ({
  ...fileChange(path, before, after),
  ...(before ? { oldId: () => blobHashOf(contentHash(before), () => before.bytes) } : {}),
  ...(after ? { newId: () => blobHashOf(contentHash(after), () => after.bytes) } : {}),
})
