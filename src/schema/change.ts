import type { RelPath } from './path.ts'

/** One changed path of a snapshot against its base. */
export interface PathChange {
  readonly path: RelPath
  readonly status: 'added' | 'modified' | 'deleted'
  readonly size: number | null
}
