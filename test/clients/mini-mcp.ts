import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'

/** The smallest server of tools over standard input and output: `note {path, text}` writes a file. */

interface Message {
  readonly id?: number
  readonly method: string
  readonly params?: { protocolVersion?: string; arguments?: { path?: string; text?: string } }
}

const TOOLS = [
  {
    name: 'note',
    description: 'Write a note into a file',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, text: { type: 'string' } },
      required: ['path', 'text'],
    },
  },
]

function answer({ method, params }: Message): object | undefined {
  if (method === 'initialize')
    return {
      protocolVersion: params?.protocolVersion ?? '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'mini', version: '1.0.0' },
    }
  if (method === 'tools/list') return { tools: TOOLS }
  if (method === 'ping') return {}
  if (method !== 'tools/call') return undefined
  const { path = 'note.txt', text = '' } = params?.arguments ?? {}
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return { content: [{ type: 'text', text: `noted in ${path}` }] }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as Message
  if (message.id === undefined) return
  const result = answer(message)
  const reply = result ? { result } : { error: { code: -32601, message: 'unknown method' } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...reply })}\n`)
})
