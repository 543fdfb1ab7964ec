import { z } from 'zod'
import { GROUPS } from '../../protocol/spec.ts'
import { command } from '../command.ts'
import { homeOf } from '../parse/globals.ts'

export const McpCommand = command({
  name: 'mcp',
  summary: 'Serve an agent: the tools over the model context protocol, on standard input and output',
  group: 'shell',
  input: z.object({
    tools: z
      .string()
      .optional()
      .describe(
        `Sets of tools, and single tools, with commas; sets: ${GROUPS.join(', ')} (default: timeline,edits,travel)`,
      ),
  }),
  verb: {
    examples: [
      'timewarp mcp',
      'timewarp -C ~/project mcp --tools timeline,edits',
      'timewarp mcp --tools timeline,prune',
    ],
  },
  run: async ({ io, globals, rooms }, { tools }) => {
    if (rooms.mcp === undefined) throw new Error('This program does not serve agents.')
    return rooms.mcp({ home: homeOf(globals, io), dir: globals.dir, tools, daemon: globals.daemon })
  },
})
