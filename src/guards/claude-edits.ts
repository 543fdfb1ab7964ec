import { resolve } from 'node:path'
import { type Edit, list, object, type Payload, text } from './event.ts'

/** What the edit tools of Claude Code leave behind: by that one is seen to be done. */

type Shows = (input: Payload, bytes: Buffer) => boolean

const SHOWS: Readonly<Record<string, Shows>> = {
  Write: ({ content }, bytes) => typeof content === 'string' && bytes.equals(Buffer.from(content)),
  Edit: (input, bytes) => showsChange(input, bytes),
  // They are written all at once, so the last one tells of all.
  MultiEdit: ({ edits }, bytes) => showsChange(object(list(edits).at(-1)), bytes),
  NotebookEdit: showsCell,
}

/** Tools that change the one file they name. Claude Code runs nothing else of an agent's beside them. */
export const CLAUDE_EDITS = Object.keys(SHOWS)

/** The edit that a payload announces. */
export function editOf(payload: Payload): Edit | undefined {
  const [tool, input] = [text(payload['tool_name']) ?? '', object(payload['tool_input'])]
  const shows = Object.hasOwn(SHOWS, tool) ? SHOWS[tool] : undefined
  const file = text(input['file_path']) ?? text(input['notebook_path'])
  if (payload['hook_event_name'] !== 'PreToolUse' || shows === undefined || file === undefined) return undefined
  return { file: resolve(text(payload['cwd']) ?? '/', file), shows: (bytes) => shows(input, bytes) }
}

/** The new text is there, and the old one is gone unless it is part of the new. Line ends are the file's own. */
function showsChange({ old_string: old, new_string: now }: Payload, bytes: Buffer): boolean {
  if (typeof old !== 'string' || typeof now !== 'string') return false
  const [found, before, after] = [bytes.toString(), old, now].map(withPlainEnds) as [string, string, string]
  return found.includes(after) && (after.includes(before) || !found.includes(before))
}

const withPlainEnds = (said: string): string => said.replaceAll('\r\n', '\n')

/** A cell has the new source, or is gone. */
function showsCell({ cell_id, new_source, edit_mode }: Payload, bytes: Buffer): boolean {
  const cells = cellsIn(bytes)
  if (edit_mode === 'delete') return cells !== undefined && !cells.some(({ id }) => id === cell_id)
  return cells?.some(({ source }) => sourceText(source) === new_source) ?? false
}

const sourceText = (source: unknown): unknown => (Array.isArray(source) ? source.join('') : source)

function cellsIn(bytes: Buffer): Payload[] | undefined {
  try {
    return list(object(JSON.parse(bytes.toString()))['cells']).map(object)
  } catch {
    return undefined
  }
}
