import { isAbsolute } from 'node:path'
import { z } from 'zod'
import type { ToolCall } from '../app/handler.ts'
import { recoverBefore } from '../app/recovery.ts'
import { snakeKeys } from '../app/snake-keys.ts'
import { touchSession } from '../app/touch-session.ts'
import { fromRoot, seenFrom } from '../app/typed-paths.ts'
import { illFormedAt, wellFormed } from '../app/well-formed.ts'
import { Fault } from '../base/fault.ts'
import { nearest } from '../base/text.ts'
import { translateError } from '../host/faults.ts'
import { freeBytes } from '../host/files/fs.ts'
import { CATALOGUE, findTool } from '../protocol/catalogue.ts'
import { hostFieldsOf } from '../protocol/paths.ts'
import type { Spec } from '../protocol/spec.ts'
import { loadHandler } from './handlers.ts'

// Compiling validators pays off only after many calls; a command makes one.
z.config({ jitless: true })

/** Validates the input against the tool's spec and runs the handler. `name` may be an alias. */
export async function callTool(call: ToolCall, name: string, input: unknown): Promise<{ spec: Spec; output: object }> {
  const entry = findTool(name)
  if (entry === undefined) throw unknownTool(name)
  const { spec, run } = await loadHandler(entry.tool)
  try {
    const read = readInput(spec, entry.verb, fromRoot(call, spec, input))
    const recovered = spec.recovers === false ? [] : await recoverBefore(call, read)
    const output = await run(call, read)
    if (!spec.meetsSession) touchSession(call, read)
    return { spec, output: withWarnings(call, output, recovered) }
  } catch (error) {
    throw seenFrom(call, input, translateError(error, mostFull([call.app.home, call.cwd])))
  }
}

/** Reports what recovery finished: in the output's warnings, or through `announce` where the output has none. */
function withWarnings(call: ToolCall, output: object, recovered: readonly string[]): object {
  if (recovered.length === 0) return output
  if ('warnings' in output && Array.isArray(output.warnings))
    return { ...output, warnings: [...recovered, ...(output.warnings as string[])] }
  for (const sentence of recovered) call.announce?.(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`)
  return output
}

/** For an open file, the system does not report which disk is full: the path with the least free space is assumed. */
function mostFull(paths: readonly string[]): string {
  const free = (path: string): number => {
    try {
      return freeBytes(path)
    } catch {
      return Number.POSITIVE_INFINITY
    }
  }
  return paths.reduce((least, path) => (free(path) < free(least) ? path : least))
}

/**
 * Refuses relative folders from a caller without a current folder, as over HTTP: they would be resolved against an
 * arbitrary one.
 */
export function refuseRelative(spec: Spec, verb: string, input: unknown): void {
  if (typeof input !== 'object' || input === null) return
  for (const field of hostFieldsOf(spec.input)) {
    const text = (input as Readonly<Record<string, unknown>>)[field]
    const isId = field === 'workspace' && typeof text === 'string' && /^w_\w+$/.test(text)
    if (typeof text !== 'string' || isAbsolute(text) || isId) continue
    const problem = `"${field}": must be an absolute path, not ${JSON.stringify(text.slice(0, 200))}`
    throw new Fault('BAD_INPUT', { problem, command: verb })
  }
}

/** The input with defaults filled in; faults when it does not match the spec. */
export function readInput(spec: Spec, verb: string, input: unknown): Record<string, unknown> {
  const named = asText(spec, verb, snakeKeys(input, spec.input))
  const parsed = spec.input.safeParse(named)
  // Does what a strict schema does; creating one takes longer than the rest of most calls.
  const unknown = unknownKeys(named, spec)
  const problems = [...(parsed.success ? [] : [problemOf(parsed.error)]), ...unknown]
  if (!parsed.success || unknown.length > 0)
    throw new Fault('BAD_INPUT', { problem: problems.join('; '), command: verb })
  return parsed.data
}

/** Refuses ill-formed text. In a client's report it is repaired instead, so that the report is not lost. */
function asText(spec: Spec, verb: string, input: unknown): unknown {
  const at = illFormedAt(input)
  if (at === undefined) return input
  if (spec.mendsText) return wellFormed(input)
  const problem = `${at.length > 0 ? `"${at.join('.')}": ` : ''}The text holds half of a character (a lone surrogate)`
  throw new Fault('BAD_INPUT', { problem, command: verb })
}

function unknownKeys(input: unknown, { input: { shape } }: Spec): string[] {
  if (typeof input !== 'object' || input === null) return []
  const keys = Object.keys(input).filter((key) => !Object.hasOwn(shape, key))
  if (keys.length === 0) return []
  return [`Unrecognized ${keys.length === 1 ? 'key' : 'keys'}: ${keys.map((key) => JSON.stringify(key)).join(', ')}`]
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
    .map((issue) => (issue.path.length > 0 ? `"${issue.path.join('.')}": ${wordsOf(issue)}` : issue.message))
    .join('; ')

const wordsOf = (issue: z.core.$ZodIssue): string =>
  issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1 ? 'must not be empty' : issue.message
