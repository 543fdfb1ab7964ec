import type { FileChange } from '../diff/unified.ts'
import type { RelPath } from '../schema/path.ts'

/** A change of a folder itself: its mode before and after, undefined where it did not exist. */
export interface RecordedFolderEdit {
  readonly path: RelPath
  readonly before: number | undefined
  readonly after: number | undefined
}

/** What one snapshot did to one path. */
export interface RecordedEdit {
  readonly path: RelPath
  readonly before: StoredState | undefined
  readonly after: StoredState | undefined
  /** The state before or after the change exists, but is not captured and therefore unknown. */
  readonly unknown?: 'before' | 'after'
  /** `before` is from an older snapshot: the state just before the change could not be captured. */
  readonly isOlder?: true
}

/** One snapshot's changes, to be reverted as a whole. */
export interface RecordedEdits {
  readonly id: string
  readonly did: readonly RecordedEdit[]
  readonly folders: readonly RecordedFolderEdit[]
}

/** A file or symlink at one moment; `mode` has the permissions only; `bytes` may be a getter that loads them. */
export interface StoredState {
  readonly kind: 'file' | 'symlink'
  readonly mode: number
  readonly bytes: Uint8Array
  /** The mtime in microseconds; absent where it is the time at which the file is written. */
  readonly mtime?: number
}

/** A change in the form that the diff writer takes; undefined: the path does not exist. */
export const fileChange = (
  path: string,
  before: StoredState | undefined,
  after: StoredState | undefined,
): FileChange => ({
  path,
  status: before === undefined ? 'added' : after === undefined ? 'deleted' : 'modified',
  oldMode: before ? wholeMode(before) : null,
  newMode: after ? wholeMode(after) : null,
  old: before?.bytes ?? null,
  new: after?.bytes ?? null,
})

/** The mode as `stat` gives it. */
const wholeMode = ({ kind, mode }: StoredState): number => (kind === 'symlink' ? 0o120000 : 0o100000 | mode)
