import { type Fault, KINDS } from '../base/fault.ts'
import type { Spec } from '../protocol/spec.ts'
import type { Io } from './io.ts'
import { harmless, type Paint, paintFor, wantsColour } from './paint.ts'

/** What reaches the two streams, and with which exit code. */

export const printJson = (io: Io, value: object): void =>
  io.out(`${JSON.stringify(value, undefined, io.outIsTerminal ? 2 : undefined)}\n`)

/** Prints text for people on standard output, with one newline behind it. */
export function printText(io: Io, text: string, how: keyof Paint = 'answer'): void {
  if (text === '') return
  const lines = text.replace(/\n$/, '')
  io.out(`${paintFor(io.env, io.outIsTerminal)[how](io.outIsTerminal ? harmless(lines) : lines)}\n`)
}

/** Prints the answer of a tool; returns the exit code. */
export function printAnswer(io: Io, spec: Spec, output: object, json: boolean): number {
  const given = output as never
  if (json) printJson(io, output)
  else if (spec.bytes === undefined) printText(io, spec.text(given))
  else printBytes(io, spec, spec.bytes(given))
  return spec.exit?.(given) ?? 0
}

/** Bytes go out as they are, but for a diff that somebody reads in colour. */
function printBytes(io: Io, spec: Spec, bytes: Uint8Array): void {
  const text = spec.name === 'diff' && wantsColour(io.env, io.outIsTerminal) ? utf8(bytes) : undefined
  if (text === undefined) io.out(bytes)
  else printText(io, text, 'diff')
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Prints a fault where the caller looks for it; returns its exit code. */
export function printFault(io: Io, fault: Fault, json: boolean): number {
  if (json) printJson(io, { error: fault })
  else printRemark(io, `Error: ${fault.message}${fault.hint === undefined ? '' : `\nHint: ${fault.hint}`}`)
  return KINDS[fault.kind].exit
}

/** Prints lines for people on standard error. */
export const printRemark = (io: Io, text: string): void =>
  io.err(`${paintFor(io.env, io.errIsTerminal).remark(io.errIsTerminal ? harmless(text) : text)}\n`)
