import { z } from 'zod'
import type { FaultCode } from '../base/fault.ts'
import { CATALOGUE, type CatalogueEntry } from './catalogue.ts'
import { type Asks, asksOf, reachesOf } from './consent.ts'
import { PATH_FIELDS, type PathTakes } from './paths.ts'
import { COMMON_FAULTS, type Reach, type Spec } from './spec.ts'

/** A tool as programs see it, on every surface. */
export interface ToolJson {
  readonly name: string
  readonly verb: string
  readonly summary: string
  readonly effect: Spec['effect']
  /** Whether the agent's user may be asked before the call. */
  readonly asks: boolean
  readonly asks_when: Asks
  /** The fields that reach beyond the files of the workspace, and how. */
  readonly reaches: Readonly<Record<string, Reach>>
  /** A second call with the same input changes nothing more. */
  readonly idempotent: boolean
  readonly group: Spec['group']
  readonly aliases: readonly string[]
  readonly input_schema: object
  readonly output_schema: object
  readonly faults: readonly FaultCode[]
}

/**
 * What a path is relative to, for programs. People type paths relative to their current folder; see
 * tools/typed-paths.ts.
 */
const WHERE: Readonly<Record<PathTakes, string>> = {
  inside: 'relative to the root of the workspace',
  glob: 'relative to the root of the workspace',
  host: 'absolute over HTTP and MCP',
  reported: '',
}

function tellWhere({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes
  jsonSchema: z.core.JSONSchema.BaseSchema
}): void {
  const takes = PATH_FIELDS.get(zodSchema as unknown as z.ZodType)?.takes
  const where = takes === undefined ? '' : WHERE[takes]
  if (where === '') return
  const { description } = jsonSchema
  jsonSchema.description = description
    ? `${description} (${where})`
    : `${where.charAt(0).toUpperCase()}${where.slice(1)}`
}

export const describeTools = (): Promise<readonly ToolJson[]> =>
  Promise.all(CATALOGUE.map(async (entry) => describe(entry, await entry.load())))

const describe = ({ verb, aliases }: CatalogueEntry, spec: Spec): ToolJson => ({
  name: spec.name,
  verb,
  summary: spec.summary,
  effect: spec.effect,
  asks: asksOf(spec) !== 'never',
  asks_when: asksOf(spec),
  reaches: Object.fromEntries(reachesOf(spec)),
  idempotent: spec.effect === 'read' || spec.idempotent === true,
  group: spec.group,
  aliases,
  input_schema: z.toJSONSchema(spec.input, { io: 'input', override: tellWhere }),
  output_schema: z.toJSONSchema(spec.output, { io: 'output' }),
  faults: [...new Set([...spec.faults, ...COMMON_FAULTS])],
})
