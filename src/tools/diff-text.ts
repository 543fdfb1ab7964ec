import type { ToolCall } from '../app/handler.ts'
import { type FileChange, writeDiff } from '../diff/unified.ts'
import { fileChange, type StoredState } from '../edits/file-change.ts'
import type { RelPath } from '../schema/path.ts'
import { compareTrees, isChange, type ReadTree, type TreeDifference } from '../store/compare-trees.ts'
import { type Entry, KIND } from '../store/tree.ts'
import { Trees } from '../timeline/capture/trees.ts'

export type ReadContent = (path: RelPath, entry: Entry) => Uint8Array

/** Differences in the form that the diff writer takes; folders have no lines. */
export function asFileChanges(
  differences: Iterable<TreeDifference>,
  oldContent: ReadContent,
  newContent: ReadContent = oldContent,
): FileChange[] {
  const changes: FileChange[] = []
  for (const { path, old, new: now } of differences) {
    const [before, after] = [stateOf(path, old, oldContent), stateOf(path, now, newContent)]
    if (before || after) changes.push(fileChange(path, before, after))
  }
  return changes
}

/** An entry with its contents; undefined for a folder, and where there is nothing. */
export function stateOf(path: RelPath, entry: Entry | undefined, read: ReadContent): StoredState | undefined {
  if (entry === undefined || entry.kind === KIND.directory) return undefined
  const kind = entry.kind === KIND.symlink ? 'symlink' : 'file'
  return { kind, mode: entry.mode, bytes: read(path, entry) }
}

/** The changes between two stored trees, with their contents. */
function storedChanges(call: ToolCall, from: Uint8Array | undefined, to: Uint8Array): FileChange[] {
  const { reader } = call.app.store
  return storedContents(call, compareTrees(new Trees(reader).read, from, to))
}

export const storedContents = ({ app }: ToolCall, differences: Iterable<TreeDifference>): FileChange[] =>
  asFileChanges(differences, (_, entry) => app.store.reader.get(entry.hash))

/** The changes between two stored trees as text. */
export const diffText = (call: ToolCall, from: Uint8Array, to: Uint8Array): string =>
  Buffer.from(writeDiff(storedChanges(call, from, to), 'git')).toString()

/** The output fields of a diff: text if it is UTF-8, else its bytes in base64. */
export function diffFields(bytes: Uint8Array): { diff: string; diff_base64?: string } {
  const diff = Buffer.from(bytes).toString()
  if (Buffer.from(diff).equals(bytes)) return { diff }
  return { diff: '', diff_base64: Buffer.from(bytes).toString('base64') }
}

export const reported = (
  read: ReadTree,
  from: Uint8Array | undefined,
  to: Uint8Array | undefined,
  within: readonly RelPath[],
): TreeDifference[] => [...compareTrees(read, from, to, within)].filter(isChange)
