import { Fault } from '../base/fault.ts'
import { bytesFromBase64 } from '../base/text.ts'
import type { Edit } from '../protocol/edits.ts'

/**
 * The operations of an edit, as data: what `apply_edits` takes is what is planned.
 *
 * Texts in them are strings and stand for their UTF-8; from here on everything is bytes.
 */
export type EditOp = Edit
export type OpOf<K extends EditOp['op']> = Extract<EditOp, { op: K }>

/** The UTF-8 of a text. A text with a lone surrogate has none and is refused: encoding would change it. */
export function textBytes(text: string, field: string): Uint8Array {
  if (!text.isWellFormed())
    throw new Fault('BAD_INPUT', { problem: `${field} is not Unicode: it has a lone surrogate.` })
  return new TextEncoder().encode(text)
}

export const contentOf = (op: OpOf<'whole'>): Uint8Array => oneOf('content', op.content, op.content_base64)
export const diffOf = (op: OpOf<'diff'>): Uint8Array => oneOf('diff', op.diff, op.diff_base64)

function oneOf(field: string, text: string | undefined, base64: string | undefined): Uint8Array {
  if ((text === undefined) === (base64 === undefined))
    throw new Fault('BAD_INPUT', { problem: `Give either ${field} or ${field}_base64.` })
  return text === undefined ? bytesFromBase64(base64 ?? '') : textBytes(text, field)
}
