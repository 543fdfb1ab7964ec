import type { ServerResponse } from 'node:http'
import type { z } from 'zod'
import { asFault, Fault, KINDS } from '../base/fault.ts'
import { faultText } from '../base/fault-text.ts'
import { type FrameType, frameHead } from '../client/frames.ts'
import { COMMON_HEADERS, sendProblem } from './answer.ts'
import { type ApiServices, Caller, type CommandOut, CommandRequest } from './api.ts'
import { declined } from './refusal.ts'

/** Runs a command line and streams its output. Throws what must be answered instead of a stream. */
export function streamCommand(rooms: ApiServices, body: object, response: ServerResponse): Promise<void> {
  const request = read(CommandRequest, body)
  return stream(response, async (out) => rooms.command?.(request, out))
}

/** A call without its caller. */
interface StreamedCall {
  readonly tool: string
  readonly input: object
  /** The header in which the caller describes itself. */
  readonly caller: string
}

/** Calls a tool and streams its progress and its answer. Throws what must be answered instead of a stream. */
export function streamCall(rooms: ApiServices, call: StreamedCall, response: ServerResponse): Promise<void> {
  const caller = read(Caller, jsonIn(call.caller))
  return stream(response, async (out) => rooms.callInFrames?.(call.tool, call.input, caller, out))
}

async function stream(response: ServerResponse, run: (out: CommandOut) => Promise<void>): Promise<void> {
  const out = new FramedOut(response)
  try {
    await run(out)
    out.refuseOpenEnd()
  } catch (error) {
    if (!response.headersSent) throw error
    out.fail(asFault(error))
  }
}

function read<T>(schema: z.ZodType<T>, given: unknown): T {
  const parsed = schema.safeParse(given)
  if (!parsed.success) throw new Fault('BAD_INPUT', { problem: problemOf(parsed.error) })
  return parsed.data
}

function jsonIn(header: string): unknown {
  try {
    return JSON.parse(header)
  } catch {
    return undefined
  }
}

const problemOf = (error: z.ZodError): string =>
  error.issues.map((issue) => `"${issue.path.join('.')}": ${issue.message}`).join('; ')

/** A client buffers a frame until it is complete; small frames keep that buffer small. */
const FRAME_BYTES = 256 * 1024

const bytesOf = (data: Uint8Array | string): Uint8Array => (typeof data === 'string' ? Buffer.from(data) : data)

class FramedOut implements CommandOut {
  readonly #response: ServerResponse
  readonly #gone = new AbortController()
  #isOver = false

  constructor(response: ServerResponse) {
    this.#response = response
    response.once('close', () => this.#leave())
    if (response.destroyed) this.#leave()
  }

  get signal(): AbortSignal {
    return this.#gone.signal
  }

  started(retryable: boolean): void {
    this.#frame('s', retryable ? '1' : '0')
  }

  out(data: Uint8Array | string): void {
    const bytes = bytesOf(data)
    for (let at = 0; at < bytes.length; at += FRAME_BYTES) this.#frame('o', bytes.subarray(at, at + FRAME_BYTES))
  }

  err(text: string): void {
    this.#frame('e', text)
  }

  progress(message: string, done?: number, total?: number): void {
    this.#frame('p', JSON.stringify({ message, done, total }))
  }

  exit(code: number): void {
    this.#frame('x', String(code))
    this.#end(() => this.#response.end())
  }

  decline(status: number, reason: string): void {
    if (this.#response.headersSent) throw new Error('A command that has started cannot be declined.')
    this.#end(() => sendProblem(this.#response, declined(status, reason)))
  }

  /** Ends a stream after an error, with the text and exit code that the command line would have. */
  fail(fault: Fault): void {
    this.err(`${faultText(fault)}\n`)
    this.exit(KINDS[fault.kind].exit)
  }

  /** Throws if there was no exit code yet: the client would wait for it for ever. */
  refuseOpenEnd(): void {
    if (!this.#isOver) throw new Error('The command ended without an exit code.')
  }

  #frame(type: FrameType, data: Uint8Array | string): void {
    if (this.#isOver) return
    const payload = bytesOf(data)
    if (!this.#response.headersSent)
      this.#response.writeHead(200, { ...COMMON_HEADERS, 'Content-Type': 'application/octet-stream' })
    this.#response.write(frameHead(type, payload.length))
    this.#response.write(payload)
  }

  #end(last: () => void): void {
    if (this.#isOver) return
    this.#isOver = true
    last()
  }

  /** The connection was closed. Aborts the command, unless its answer was complete. */
  #leave(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#gone.abort()
  }
}
