export interface StoredFile {
  /** The contents, or the target of a symlink. */
  readonly bytes: Uint8Array
  /** The st_mode, or the permissions alone. */
  readonly mode: number
}
export type ReadStored = (path: string) => StoredFile | undefined
/** The result for one path. */
export interface AppliedFile {
  readonly path: string
  /** The old path of a renamed file; it is deleted unless another entry has that path. */
  readonly from?: string
  readonly before: StoredFile | undefined
  /** Undefined: the file is deleted. */
  readonly after: StoredFile | undefined
}
