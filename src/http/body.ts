import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '../base/fault.ts'
import { hasBody } from './answer.ts'
import { Refusal } from './refusal.ts'

/** Reads the body of a request as a JSON object; stops reading a body that is too large. */
export async function readObject(request: IncomingMessage, response: ServerResponse, limit: number): Promise<object> {
  return parseObject(await readBytes(request, response, limit))
}

/** Reads the body as bytes, of any type. */
export async function readBytes(request: IncomingMessage, response: ServerResponse, limit: number): Promise<Buffer> {
  refuseType(request)
  if (Number(request.headers['content-length'] ?? 0) > limit) throw new Refusal('BODY_TOO_LARGE')
  if (request.headers.expect !== undefined) response.writeContinue()
  const parts: Uint8Array[] = []
  let size = 0
  // Leaving the loop early must not close the connection: the refusal still has to be sent.
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    size += part.length
    if (size > limit) throw new Refusal('BODY_TOO_LARGE')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** A form in a page can send any text without a preflight request, but not with this type. */
function refuseType(request: IncomingMessage): void {
  const type = request.headers['content-type']
  const isGood = type === undefined ? !hasBody(request) : /^application\/json *(;|$)/i.test(type)
  if (!isGood) throw new Refusal('BODY_NOT_JSON')
}

const bad = (problem: string): Fault => new Fault('BAD_INPUT', { problem })

export function parseObject(bytes: Uint8Array): object {
  const value = bytes.length === 0 ? {} : parseJson(decode(bytes))
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw bad('The body must be a JSON object, such as {"label":"before"}')
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw bad('The body is not UTF-8.')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // The engine's message goes on with a piece of the text, which may be a secret.
    throw bad(`The body is not JSON: ${(error as SyntaxError).message.split(/ in JSON|, "|, \.\.\./)[0]}.`)
  }
}
