import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type Api, encode, newId } from './model-wire.ts'

/**
 * A model that says what a script tells it to, in the words of each provider: Anthropic Messages, OpenAI Chat
 * Completions, OpenAI Responses, Gemini. Which turn comes next is the number of the model's own messages in the request,
 * so that a client may ask again and hear the same.
 */

export interface ToolCall {
  readonly name: string
  /** A text for tools that take one. */
  readonly input: Readonly<Record<string, unknown>> | string
  /** Where a provider puts tools into groups. */
  readonly namespace?: string
}

export interface Turn {
  readonly text?: string
  readonly tools?: readonly ToolCall[]
  readonly delay_ms?: number
}

export interface Conversation {
  /** A word in the first messages of the user by which it is known; without one, all others. */
  readonly known_by?: string
  readonly turns: readonly Turn[]
}

export type Script = readonly Conversation[]

/** A request in the same words for all providers. */
interface Asked {
  readonly tools: readonly { readonly name: string; readonly type: string }[]
  readonly messages: readonly { readonly isModel: boolean; readonly text: string }[]
}

/** A turn as it was given to a client: which of the script, when, and the ids of its calls. */
export interface Given {
  readonly conversation: number
  readonly index: number
  readonly at: number
  readonly ids: readonly string[]
}

export interface Model {
  readonly given: Given[]
  readonly port: number
  /** What the user and the tools have said, request by request. */
  readonly heard: string[]
  close(): void
}

export async function serveModel(script: Script): Promise<Model> {
  const heard: string[] = []
  const given: Given[] = []
  const server: Server = createServer((request, response) => {
    void answer(script, { heard, given }, request, response).catch((error: unknown) => {
      response.writeHead(500)
      response.end(String(error))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { port, heard, given, close: () => server.close().closeAllConnections() }
}

type Body = Readonly<Record<string, unknown>>

async function answer(
  script: Script,
  { heard, given }: Pick<Model, 'heard' | 'given'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await read(request)
  const path = (request.url ?? '').split('?')[0] ?? ''
  const api = apiOf(path)
  if (api === undefined) return refuse(response, path, body)
  const asked = ASKED[api](body)
  heard.push(asked.messages.map(({ text }) => text).join('\n'))
  const { turn, ...place } = turnFor(script, asked)
  const ids = (turn.tools ?? []).map(() => newId(api === 'messages' ? 'toolu_' : 'call_'))
  given.push({ ...place, at: performance.timeOrigin + performance.now(), ids })
  if (turn.delay_ms) await new Promise((done) => setTimeout(done, turn.delay_ms))
  const streams = body['stream'] === true || path.includes('streamGenerate')
  encode(api, response, { turn, ids, streams, model: 'scripted', tools: asked.tools })
}

async function read(request: IncomingMessage): Promise<Body> {
  const parts: Uint8Array[] = []
  for await (const part of request) parts.push(part as Uint8Array)
  try {
    return JSON.parse(Buffer.concat(parts).toString()) as Body
  } catch {
    return {}
  }
}

function apiOf(path: string): Api | undefined {
  if (path.endsWith('/messages')) return 'messages'
  if (path.endsWith('/chat/completions')) return 'chat'
  if (path.endsWith('/responses')) return 'responses'
  return /:(stream)?[gG]enerateContent$/.test(path) ? 'gemini' : undefined
}

/** Whatever else clients ask: how many tokens that is, which models there are. */
function refuse(response: ServerResponse, path: string, body: Body): void {
  const tokens = Math.ceil(JSON.stringify(body).length / 4)
  const isCount = /count_?tokens$/i.test(path)
  const isList = path.endsWith('/models')
  response.writeHead(isCount || isList ? 200 : 404, { 'Content-Type': 'application/json' })
  response.end(
    JSON.stringify(isCount ? { input_tokens: tokens, totalTokens: tokens } : { object: 'list', data: [], models: [] }),
  )
}

/** Requests without tools are for titles and the like. */
function turnFor(
  script: Script,
  { tools, messages }: Asked,
): { readonly conversation: number; readonly turn: Turn; readonly index: number } {
  if (tools.length === 0) return { conversation: -1, index: 0, turn: { text: 'A title' } }
  const first = messages.filter(({ isModel }) => !isModel).slice(0, 3)
  const conversation = script.findIndex(
    ({ known_by }) => known_by === undefined || first.some(({ text }) => text.includes(known_by)),
  )
  const index = messages.filter(({ isModel }) => isModel).length
  const turn = script[conversation]?.turns[index] ?? { text: 'There is nothing left to do.' }
  return { conversation, index, turn }
}

const list = (value: unknown): readonly Body[] => (Array.isArray(value) ? (value as Body[]) : [])

/** All text in a content, however deep. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
    .map((part) =>
      [part['text'], part['output'], textOf(part['content'])].filter((t) => typeof t === 'string').join(''),
    )
    .join('\n')
}

const ASKED: Readonly<Record<Api, (body: Body) => Asked>> = {
  messages: (body) => ({
    tools: list(body['tools']).map((tool) => ({ name: String(tool['name']), type: 'function' })),
    messages: list(body['messages']).map((m) => ({ isModel: m['role'] === 'assistant', text: textOf(m['content']) })),
  }),
  chat: (body) => ({
    tools: list(body['tools']).map((tool) => ({
      name: String((tool['function'] as Body | undefined)?.['name']),
      type: 'function',
    })),
    messages: list(body['messages'])
      .filter(({ role }) => role !== 'system' && role !== 'developer')
      .map((m) => ({ isModel: m['role'] === 'assistant', text: textOf(m['content']) })),
  }),
  responses: (body) => ({
    tools: list(body['tools']).map((tool) => ({
      name: String(tool['name'] ?? tool['type']),
      type: String(tool['type']),
    })),
    messages: joined(list(body['input'])),
  }),
  gemini: (body) => ({
    tools: list(body['tools'])
      .flatMap((tool) => list(tool['functionDeclarations']))
      .map((tool) => ({ name: String(tool['name']), type: 'function' })),
    messages: list(body['contents']).map((m) => ({
      isModel: m['role'] === 'model',
      text: list(m['parts'])
        .map((part) => JSON.stringify(part['text'] ?? part['functionResponse'] ?? ''))
        .join('\n'),
    })),
  }),
}

/** Here one turn of the model is several items in a row: what it thought, said and called. */
function joined(items: readonly Body[]): Asked['messages'] {
  const messages: { isModel: boolean; text: string }[] = []
  for (const item of items) {
    const type = typeof item['type'] === 'string' ? item['type'] : 'message'
    if (type === 'message' && (item['role'] === 'system' || item['role'] === 'developer')) continue
    const isModel = type === 'message' ? item['role'] === 'assistant' : !type.endsWith('_output')
    const text = textOf(item['content'] ?? item['output'])
    const last = messages.at(-1)
    if (isModel && last?.isModel) last.text += text
    else messages.push({ isModel, text })
  }
  return messages
}
