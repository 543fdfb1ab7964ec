import { Fault } from '../../base/fault.ts'
import { Database } from '../../host/database.ts'
import { translateError } from '../../host/faults.ts'
import { close, errorCode, openRead, readInto, realPath } from '../../host/files/fs.ts'

import { ArrayRecords, LineRecords, type RecordSplitter } from './chat-pieces.ts'

export type ChatSource = { readonly file: string } | { readonly messages: readonly ChatMessage[] }

/** A message given by the caller. `name` is the tool's when the role is `tool`. */
interface ChatMessage {
  readonly role: string
  readonly content: unknown
  readonly name?: string | undefined
}

const STEP = 256 * 1024
const SQLITE = 'SQLite format 3\0'

/** The records of a transcript in order; undefined for one that cannot be parsed. */
export async function* recordsOf(source: ChatSource | undefined, session: string): AsyncGenerator<unknown> {
  if (source === undefined) return
  if ('messages' in source) return yield* source.messages
  const steps = stepsOf(source.file)
  const first = steps.next()
  if (first.done) return
  if (first.value.subarray(0, SQLITE.length).toString('latin1') === SQLITE) {
    steps.return(undefined)
    return yield* opencodeRecords(source.file, session)
  }
  const pieces = piecesFor(first.value)
  yield* parsed(pieces.push(first.value))
  for (const step of steps) {
    yield* parsed(pieces.push(step))
    // Lets other work run: a large transcript takes seconds.
    await new Promise((resume) => setImmediate(resume))
  }
  yield* parsed(pieces.end())
}

function* stepsOf(file: string): Generator<Buffer, void, void> {
  const fd = opened(file)
  try {
    for (;;) {
      const step = Buffer.allocUnsafe(STEP)
      const length = readInto(fd, step, 0, STEP, null)
      if (length > 0) yield step.subarray(0, length)
      if (length < STEP) return
    }
  } finally {
    close(fd)
  }
}

/** Clients may keep their transcripts behind a link. */
function opened(file: string): number {
  try {
    return openRead(realPath(file))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new Fault('BAD_INPUT', { problem: `There is no transcript at ${file}.` })
    throw translateError(error, file)
  }
}

/** One document per line, or a single document, on many lines or on one long line. */
function piecesFor(beginning: Buffer): RecordSplitter {
  const text = beginning.toString('utf8').trimStart()
  const lines = text.split('\n').slice(0, 3)
  if (!/^[[{]\s*$/.test(lines[0] ?? '') && lines.some((line) => isObject(parse(line)))) return new LineRecords()
  if (lines.length > 1) return /^[[{]/.test(text) ? new ArrayRecords() : new LineRecords()
  return /^\[|"messages"\s*:\s*\[/.test(text) ? new ArrayRecords() : new LineRecords()
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** A record may hold a whole conversation. */
function* parsed(pieces: Iterable<Buffer | undefined>): Generator<unknown> {
  for (const piece of pieces) {
    const record = piece === undefined ? undefined : parse(piece.toString('utf8'))
    if (Array.isArray(record)) yield* record
    else if (isObject(record) && Array.isArray((record as { messages?: unknown }).messages))
      yield* (record as { messages: unknown[] }).messages
    else yield record
  }
}

/** The messages of one session in opencode's database, each with its parts. */
function* opencodeRecords(file: string, session: string): Generator<unknown> {
  const db = new Database(realPath(file), { readOnly: true })
  try {
    const ids = db.all<{ id: string; data: string }>(
      'SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id',
      session,
    )
    for (const { id, data } of ids) {
      const parts = db.all<{ data: string }>('SELECT data FROM part WHERE message_id = ? ORDER BY id', id)
      const info = parse(data)
      yield isObject(info) ? { info, parts: parts.map((part) => parse(part.data)) } : undefined
    }
  } finally {
    db.close()
  }
}
