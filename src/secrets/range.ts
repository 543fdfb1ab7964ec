/** What stands where a secret was. */
export const MARK = '***REDACTED***'

/** Where a secret stands in a text: from `start` up to, not including, `end`. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** The same places, in order, none touching another. */
export function merged(ranges: readonly Range[]): Range[] {
  const out: { start: number; end: number }[] = []
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = out.at(-1)
    if (end <= start) continue
    if (last && start < last.end) last.end = Math.max(last.end, end)
    else out.push({ start, end })
  }
  return out
}

/** The text between the ranges, with a mark for each of them. */
export function marked(text: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return text
  const parts: string[] = []
  let at = 0
  for (const { start, end } of ranges) {
    parts.push(text.slice(at, start), MARK)
    at = end
  }
  parts.push(text.slice(at))
  return parts.join('')
}

/** Every match of a global pattern. Quicker than `matchAll`, which copies the pattern each time. */
export function all(pattern: RegExp, text: string): RegExpExecArray[] {
  const found: RegExpExecArray[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    found.push(match)
    if (match[0] === '') pattern.lastIndex++
  }
  return found
}
