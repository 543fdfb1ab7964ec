import type { Readable, Writable } from 'node:stream'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { McpServices, WorkspaceHint } from './api.ts'
import { LineTransport } from './lines.ts'
import { McpSession } from './mcp-session.ts'
import { openSealing } from './sealing.ts'
import { createServer } from './server.ts'
import type { ToolSet } from './tool-set.ts'

export interface StdioSetting {
  readonly rooms: McpServices
  readonly offer: ToolSet
  readonly ground: WorkspaceHint
  readonly session: string
  /** Whether the client chose the session id. */
  readonly isTheirs: boolean
  readonly input: Readable
  readonly output: Writable
}

export interface StdioSession {
  /** Resolves when the client has disconnected. */
  readonly over: Promise<void>
  close(): Promise<void>
}

/** Serves one client over two streams. */
export function serveStreams({ input, output, ...setting }: StdioSetting): StdioSession {
  const { rooms } = setting
  const desk = new McpSession({ ...setting, ...openSealing() })
  const wire = new LineTransport(input, output)
  const handle = serveStdio(({ era }) => createServer(desk, era), {
    transport: wire,
    onerror: (error) => rooms.log(error.message),
  })
  const closed = wire.onclose
  const over = new Promise<void>((done) => {
    wire.onclose = () => {
      closed?.()
      done()
    }
  })
  return { over, close: () => handle.close() }
}
