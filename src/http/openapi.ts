import { FAULTS, type FaultCode, KINDS } from '../base/fault.ts'
import type { ToolJson } from '../protocol/describe.ts'

/** The OpenAPI 3.1 document of all routes for other programs. Those for command lines are internal, and not in it. */
export function openApi(version: string, tools: readonly ToolJson[]): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Timewarp', version, description: 'The time machine of a workspace: every tool, over HTTP.' },
    security: [{ bearer: [] }],
    paths: { ...Object.fromEntries(tools.map((tool) => [`/v1/call/${tool.name}`, { post: callOf(tool) }])), ...FACTS },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'On the loopback interface; the socket needs none.' },
      },
      schemas: { ...Object.fromEntries(tools.flatMap(schemasOf)), fault: FAULT },
    },
  }
}

const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object): object => ({ 'application/json': { schema } })
const answer = (description: string, schema: object = { type: 'object' }): object => ({
  description,
  content: json(schema),
})
const refused = answer('Refused before any tool was asked', ref('fault'))

const callOf = (tool: ToolJson): object => ({
  operationId: tool.name,
  summary: tool.summary,
  tags: [tool.group],
  'x-effect': tool.effect,
  'x-asks': tool.asks_when,
  'x-reaches': tool.reaches,
  requestBody: { content: json(ref(`${tool.name}_input`)) },
  responses: { 200: answer('The answer', ref(`${tool.name}_output`)), ...faultsOf(tool.faults), default: refused },
})

/** Responses by status, each with the codes it may carry. */
function faultsOf(codes: readonly FaultCode[]): object {
  const byStatus = Object.groupBy(codes, (code) => KINDS[FAULTS[code].kind].http)
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, some]) => [status, answer(some?.join(', ') ?? '', ref('fault'))]),
  )
}

const schemasOf = (tool: ToolJson): [string, object][] => [
  [`${tool.name}_input`, withoutDialect(tool.input_schema)],
  [`${tool.name}_output`, withoutDialect(tool.output_schema)],
]

/** Removes the JSON Schema dialect: it is the one of the whole document. */
function withoutDialect(schema: object): object {
  const { $schema: _, ...rest } = schema as { $schema?: string }
  return rest
}

const FACTS = {
  '/v1/tools': {
    get: {
      operationId: 'list_tools',
      summary: 'List the tools with their inputs, outputs and faults',
      responses: { 200: answer('The tools'), default: refused },
    },
  },
  '/v1/health': {
    get: {
      operationId: 'health',
      summary: 'Show how the daemon is doing',
      responses: { 200: answer('Facts about the daemon'), default: refused },
    },
  },
  '/v1/events': {
    get: {
      operationId: 'events',
      summary: 'Follow what happens, as server-sent events',
      parameters: [
        {
          name: 'Last-Event-ID',
          in: 'header',
          description: 'Begin with what happened after this event, as far as it is still known',
          schema: { type: 'integer' },
        },
        {
          name: 'token',
          in: 'query',
          description: 'The token, for clients that cannot set headers, such as EventSource',
          schema: { type: 'string' },
        },
      ],
      responses: {
        200: { description: 'Events', content: { 'text/event-stream': { schema: { type: 'string' } } } },
        default: refused,
      },
    },
  },
}

const FAULT = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'string', description: 'Stable, for programs' },
        message: { type: 'string', description: 'What is, in a sentence' },
        hint: { type: ['string', 'null'], description: 'What to do about it' },
        data: { type: 'object' },
      },
      required: ['code', 'message', 'hint', 'data'],
    },
  },
  required: ['error'],
}
