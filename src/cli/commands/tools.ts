import { z } from 'zod'
import { columns } from '../../base/text.ts'
import { describeTools } from '../../protocol/describe.ts'
import { command } from '../command.ts'
import { printJson, printText } from '../output/print.ts'

export const Tools = command({
  name: 'tools',
  summary: 'List the tools with their inputs, outputs and faults',
  group: 'shell',
  input: z.object({}),
  verb: { examples: ['timewarp tools', 'timewarp tools --json'] },
  run: async ({ io, globals }) => {
    const tools = await describeTools()
    if (globals.json) printJson(io, { tools })
    else printText(io, columns(tools.map((tool) => [tool.name, tool.effect, tool.summary])))
    return 0
  },
})
