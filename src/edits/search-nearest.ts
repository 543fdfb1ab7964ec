import type { FaultData } from '../base/fault.ts'
import { differencesOf, forgive, type TextDifference } from './search-forgive.ts'
import { similarStart } from './search-similar.ts'

/**
 * Finds the place that a text was probably copied from, for the fault that says it was not found. Never used for
 * editing.
 */

type Near = Required<Omit<FaultData<'SEARCH_NOT_FOUND'>, 'path' | 'line_end'>> & { line_end?: string }

const CANDIDATES = 5
const SHOWN = 120

/** Searches for a place that differs in form only, then for the one with the most similar lines. */
export function nearestTo(text: string, search: string): Near | undefined {
  const [plainText, plainSearch] = [forgive(text), forgive(search)]
  if (plainSearch.trim() === '') return undefined
  const lines = linesOf(text)
  const size = linesOf(search).length
  const candidates = startsOf(plainText, plainSearch).map((start) => {
    const window = lines.slice(start, start + size)
    return { start, window, differences: differencesOf(search, window.join('')) }
  })
  const best = candidates.sort((a, b) => a.differences.length - b.differences.length)[0]
  if (best !== undefined) return nearOf(best.start, best.window, search, best.differences)
  const start = similarStart(plainText.split('\n'), plainSearch.split('\n'))
  return start === undefined ? undefined : nearOf(start, lines.slice(start, start + size), search, [])
}

/** Lines with their line ends; at least one. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? ['']

/** The lines, counted from 0, in which `search` begins. */
function startsOf(text: string, search: string): number[] {
  const starts: number[] = []
  let [line, counted] = [0, 0]
  for (let at = text.indexOf(search); at !== -1 && starts.length < CANDIDATES; at = text.indexOf(search, at + 1)) {
    for (; counted < at; counted++) if (text.charCodeAt(counted) === 10) line++
    starts.push(line)
  }
  return starts
}

function nearOf(start: number, window: readonly string[], search: string, differences: TextDifference[]): Near {
  const wanted = linesOf(search)
  const at = Math.max(
    0,
    wanted.findIndex((line, i) => !agrees(line, window[i] ?? '', i, wanted.length)),
  )
  const pair = [wanted[at] ?? '', window[at] ?? ''] as const
  const isEnds = differences.length === 1 && differences[0] === 'line_ends'
  return {
    line: start + 1,
    end_line: start + window.length,
    differences: differences.length === 0 ? ['text'] : differences,
    at: start + at + 1,
    wanted: shown(pair[0], pair),
    found: shown(pair[1], pair),
    ...(isEnds ? { line_end: pair[1].endsWith('\r\n') ? 'CRLF (\\r\\n)' : 'LF (\\n)' } : {}),
  }
}

/**
 * Whether a line of the search text matches one of the file; the first may begin and the last may end inside a line.
 */
function agrees(wanted: string, found: string, i: number, count: number): boolean {
  if (count === 1) return found.includes(wanted)
  if (i === 0) return found.endsWith(wanted)
  return i === count - 1 ? found.startsWith(wanted) : found === wanted
}

/** A line as JSON; of a long one, the part where the two begin to differ. */
function shown(line: string, [a, b]: readonly [string, string]): string {
  if (line.length <= SHOWN) return JSON.stringify(line)
  let same = 0
  while (same < a.length && a[same] === b[same]) same++
  const from = Math.max(0, Math.min(same - SHOWN / 2, line.length - SHOWN))
  return JSON.stringify(line.slice(from, from + SHOWN).toWellFormed())
}
