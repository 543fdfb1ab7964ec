import { findTool } from '../protocol/catalogue.ts'
import type { ToolSet } from './tool-set.ts'

interface FieldSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly description?: string
}
interface InputSchema {
  readonly properties?: Readonly<Record<string, FieldSchema>>
  readonly required?: readonly string[]
}

/** Describes the fields of a tool's input. It is added to a refusal, so that the next call can be right. */
export function fieldsText(offer: ToolSet, name: string): string[] {
  const tool = offer.get(findTool(name)?.tool ?? '')
  if (tool === undefined) return []
  const { properties = {}, required = [] } = tool.input_schema as InputSchema
  const fields = Object.entries(properties).filter(([field]) => field !== 'workspace' && field !== 'session_id')
  const lines = fields.map(([field, schema]) => {
    const kind = schema.enum ? schema.enum.join('|') : (schema.type ?? 'any')
    return `  ${field} (${kind}${required.includes(field) ? ', needed' : ''}): ${schema.description ?? ''}`
  })
  return [[`${tool.name} takes:`, ...lines].join('\n')]
}
