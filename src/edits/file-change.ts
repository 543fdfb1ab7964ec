import type { FileChange } from '../diff/unified.ts'
import type { RelPath } from '../schema/path.ts'

/** What it did to a folder itself: its mode before and after, undefined where there was none. */
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
  /** Something was there that is not captured, so that nobody knows what: after the change, or before it. */
  readonly unknown?: 'before' | 'after'
  /** What is taken for the state before is older: just before, it could not be captured. */
  readonly isOlder?: true
}

/** One snapshot's changes, to be taken back as a whole. */
export interface RecordedEdits {
  readonly id: string
  readonly did: readonly RecordedEdit[]
  readonly folders: readonly RecordedFolderEdit[]
}

/** A file or symlink at one moment, with its permissions alone as `mode`; `bytes` may be a getter that loads them. */
export interface StoredState {
  readonly kind: 'file' | 'symlink'
  readonly mode: number
  readonly bytes: Uint8Array
  /** When it was written, in microseconds; absent where that is the moment at which it is written now. */
  readonly mtime?: number
}

/** What became of a path, as the diff writer wants it; undefined: nothing is there. */
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
