import { z } from 'zod'
import { columns } from '../base/text.ts'
import { CATALOGUE } from '../protocol/catalogue.ts'
import { COMMON_FAULTS, type Spec } from '../protocol/spec.ts'
import { command } from './command.ts'
import { printJson, printText } from './print.ts'

export const Tools = command({
  name: 'tools',
  summary: 'List the tools with their inputs, outputs and faults',
  group: 'shell',
  input: z.object({}),
  verb: { examples: ['timewarp tools', 'timewarp tools --json'] },
  run: async ({ io, globals }) => {
    const tools = await Promise.all(CATALOGUE.map(async ({ verb, load }) => describe(verb, await load())))
    if (globals.json) printJson(io, { tools })
    else printText(io, columns(tools.map((tool) => [tool.name, tool.effect, tool.summary])))
    return 0
  },
})

/** A tool as programs see it. */
function describe(verb: string, spec: Spec) {
  return {
    name: spec.name,
    verb,
    summary: spec.summary,
    effect: spec.effect,
    group: spec.group,
    aliases: spec.aliases ?? [],
    input_schema: z.toJSONSchema(spec.input, { io: 'input' }),
    output_schema: z.toJSONSchema(spec.output, { io: 'output' }),
    faults: [...new Set([...spec.faults, ...COMMON_FAULTS])],
  }
}
