import { fault } from '../fault-kind.ts'

/** The faults of the MCP server; a part of the table in fault.ts. */
export const MCP_FAULTS = {
  TOOL_SET_UNKNOWN: fault<{ name: string; sets: readonly string[] }>({
    kind: 'usage',
    message: (d) => `There is no set of tools "${d.name}", and no tool of that name.`,
    hint: (d) => `Sets: ${d.sets.join(', ')}. Tools: timewarp tools`,
  }),
  TOOL_NOT_OFFERED: fault<{ name: string; set: string }>({
    kind: 'conflict',
    message: (d) => `This server does not offer the tool "${d.name}".`,
    hint: (d) =>
      `A person can add it where the server is configured: timewarp mcp --tools …,${d.name} (its set: ${d.set})`,
  }),
  WORKSPACE_FIXED: fault<{ root: string; asked: string }>({
    kind: 'conflict',
    message: (d) => `This server works in ${d.root} and nowhere else; "${d.asked}" is not it.`,
    hint: () => 'Leave "workspace" out.',
  }),
  WORKSPACE_UNNAMED: fault<Record<string, never>>({
    kind: 'usage',
    message: () => 'Nobody said which workspace this is about.',
    hint: () => 'Name its folder: timewarp mcp -C DIR, or in the address: /mcp?workspace=DIR',
  }),
  CONFIRM_NEEDED: fault<{ tool: string; would: string; confirm: string; question?: string }>({
    kind: 'conflict',
    message: (d) => `Nothing was done yet: ${d.tool} has to be confirmed. ${d.would}`,
    hint: (d) =>
      `If this is what the user wants, call it again with the same arguments and "confirm": "${d.confirm}" (on the command line: --confirm ${d.confirm})`,
  }),
  PERSON_NEEDED: fault<{ tool: string; would: string; command: string }>({
    kind: 'conflict',
    message: (d) => `Nothing was done: only a person may agree to ${d.tool}. ${d.would}`,
    hint: (d) => `Ask the user to run it in a terminal: timewarp ${d.command}`,
  }),
  CONFIRM_WRONG: fault<{ tool: string; would?: string; confirm?: string }>({
    kind: 'conflict',
    message: (d) =>
      d.would === undefined
        ? 'This confirmation does not count: it was used before, is too old, or was given for other arguments or another plan.'
        : `Nothing was done: ${d.tool} would no longer do what was confirmed. ${d.would}`,
    hint: (d) =>
      d.confirm === undefined
        ? `Call ${d.tool} again without "confirm" to get another one.`
        : `If the user wants this instead, call it again with the same arguments and "confirm": "${d.confirm}"`,
  }),
  CONFIRM_DECLINED: fault<{ tool: string }>({
    kind: 'conflict',
    message: (d) => `The user did not want this: ${d.tool} was not done, and nothing changed.`,
    hint: () => 'Ask the user what to do instead.',
  }),
} as const
