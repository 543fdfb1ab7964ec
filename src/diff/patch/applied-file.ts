export interface StoredFile {
  /** The contents, or the target of a symlink. */
  readonly bytes: Uint8Array
  /** The st_mode, or the permissions alone. */
  readonly mode: number
}
export type ReadStored = (path: string) => StoredFile | undefined
/** What becomes of one path. */
export interface AppliedFile {
  readonly path: string
  /** Where a renamed file was; nothing stays there unless another entry says so. */
  readonly from?: string
  readonly before: StoredFile | undefined
  /** Undefined: the file goes. */
  readonly after: StoredFile | undefined
}
