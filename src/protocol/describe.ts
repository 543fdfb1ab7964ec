import { z } from 'zod'
import type { FaultCode } from '../base/fault.ts'
import { CATALOGUE } from './catalogue.ts'
import { type Asks, asksOf, reachesOf } from './consent.ts'
import { COMMON_FAULTS, type Reach, type Spec } from './spec.ts'

/** A tool as programs see it, on every surface. */
export interface ToolJson {
  readonly name: string
  readonly verb: string
  readonly summary: string
  readonly effect: Spec['effect']
  /** Whether the user of an agent may be asked before. */
  readonly asks: boolean
  readonly asks_when: Asks
  /** The fields that lead beyond the files of the workspace, and how. */
  readonly reaches: Readonly<Record<string, Reach>>
  /** Called again with the same input it changes nothing more. */
  readonly idempotent: boolean
  readonly group: Spec['group']
  readonly aliases: readonly string[]
  readonly input_schema: object
  readonly output_schema: object
  readonly faults: readonly FaultCode[]
}

export const describeTools = (): Promise<readonly ToolJson[]> =>
  Promise.all(CATALOGUE.map(async ({ verb, load }) => describe(verb, await load())))

const describe = (verb: string, spec: Spec): ToolJson => ({
  name: spec.name,
  verb,
  summary: spec.summary,
  effect: spec.effect,
  asks: asksOf(spec) !== 'never',
  asks_when: asksOf(spec),
  reaches: Object.fromEntries(reachesOf(spec)),
  idempotent: spec.effect === 'read' || spec.idempotent === true,
  group: spec.group,
  aliases: spec.aliases ?? [],
  input_schema: z.toJSONSchema(spec.input, { io: 'input' }),
  output_schema: z.toJSONSchema(spec.output, { io: 'output' }),
  faults: [...new Set([...spec.faults, ...COMMON_FAULTS])],
})
