import { lookUp } from '../../base/look-up.ts'
import { type Announced, list, object, type Payload, text } from './event.ts'

/** Computes what Claude Code writes to a file, so that the end of an edit can be detected from the file. */

type Makes = (input: Payload, before: Buffer | undefined) => Buffer | undefined

const MAKES: Readonly<Record<string, Makes>> = {
  Write: ({ content }, before) => (typeof content === 'string' ? written(content, before) : undefined),
  Edit: edited,
  MultiEdit: ({ edits }, before) => inTurn(list(edits).map(object), before),
}

/** Tools whose end no hook has to report. Claude Code runs no other call of the agent in parallel with them. */
export const CLAUDE_FOUND = ['Write', 'Edit']

export function announcedBy(payload: Payload): Announced | undefined {
  const [tool, input] = [text(payload['tool_name']) ?? '', object(payload['tool_input'])]
  const makes = lookUp(MAKES, tool)
  const file = text(input['file_path'])
  if (payload['hook_event_name'] !== 'PreToolUse' || makes === undefined || file === undefined) return undefined
  return { file, makes: (before) => makes(input, before) }
}

const MARK = '\ufeff'

/** A file keeps its encoding and its byte order mark. */
function written(content: string, before: Buffer | undefined): Buffer | undefined {
  if (content.startsWith(MARK)) return undefined
  const encoding = encodingOf(before)
  const isMarked = before?.toString(encoding, 0, 4).startsWith(MARK) ?? false
  return Buffer.from(isMarked ? MARK + content : content, encoding)
}

function edited(input: Payload, before: Buffer | undefined): Buffer | undefined {
  const { old_string, new_string, replace_all } = input
  if (typeof old_string !== 'string' || typeof new_string !== 'string') return undefined
  const [old, now] = [withPlainEnds(old_string), withPlainEnds(new_string)]
  const encoding = encodingOf(before)
  const found = before?.toString(encoding) ?? ''
  if (old === '') return found === '' ? Buffer.from(new_string) : undefined
  const parts = withPlainEnds(found).split(old)
  if (parts.length < 2 || (parts.length > 2 && replace_all !== true)) return undefined
  const made = now === '' ? withoutLines(parts, old) : parts.join(now)
  return Buffer.from(hasWindowsEnds(found) ? made.replaceAll('\n', '\r\n') : made, encoding)
}

/** Several edits of one file, each applied to the result of the one before. */
function inTurn([first, ...rest]: readonly Payload[], before: Buffer | undefined): Buffer | undefined {
  const made = first && edited(first, before)
  return made === undefined || rest.length === 0 ? made : inTurn(rest, made)
}

/**
 * Removing a text also removes the line end after it. If any occurrence is at the end of a line, only such occurrences
 * are removed.
 */
function withoutLines(parts: readonly string[], old: string): string {
  const [line, text] = [`${old}\n`, parts.join(old)]
  return !old.endsWith('\n') && text.includes(line) ? text.split(line).join('') : parts.join('')
}

const encodingOf = (bytes: Buffer | undefined): 'utf16le' | 'utf8' =>
  bytes?.[0] === 0xff && bytes[1] === 0xfe ? 'utf16le' : 'utf8'

const withPlainEnds = (said: string): string => said.replaceAll('\r\n', '\n')

/** Whether most line ends at the beginning of the file are CRLF: an edit writes those that prevail. */
function hasWindowsEnds(found: string): boolean {
  const head = found.slice(0, 4096)
  const [all, windows] = [head.split('\n').length - 1, head.split('\r\n').length - 1]
  return windows > all - windows
}
