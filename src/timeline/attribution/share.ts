import type { CallRecord } from '../../records/calls.ts'
import type { Cause, Source } from '../../schema/cause.ts'
import type { RelPath } from '../../schema/path.ts'

/** The tool call that ends with a capture. */
export interface Ending {
  readonly call: CallRecord
  /** The label of its snapshot. */
  readonly label?: string | undefined
}

/** The part of the changes that one cause gets. */
export interface Share {
  readonly paths: ReadonlySet<RelPath>
  readonly cause: Cause
  readonly source: Source
  readonly label?: string | undefined
  readonly description?: string | undefined
}
