import { firstLine, visible } from '../base/visible.ts'
import { type Cause, certaintyOf, type Sighting } from '../schema/cause.ts'

/**
 * Why the author of a change is not certain, as text; null where the author is certain, or none is named. `title` is
 * the command.
 */
export function reasonOf(cause: Cause, title: string | null): string | null {
  const certainty = certaintyOf(cause)
  if (certainty === undefined || certainty === 'certain') return null
  const titles = cause.shared ? cause.shared.flatMap((one) => one.title ?? []) : [title ?? cause.tool ?? 'a call']
  const ran = isEdit(cause)
    ? `changed during ${cause.tool ?? 'an edit'}`
    : `changed while ${titles.length === 0 ? 'several calls' : listed(titles.map(shortened))} ran`
  const nearest = cause.seen?.toSorted((a, b) => a.seconds_before - b.seconds_before)[0]
  if (nearest) return `${ran}; ${sightingText(nearest)}`
  if (certainty === 'likely') return ran
  const mayBeOther = cause.shared?.some(({ session_id }) => session_id === null) ?? false
  return mayBeOther ? `${ran}, or by somebody else` : ran
}

/** Whether the only call in question is an edit: the input of an edit contains no command. */
function isEdit({ certainty, known_by, shared, tool_input }: Cause): boolean {
  if ((shared?.filter(({ session_id }) => session_id !== null).length ?? 1) > 1) return false
  if (certainty === 'likely' && known_by === 'path') return true
  return typeof tool_input === 'object' && tool_input !== null && EDITED.some((field) => field in tool_input)
}

/** The names that clients use for the file of an edit. */
const EDITED = ['file_path', 'filePath', 'notebook_path', 'path', 'patch']

function sightingText({ by, path, renamed_to, seconds_before: seconds }: Sighting): string {
  if (by === 'swap-file') return 'you have it open in an editor'
  const it = renamed_to === undefined ? 'it' : `it as ${visible(path)}`
  return seconds === 0 ? `you edited ${it}, too` : `you edited ${it} ${ago(seconds)} before`
}

const ago = (seconds: number): string => (seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`)

const COMMAND_WIDTH = 60
const shortened = (title: string): string => {
  const line = firstLine(title)
  return line.length > COMMAND_WIDTH ? `${line.slice(0, COMMAND_WIDTH)}…` : line
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
