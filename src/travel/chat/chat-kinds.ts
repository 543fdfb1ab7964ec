/** A part of a transcript record. A call and its outcome are separate parts, and may be in different records. */
export type ChatPart =
  | { readonly kind: 'text'; readonly role: 'user' | 'assistant'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string | undefined; readonly name: string; readonly input: string }
  | {
      readonly kind: 'outcome'
      readonly id: string | undefined
      readonly name: string | undefined
      readonly output: string
      readonly failed: boolean
    }

/** A parsed record: its parts and its time. */
export interface ChatRecord {
  readonly said: readonly ChatPart[]
  readonly at: number | undefined
  /** Belongs to another agent's branch; shown only when there is nothing else. */
  readonly aside?: boolean
  /** A more complete version of the same message has the same id. */
  readonly again?: string | undefined
}

/**
 * Parses a record by its shape; undefined when it is of no known kind. Each record is recognised by itself: no
 * transcript names its kind reliably.
 */
export function chatRecordOf(record: unknown): ChatRecord | undefined {
  if (!isObject(record)) return undefined
  if (isObject(record['payload'])) return codex(record['payload'], timeOf(record['timestamp']))
  if (isObject(record['info']) && Array.isArray(record['parts'])) return opencode(record['info'], record['parts'])
  if (isObject(record['message']) && typeof record['message']['role'] === 'string')
    return claude(record, record['message'])
  if (record['type'] === 'gemini' || (record['type'] === 'user' && 'content' in record)) return gemini(record)
  if (typeof record['role'] === 'string') return plain(record)
  if (CODEX_ITEMS.test(text(record['type']))) return codex(record, undefined)
  return isBookkeeping(record) ? NOTHING : undefined
}

type Obj = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Obj => typeof value === 'object' && value !== null && !Array.isArray(value)
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const idOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const NOTHING: ChatRecord = { said: [], at: undefined }

/** Records that clients write for their own use: they have one of these fields, or one of these types. */
const isBookkeeping = (record: Obj): boolean =>
  ['sessionId', 'session_id', 'uuid', '$set', '$rewindTo', 'projectHash', 'record_type'].some(
    (name) => name in record,
  ) || BOOKKEEPING.test(text(record['type']))
const BOOKKEEPING =
  /^(?:summary|system|progress|info|warning|error|file-history-.*|queue-operation|custom-title|ai-title|session_meta|event_msg|turn_context|compacted|reasoning)$/

function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'number' ? (value < 1e11 ? value * 1000 : value) : Date.parse(text(value))
  return Number.isFinite(time) ? time : undefined
}

/** Arguments as they are shown: a string as it is, anything else as JSON. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined ? '' : (JSON.stringify(value) ?? '')
}

/** The text of a message's content: a string, or an array of parts, some of which are text. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content))
    return isObject(content) ? shown(content['text'] ?? content['content'] ?? content) : shown(content)
  return content.map(partText).filter(Boolean).join('\n')
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part
  if (!isObject(part)) return ''
  if (typeof part['text'] === 'string') return part['text']
  if (/image/.test(text(part['type'])) || 'inlineData' in part) return '[image]'
  if (/file|document/.test(text(part['type']))) return '[file]'
  return ''
}

// Claude Code, and messages in the shape of its API

function claude(record: Obj, message: Obj): ChatRecord {
  const at = timeOf(record['timestamp'])
  if (record['type'] !== 'user' && record['type'] !== 'assistant') return NOTHING
  // What the client writes to the model in the person's name.
  if (['isMeta', 'isCompactSummary', 'isVisibleInTranscriptOnly'].some((flag) => record[flag] === true)) return NOTHING
  return { said: blocks(roleOf(message['role']), message['content']), at, aside: record['isSidechain'] === true }
}

const roleOf = (role: unknown): 'user' | 'assistant' =>
  /^(?:assistant|model|gemini|ai)$/.test(text(role)) ? 'assistant' : 'user'

function blocks(role: 'user' | 'assistant', content: unknown): ChatPart[] {
  if (!Array.isArray(content)) return [{ kind: 'text', role, text: contentText(content) }]
  const said: ChatPart[] = []
  for (const block of content as unknown[]) {
    const last = said.at(-1)
    const next = blockSaid(role, block)
    if (next?.kind === 'text' && last?.kind === 'text')
      said[said.length - 1] = { ...next, text: `${last.text}\n${next.text}` }
    else if (next) said.push(next)
  }
  return said
}

function blockSaid(role: 'user' | 'assistant', block: unknown): ChatPart | undefined {
  if (!isObject(block)) return typeof block === 'string' ? { kind: 'text', role, text: block } : undefined
  if (block['type'] === 'tool_use' || block['type'] === 'server_tool_use' || block['type'] === 'tool-call')
    return {
      kind: 'call',
      id: idOf(block['id'] ?? block['toolCallId']),
      name: text(block['name'] ?? block['toolName']),
      input: shown(block['input'] ?? block['args']),
    }
  if (/tool[_-]result$/.test(text(block['type'])))
    return {
      kind: 'outcome',
      id: idOf(block['tool_use_id'] ?? block['toolCallId']),
      name: idOf(block['toolName']),
      output: contentText(block['content'] ?? block['output'] ?? block['result']),
      failed: block['is_error'] === true || block['isError'] === true,
    }
  const shownText = partText(block)
  return shownText === '' ? undefined : { kind: 'text', role, text: shownText }
}

// Codex

const CODEX_ITEMS = /^(?:function_call|custom_tool_call|local_shell_call)(?:_output)?$/
/** What Codex writes to the model in the person's name. */
const CONTEXT =
  /^\s*<(?:environment_context|user_instructions|turn_aborted|permissions|skills_instructions|collaboration_mode)[ >]|^# AGENTS\.md instructions/

