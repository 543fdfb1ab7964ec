import { lookUp } from '../../base/look-up.ts'
import { type Announced, list, object, type Payload, text } from './event.ts'

/** What Claude Code makes of a file, so that it can be seen when an edit is done. */

type Makes = (input: Payload, before: Buffer | undefined) => Buffer | undefined

const MAKES: Readonly<Record<string, Makes>> = {
  Write: ({ content }, before) => (typeof content === 'string' ? written(content, before) : undefined),
  Edit: edited,
  MultiEdit: ({ edits }, before) => inTurn(list(edits).map(object), before),
}

/** Tools whose end need not be told. Claude Code runs nothing else of an agent's beside them. */
export const CLAUDE_FOUND = ['Write', 'Edit']

export function announcedBy(payload: Payload): Announced | undefined {
  const [tool, input] = [text(payload['tool_name']) ?? '', object(payload['tool_input'])]
  const makes = lookUp(MAKES, tool)
  const file = text(input['file_path'])
  if (payload['hook_event_name'] !== 'PreToolUse' || makes === undefined || file === undefined) return undefined
  return { file, makes: (before) => makes(input, before) }
}

const MARK = '\ufeff'

/** A file stays in its encoding, and keeps the mark at its beginning. */
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

/** Several edits of one file, each of what the one before it made. */
function inTurn([first, ...rest]: readonly Payload[], before: Buffer | undefined): Buffer | undefined {
  const made = first && edited(first, before)
  return made === undefined || rest.length === 0 ? made : inTurn(rest, made)
}

/** A text that is taken out takes the end of its line along. If it is at the end of a line once, only such are taken out. */
function withoutLines(parts: readonly string[], old: string): string {
  const [line, text] = [`${old}\n`, parts.join(old)]
  return !old.endsWith('\n') && text.includes(line) ? text.split(line).join('') : parts.join('')
}

const encodingOf = (bytes: Buffer | undefined): 'utf16le' | 'utf8' =>
  bytes?.[0] === 0xff && bytes[1] === 0xfe ? 'utf16le' : 'utf8'

const withPlainEnds = (said: string): string => said.replaceAll('\r\n', '\n')

/** Line ends become what most of the first ones are. */
function hasWindowsEnds(found: string): boolean {
  const head = found.slice(0, 4096)
  const [all, windows] = [head.split('\n').length - 1, head.split('\r\n').length - 1]
  return windows > all - windows
}
