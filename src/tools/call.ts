import { z } from 'zod'
import { Fault } from '../base/fault.ts'
import { nearest } from '../base/text.ts'
import { translateError } from '../host/faults.ts'
import { CATALOGUE, findTool } from '../protocol/catalogue.ts'
import type { Spec } from '../protocol/spec.ts'
import type { Call, Handler } from './handler.ts'
import { loadHandler } from './handlers.ts'
import { meetSession } from './meet-session.ts'
import { snakeKeys } from './snake-keys.ts'

// Compiling a validator pays after many calls; a command makes one.
z.config({ jitless: true })

/** Validates the input by the tool's spec and runs it. `name` may be an alias. */
export async function callTool(call: Call, name: string, input: unknown): Promise<{ spec: Spec; output: object }> {
  const entry = findTool(name)
  if (entry === undefined) throw unknownTool(name)
  const { spec, run, meets } = (await loadHandler(entry.tool)) as Handler
  const read = readInput(spec, entry.verb, input)
  try {
    const output = await run(call, read)
    if (!meets) meetSession(call, read)
    return { spec, output }
  } catch (error) {
    throw translateError(error, call.house.home)
  }
}

/** The input as the tool takes it, with its defaults filled in; refused when it does not fit. */
export function readInput(spec: Spec, verb: string, input: unknown): Record<string, unknown> {
  const parsed = strictOf(spec).safeParse(snakeKeys(input, spec.input))
  if (!parsed.success) throw new Fault('BAD_INPUT', { problem: problemOf(parsed.error), command: verb })
  return parsed.data
}

/** The schema that refuses what it does not know; made once for each tool. */
const strict = new WeakMap<Spec, z.ZodObject>()

function strictOf(spec: Spec): z.ZodObject {
  const known = strict.get(spec) ?? spec.input.strict()
  strict.set(spec, known)
  return known
}

function unknownTool(name: string): Fault {
  const near = nearest(
    name,
    CATALOGUE.map(({ tool }) => tool),
  )
  return new Fault('UNKNOWN_TOOL', near ? { name, nearest: near } : { name })
}

const problemOf = (error: z.ZodError): string =>
  error.issues
    .map((issue) => (issue.path.length > 0 ? `"${issue.path.join('.')}": ${issue.message}` : issue.message))
    .join('; ')
