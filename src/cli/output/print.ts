import { type Fault, KINDS } from '../../base/fault.ts'
import { faultText } from '../../base/fault-text.ts'
import { oneLine, visible, visibleJson } from '../../base/visible.ts'
import { textOf } from '../../protocol/render.ts'
import type { Spec } from '../../protocol/spec.ts'
import type { Io } from '../io.ts'
import { type Paint, paintFor, wantsColour } from './paint.ts'

/**
 * Writes to the two streams, and returns the exit codes. Control characters are made visible before colours are added,
 * so that a terminal never obeys an escape sequence in a name, a label or a content.
 */

export function printJson(io: Io, value: object): void {
  const json = JSON.stringify(value, undefined, io.outIsTerminal ? 2 : undefined)
  io.out(`${io.outIsTerminal ? visibleJson(json) : json}\n`)
}

/** Prints text for people on standard output, with one newline after it. */
export function printText(io: Io, text: string, how: keyof Paint = 'answer'): void {
  if (text === '') return
  io.out(`${paintFor(io.env, io.outIsTerminal)[how](visible(text.replace(/\n$/, '')))}\n`)
}

/** Prints the answer of a tool; returns the exit code. */
export function printAnswer(io: Io, spec: Spec, output: object, json: boolean): number {
  const given = output as never
  const bytes = json ? undefined : spec.bytes?.(given)
  if (json) printJson(io, output)
  else if (bytes === undefined) printText(io, textOf(spec, output))
  else if (spec.name === 'diff' && wantsColour(io.env, io.outIsTerminal)) printText(io, shownBytes(bytes), 'diff')
  else printBytes(io, bytes)
  // Output that is bytes has no place for warnings.
  if (bytes !== undefined) for (const warning of warningsOf(output)) printRemark(io, `Warning: ${oneLine(warning)}`)
  return spec.exit?.(given) ?? 0
}

const warningsOf = (output: object): readonly string[] =>
  'warnings' in output && Array.isArray(output.warnings) ? (output.warnings as string[]) : []

/** Bytes are written unchanged, except control characters for a terminal. */
export const printBytes = (io: Io, bytes: Uint8Array): void =>
  io.out(io.outIsTerminal ? visible(shownBytes(bytes)) : bytes)

/** Bytes that are not UTF-8 are shown as replacement characters. */
const shownBytes = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

/** Prints a fault on the stream where the caller expects it; returns its exit code. */
export function printFault(io: Io, fault: Fault, json: boolean): number {
  if (json) printJson(io, { error: fault })
  else printRemark(io, faultText(fault))
  return KINDS[fault.kind].exit
}

/** Prints lines for people on standard error. */
export const printRemark = (io: Io, text: string): void =>
  io.err(`${paintFor(io.env, io.errIsTerminal).remark(visible(text))}\n`)
