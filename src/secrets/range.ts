/** The replacement of a secret. */
export const MARK = '***REDACTED***'

/** The position of a secret in a text: from `start` to `end`, the end excluded. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** The same ranges, sorted, with overlapping ones joined. */
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

/** The text with each range replaced by the mark. */
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

/** Every match of a global pattern. Faster than `matchAll`, which copies the pattern each time. */
export function all(pattern: RegExp, text: string): RegExpExecArray[] {
  const found: RegExpExecArray[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    found.push(match)
    if (match[0] === '') pattern.lastIndex++
  }
  return found
}
