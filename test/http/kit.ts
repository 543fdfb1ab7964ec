import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import * as http from 'node:http'
import * as net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ApiEvent, ApiServices, Limits, Listener } from '../../src/http/api.ts'
import { createApiServer } from '../../src/http/server.ts'
import { CATALOGUE } from '../../src/protocol/catalogue.ts'

/** Real servers and real clients, with rooms behind them that only pretend. */

export const TOKEN = 'the-token-of-the-tests'

export class FakeRooms implements ApiServices {
  readonly version = '9.9.9'
  readonly calls: { name: string; input: unknown }[] = []
  readonly listeners = new Set<(event: ApiEvent) => void>()
  readonly past: ApiEvent[] = []
  /** What a tool answers: by default what it was asked. */
  answer: (name: string, input: unknown) => object | Promise<object> = (name, input) => ({ name, input })
  command?: NonNullable<ApiServices['command']>
  callInFrames?: NonNullable<ApiServices['callInFrames']>

  async call(name: string, input: unknown) {
    this.calls.push({ name, input })
    return { spec: await CATALOGUE[0]!.load(), output: await this.answer(name, input) }
  }

  health(): object {
    return { workspaces: 2 }
  }

  subscribe(listener: (event: ApiEvent) => void, after = Number.POSITIVE_INFINITY): () => void {
    for (const event of this.past) if (event.id > after) listener(event)
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  emit(event: ApiEvent): void {
    this.past.push(event)
    for (const listener of this.listeners) listener(event)
  }
}

/** Where a server listens, as clients name it. */
export type Place = { readonly host: string; readonly port: number } | { readonly path: string }

export interface Served {
  readonly place: Place
  readonly server: http.Server
  /** What a good client sends with each request. */
  readonly headers: Readonly<Record<string, string>>
}

const listening = async (server: http.Server, where: net.ListenOptions): Promise<http.Server> => {
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
  })
  server.listen({ ...where, backlog: 4096 })
  await once(server, 'listening')
  return server
}

const portOf = (server: http.Server): number => (server.address() as net.AddressInfo).port

export async function serveLoopback(rooms: ApiServices, limits: Partial<Limits> = {}): Promise<Served> {
  const door: Listener = { kind: 'loopback', proof: 'p', token: TOKEN, port: () => portOf(server) }
  const server: http.Server = createApiServer(rooms, door, limits)
  await listening(server, { host: '127.0.0.1', port: 0 })
  const place = { host: '127.0.0.1', port: portOf(server) }
  return { server, place, headers: { host: `127.0.0.1:${place.port}`, authorization: `Bearer ${TOKEN}` } }
}

export async function serveSocket(rooms: ApiServices, limits: Partial<Limits> = {}): Promise<Served> {
  const dir = mkdtempSync(join(tmpdir(), 'timewarp-http-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const place = { path: join(dir, 'daemon.sock') }
  const server = await listening(createApiServer(rooms, { kind: 'socket' }, limits), place)
  return { server, place, headers: {} }
}

export interface Question {
  readonly method?: string
  readonly path: string
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: string | Uint8Array
}

export interface Reply {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  /** The code of the error, if it is one. */
  readonly code: string | undefined
}

/** Asks with a real client, as a good one would; headers that are undefined are left out. */
export function ask({ place, headers }: Served, question: Question): Promise<Reply> {
  const { method = question.body === undefined ? 'GET' : 'POST', path, body } = question
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const given = Object.entries({ ...headers, ...type, ...question.headers }).filter(([, value]) => value !== undefined)
  const where = 'path' in place ? { socketPath: place.path } : place
  return new Promise((resolve, reject) => {
    const request = http.request({ ...where, method, path, headers: Object.fromEntries(given), setHost: false })
    request.once('error', reject)
    request.once('response', (response) => readReply(response).then(resolve, reject))
    request.end(body)
  })
}

export const post = (served: Served, path: string, body: object, headers = {}): Promise<Reply> =>
  ask(served, { path, body: JSON.stringify(body), headers })

export async function readReply(response: http.IncomingMessage): Promise<Reply> {
  const text = Buffer.concat(await Array.fromAsync(response as AsyncIterable<Buffer>)).toString()
  return { status: response.statusCode ?? 0, headers: response.headers, text, code: codeOf(text) }
}

export function codeOf(text: string): string | undefined {
  const body = text.startsWith('{') ? (JSON.parse(text) as { error?: { code: string } }) : {}
  return body.error?.code
}

/** A connection of its own, for clients that are no good. */
export async function connect({ place }: Served): Promise<net.Socket> {
  const socket = net.connect(place)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  // A server that stops reading resets the connection sooner or later.
  socket.on('error', () => {})
  return socket
}

export const closing = (socket: net.Socket): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()))

/** Everything that comes until the server closes. */
export async function readAll(socket: net.Socket): Promise<Buffer> {
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => parts.push(part))
  await closing(socket)
  return Buffer.concat(parts)
}

export const headOf = (line: string, headers: Readonly<Record<string, string | number>>): string =>
  `${[line, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\r\n')}\r\n\r\n`

/** Waits until something is so; a test that waits in vain runs into its timeout. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}