function codex(item: Obj, at: number | undefined): ChatRecord {
  const said = codexSaid(item)
  return said === undefined ? NOTHING : { said: [said], at }
}

function codexSaid(item: Obj): ChatPart | undefined {
  const type = text(item['type'])
  const id = idOf(item['call_id'] ?? item['id'])
  if (type === 'message') {
    const role = text(item['role'])
    const said = contentText(item['content'])
    if ((role !== 'user' && role !== 'assistant') || (role === 'user' && CONTEXT.test(said))) return undefined
    return { kind: 'text', role, text: said }
  }
  if (type === 'function_call' || type === 'custom_tool_call')
    return {
      kind: 'call',
      id,
      name: [item['namespace'], item['name']].filter((part) => typeof part === 'string').join('__'),
      input: shown(item['arguments'] ?? item['input']),
    }
  if (type === 'local_shell_call') return { kind: 'call', id, name: 'shell', input: shown(item['action']) }
  if (CODEX_ITEMS.test(type))
    return { kind: 'outcome', id, name: undefined, output: codexOutput(item['output']), failed: false }
  return undefined
}

/** Older versions wrap the output into JSON. */
function codexOutput(output: unknown): string {
  if (typeof output !== 'string' || !output.startsWith('{')) return contentText(output)
  try {
    const inner: unknown = JSON.parse(output)
    return isObject(inner) && typeof inner['output'] === 'string' ? inner['output'] : output
  } catch {
    return output
  }
}

// Gemini

function gemini(record: Obj): ChatRecord {
  const at = timeOf(record['timestamp'])
  const role = record['type'] === 'gemini' ? 'assistant' : 'user'
  const said: ChatPart[] = [{ kind: 'text', role, text: contentText(record['content']) }]
  const calls = Array.isArray(record['toolCalls']) ? (record['toolCalls'] as unknown[]) : []
  for (const call of calls) if (isObject(call)) said.push(...geminiCall(call))
  return { said, at, again: idOf(record['id']) }
}

function geminiCall(call: Obj): ChatPart[] {
  const id = idOf(call['id']) ?? 'call'
  const result = Array.isArray(call['result']) ? (call['result'] as unknown[]) : []
  const outputs = result.map((part) => {
    const response =
      isObject(part) && isObject(part['functionResponse']) ? part['functionResponse']['response'] : undefined
    return isObject(response) ? shown(response['output'] ?? response['error'] ?? response) : partText(part)
  })
  const output = outputs.filter(Boolean).join('\n') || shown(call['resultDisplay'])
  return [
    { kind: 'call', id, name: text(call['name']), input: shown(call['args']) },
    { kind: 'outcome', id, name: text(call['name']), output, failed: /error|cancel/.test(text(call['status'])) },
  ]
}

// opencode

function opencode(info: Obj, parts: readonly unknown[]): ChatRecord {
  const role = roleOf(info['role'])
  const at = timeOf(isObject(info['time']) ? info['time']['created'] : undefined)
  return { said: parts.filter(isObject).flatMap((part) => opencodePart(role, part)), at }
}

function opencodePart(role: 'user' | 'assistant', part: Obj): ChatPart[] {
  if (part['type'] === 'text' && part['synthetic'] !== true && part['ignored'] !== true)
    return [{ kind: 'text', role, text: text(part['text']) }]
  if (part['type'] === 'file') return [{ kind: 'text', role, text: `[file] ${text(part['filename'])}` }]
  if (part['type'] !== 'tool' || !isObject(part['state'])) return []
  const { state } = part as { state: Obj }
  const id = idOf(part['callID'])
  const call: ChatPart = { kind: 'call', id, name: text(part['tool']), input: shown(state['input']) }
  if (state['status'] !== 'completed' && state['status'] !== 'error') return [call]
  const failed = state['status'] === 'error'
  return [
    call,
    { kind: 'outcome', id, name: text(part['tool']), output: shown(failed ? state['error'] : state['output']), failed },
  ]
}

// Messages given by the caller

function plain(record: Obj): ChatRecord {
  const at = timeOf(record['timestamp'] ?? record['created_at'])
  const role = text(record['role'])
  if (role === 'system' || role === 'developer') return NOTHING
  if (role === 'tool' || role === 'function')
    return {
      said: [
        {
          kind: 'outcome',
          id: idOf(record['tool_call_id']),
          name: idOf(record['name']),
          output: contentText(record['content']),
          failed: record['is_error'] === true,
        },
      ],
      at,
    }
  const calls = Array.isArray(record['tool_calls']) ? (record['tool_calls'] as unknown[]) : []
  return { said: [...blocks(roleOf(role), record['content'] ?? ''), ...calls.filter(isObject).map(apiCall)], at }
}

function apiCall(call: Obj): ChatPart {
  const fn = isObject(call['function']) ? call['function'] : call
  return { kind: 'call', id: idOf(call['id']), name: text(fn['name']), input: shown(fn['arguments'] ?? fn['input']) }
}
