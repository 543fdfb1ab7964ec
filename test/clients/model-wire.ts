import type { ServerResponse } from 'node:http'
import type { ToolCall, Turn } from './model.ts'

/** How each provider puts a turn on the wire. */

export type Api = 'messages' | 'chat' | 'responses' | 'gemini'

interface Said {
  readonly turn: Turn
  /** Of its calls. */
  readonly ids: readonly string[]
  readonly streams: boolean
  readonly model: string
  readonly tools: readonly { readonly name: string; readonly type: string }[]
}

let last = 0
export const newId = (prefix: string): string =>
  `${prefix}${String(++last).padStart(5, '0')}${process.pid.toString(36)}`

/** An event with its data. */
type Send = (data: object | string, event?: string) => void

export function encode(api: Api, response: ServerResponse, said: Said): void {
  if (!said.streams) {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(WHOLE[api](said)))
    return
  }
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' })
  STREAMED[api](said, (data, event) => {
    const line = typeof data === 'string' ? data : JSON.stringify(data)
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${line}\n\n`)
  })
  response.end()
}

const json = ({ input }: ToolCall): string => (typeof input === 'string' ? input : JSON.stringify(input))

const message = ({ turn, ids, model }: Said) => ({
  id: newId('msg_'),
  type: 'message',
  role: 'assistant',
  model,
  content: [
    ...(turn.text ? [{ type: 'text', text: turn.text }] : []),
    ...(turn.tools ?? []).map(({ name, input }, i) => ({ type: 'tool_use', id: ids[i], name, input })),
  ],
  stop_reason: turn.tools?.length ? 'tool_use' : 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 100, output_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
})

function streamMessage(said: Said, send: Send): void {
  const whole = message(said)
  const emit = (type: string, data: object): void => send({ type, ...data }, type)
  emit('message_start', { message: { ...whole, content: [], stop_reason: null } })
  for (const [index, block] of whole.content.entries()) {
    const isText = 'text' in block
    emit('content_block_start', { index, content_block: isText ? { type: 'text', text: '' } : { ...block, input: {} } })
    const delta = isText
      ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
    emit('content_block_delta', { index, delta })
    emit('content_block_stop', { index })
  }
  emit('message_delta', {
    delta: { stop_reason: whole.stop_reason, stop_sequence: null },
    usage: { output_tokens: 20 },
  })
  emit('message_stop', {})
}

const chatCalls = ({ turn, ids }: Said) =>
  (turn.tools ?? []).map((call, index) => ({
    index,
    id: ids[index],
    type: 'function',
    function: { name: call.name, arguments: json(call) },
  }))
const CHAT_USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
const chatEnd = ({ turn }: Said): string => (turn.tools?.length ? 'tool_calls' : 'stop')
const chatBase = ({ model }: Said) => ({ id: newId('chat'), created: 1, model })

const chat = (said: Said) => ({
  ...chatBase(said),
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: said.turn.text ?? null, tool_calls: chatCalls(said) },
      finish_reason: chatEnd(said),
    },
  ],
  usage: CHAT_USAGE,
})

function streamChat(said: Said, send: Send): void {
  const base = { ...chatBase(said), object: 'chat.completion.chunk' }
  const chunk = (delta: object, finish_reason: string | null = null): void =>
    send({ ...base, choices: [{ index: 0, delta, finish_reason }] })
  chunk({ role: 'assistant', content: said.turn.text ?? '' })
  for (const call of chatCalls(said)) chunk({ tool_calls: [call] })
  chunk({}, chatEnd(said))
  send({ ...base, choices: [], usage: CHAT_USAGE })
  send('[DONE]')
}

/** A tool of type `custom` takes a text, all others take JSON. */
const responsesCall = (call: ToolCall, call_id: string | undefined, { tools }: Said): object => {
  const isCustom = tools.find(({ name }) => name === call.name)?.type === 'custom'
  const common = { call_id, name: call.name, status: 'completed' }
  return isCustom
    ? { type: 'custom_tool_call', id: newId('ctc_'), ...common, input: json(call) }
    : {
        type: 'function_call',
        id: newId('fc_'),
        ...common,
        ...(call.namespace ? { namespace: call.namespace } : {}),
        arguments: json(call),
      }
}

const responses = (said: Said) => ({
  id: newId('resp_'),
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: said.model,
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  output: [
    ...(said.turn.text
      ? [
          {
            type: 'message',
            id: newId('msg_'),
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: said.turn.text, annotations: [] }],
          },
        ]
      : []),
    ...(said.turn.tools ?? []).map((call, i) => responsesCall(call, said.ids[i], said)),
  ],
  usage: {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 120,
  },
})

function streamResponses(said: Said, send: Send): void {
  const whole = responses(said)
  let sequence_number = 0
  const emit = (type: string, data: object): void => send({ type, sequence_number: sequence_number++, ...data }, type)
  emit('response.created', { response: { ...whole, status: 'in_progress', output: [], usage: null } })
  for (const [output_index, item] of whole.output.entries()) {
    emit('response.output_item.added', { output_index, item: { ...item, status: 'in_progress' } })
    emit('response.output_item.done', { output_index, item })
  }
  emit('response.completed', { response: whole })
}

const gemini = ({ turn, model }: Said) => ({
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          ...(turn.text ? [{ text: turn.text }] : []),
          ...(turn.tools ?? []).map(({ name, input }) => ({ functionCall: { name, args: input } })),
        ],
      },
      finishReason: 'STOP',
      index: 0,
    },
  ],
  usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
  modelVersion: model,
  responseId: newId('r'),
})

const WHOLE: Readonly<Record<Api, (said: Said) => object>> = { messages: message, chat, responses, gemini }

const STREAMED: Readonly<Record<Api, (said: Said, send: Send) => void>> = {
  messages: streamMessage,
  chat: streamChat,
  responses: streamResponses,
  gemini: (said, send) => send(gemini(said)),
}
