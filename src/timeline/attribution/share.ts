import type { CallRecord } from '../../records/calls.ts'
import type { Cause, Source } from '../../schema/cause.ts'
import type { RelPath } from '../../schema/path.ts'

/** The tool call that ends with a capture. */
export interface Ending {
  readonly call: CallRecord
  /** What its snapshot is called. */
  readonly label?: string | undefined
}

/** Somebody's part of what was found changed. */
export interface Share {
  readonly paths: ReadonlySet<RelPath>
  readonly cause: Cause
  readonly source: Source
  readonly label?: string | undefined
  readonly description?: string | undefined
}
