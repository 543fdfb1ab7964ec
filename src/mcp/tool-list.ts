import type { Tool } from '@modelcontextprotocol/server'
import type { Asks } from '../protocol/consent.ts'
import type { ToolJson } from '../protocol/describe.ts'

/** A tool in the form for MCP clients. */
export const toolFor = (tool: ToolJson): Tool => ({
  name: tool.name,
  title: titleOf(tool.name),
  description: `${tool.summary}.${ASKS[tool.asks_when]}`,
  inputSchema: inputSchema(tool),
  outputSchema: plain(tool.output_schema) as NonNullable<Tool['outputSchema']>,
  annotations: {
    title: titleOf(tool.name),
    readOnlyHint: tool.effect === 'read',
    destructiveHint: tool.effect === 'danger',
    idempotentHint: tool.idempotent,
    openWorldHint: Object.keys(tool.reaches).length > 0,
  },
})

const ASKS: Readonly<Record<Asks, string>> = {
  always: ' Needs confirmation: a form for the user, or a token that the first call gives.',
  person: ' Only the user can agree to a change, when the client asks.',
  outside: ' Needs confirmation when a file outside the workspace is read.',
  never: '',
}

/** `get_edit_history` → `Get edit history`. */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, object>>
}

const CONFIRM = { type: 'string', description: 'What the first call gave as "confirm", when it gave one' }

/** Without `workspace`: the server has one. Without `yes`: only the user can confirm. */
function inputSchema(tool: ToolJson): Tool['inputSchema'] {
  const { properties = {}, ...rest } = plain(tool.input_schema) as ObjectSchema
  const { workspace: _, yes: _yes, ...fields } = properties
  return {
    ...rest,
    type: 'object',
    properties: tool.asks ? { ...fields, confirm: CONFIRM } : fields,
  } as Tool['inputSchema']
}

/** Without the JSON Schema dialect: clients assume the same one. */
function plain(schema: object): object {
  const { $schema: _, ...rest } = schema as Record<string, unknown>
  return rest
}
