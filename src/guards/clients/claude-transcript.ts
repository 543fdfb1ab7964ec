import { close, openRead, readInto, regularSize } from '../../host/files/fs.ts'
import { type Answered, list, object, type Payload, text } from './event.ts'

/** Reads Claude Code's transcript: one JSON object per line, the results of calls among them. */

/** How much of the end of the transcript is searched. */
const TAIL_BYTES = 1 << 20

/**
 * Those of some calls whose result the model has received: they are over, even if no hook reported it. The transcript
 * is written with a short delay, so this may miss some calls, but it returns none that are still running.
 */
export function answeredCalls(payload: Payload, calls: readonly string[]): Answered[] {
  const file = transcriptOf(payload)
  if (file === undefined || calls.length === 0) return []
  const told = resultsIn(tailOf(file), calls)
  return calls.flatMap((id) => told.get(id) ?? [])
}

/** A sub-agent has a transcript of its own, in a folder beside its parent's. */
function transcriptOf(payload: Payload): string | undefined {
  const [file, agent] = [text(payload['transcript_path']), text(payload['agent_id'])]
  if (file === undefined || agent === undefined) return file
  return /^[\w-]+$/.test(agent) && file.endsWith('.jsonl')
    ? `${file.slice(0, -'.jsonl'.length)}/subagents/agent-${agent}.jsonl`
    : undefined
}

function tailOf(file: string): string {
  let fd: number | undefined
  try {
    fd = openRead(file)
    const size = regularSize(fd)
    const bytes = Buffer.alloc(Math.min(TAIL_BYTES, size))
    const got = readInto(fd, bytes, 0, bytes.length, size - bytes.length)
    return bytes.toString('utf8', 0, got)
  } catch {
    return ''
  } finally {
    if (fd !== undefined) close(fd)
  }
}

function resultsIn(tail: string, calls: readonly string[]): Map<string, Answered> {
  const lines = tail
    .split('\n')
    .filter((line) => line.includes('"tool_result"') && calls.some((id) => line.includes(id)))
  return new Map(lines.flatMap((line) => results(parsed(line))).map((result) => [result.id, result]))
}

const results = (line: Payload): Answered[] =>
  list(object(line['message'])['content'])
    .map(object)
    .flatMap((part) => {
      const id = text(part['tool_use_id'])
      const isResult = part['type'] === 'tool_result' && id !== undefined && !isGoingOn(part)
      return isResult ? [{ id, failed: part['is_error'] === true, ...timeOf(line) }] : []
    })

function timeOf(line: Payload): { at?: number } {
  const at = Date.parse(text(line['timestamp']) ?? '')
  return Number.isNaN(at) ? {} : { at }
}

/** A command that was moved to the background has a result, but is not over. */
function isGoingOn({ content }: Payload): boolean {
  const said = typeof content === 'string' ? content : text(object(list(content)[0])['text'])
  return /^Command (is )?running in background/i.test(said ?? '')
}

function parsed(line: string): Payload {
  try {
    return object(JSON.parse(line))
  } catch {
    return {}
  }
}
