import { Fault } from '../../base/fault.ts'
import type { Verb } from '../../protocol/spec.ts'
import type { Io } from '../io.ts'

/** The word that stands for standard input; after `--` it is an ordinary word. */
export const STANDARD_INPUT = '-'

/**
 * Puts standard input, byte for byte, into the input's field that asked for it. If it is not UTF-8, it is put into the
 * field for bytes, where there is one.
 */
export async function withStandardInput(
  io: Io,
  verb: Verb | undefined,
  input: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const asking = Object.keys(verb?.stdin ?? {}).filter((name) => input[name] === STANDARD_INPUT)
  const [name, second] = asking
  if (name === undefined) return input
  if (second !== undefined)
    throw new Fault('BAD_INPUT', { problem: `Standard input can be read only once, not for ${asking.join(' and ')}.` })
  const { [name]: _, ...rest } = input
  return { ...rest, ...(await given(io, name, verb?.stdin?.[name] ?? null)) }
}

async function given(io: Io, name: string, forBytes: string | null): Promise<Record<string, string>> {
  const bytes = Buffer.from(await io.stdin())
  const text = bytes.toString()
  const isText = Buffer.from(text).equals(bytes)
  if (isText) return { [name]: text }
  if (forBytes !== null) return { [forBytes]: bytes.toString('base64') }
  throw new Fault('BAD_INPUT', {
    problem: `Standard input is not UTF-8, which ${name} has to be: see byte ${firstWrong(bytes, text)}.`,
  })
}

/** The number of the first byte that is not UTF-8, counted from 1. */
function firstWrong(bytes: Buffer, text: string): number {
  const again = Buffer.from(text)
  return bytes.findIndex((byte, i) => byte !== again[i]) + 1
}
