import type { RelPath } from './path.ts'

/** One path that a snapshot changed relative to its base. */
export interface PathChange {
  readonly path: RelPath
  readonly status: 'added' | 'modified' | 'deleted'
  readonly size: number | null
}
