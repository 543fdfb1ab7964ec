import type { Readable, Writable } from 'node:stream'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Ground, McpRooms } from './api.ts'
import { Desk } from './desk.ts'
import { LineTransport } from './lines.ts'
import type { Offer } from './offer.ts'
import { openSeals } from './seals.ts'
import { createServer } from './server.ts'

export interface StdioSetting {
  readonly rooms: McpRooms
  readonly offer: Offer
  readonly ground: Ground
  readonly session: string
  /** Whether the client gave the session its name. */
  readonly isTheirs: boolean
  readonly input: Readable
  readonly output: Writable
}

export interface Served {
  /** Resolves when the client has gone. */
  readonly over: Promise<void>
  close(): Promise<void>
}

/** Serves one client over two streams. */
export function serveStreams({ input, output, ...setting }: StdioSetting): Served {
  const { rooms } = setting
  const desk = new Desk({ ...setting, ...openSeals() })
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
