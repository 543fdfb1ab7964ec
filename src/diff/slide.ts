/**
 * Where equal lines leave a choice, a run of changed lines can be slid up or down without changing the meaning of the
 * diff: an added function may begin at its own first line or at the closing bracket of the one before. The choice is
 * git's: next to a change on the other side if there is one, otherwise where indentation and blank lines suggest a
 * boundary.
 */

import { type Lines, lineAt, lineCount } from './split.ts'

export interface Side {
  readonly lines: Lines
  readonly ids: Int32Array
  /** 1 for a line without a partner. */
  readonly changed: Uint8Array
}

/** A run of changed lines, perhaps empty, between two unchanged ones. Both sides have the same number of groups. */
interface Group {
  start: number
  end: number
}

const SLIDE_AT_MOST = 100
const BLANKS_AT_MOST = 20
const INDENT_AT_MOST = 200

/** Where to put a run with several possible places: at the best boundary for a reader, or as far down as possible. */
export type Placing = 'boundary' | 'down'

/** Slides the groups of `side`. Those of `other` stay; it tracks which of them are opposite. */
export function slide(side: Side, other: Side, placing: Placing): void {
  const group = firstGroup(side)
  const opposite = firstGroup(other)
  do {
    if (group.end > group.start) settle(side, other, group, opposite, placing)
  } while (toNext(side, group) && toNext(other, opposite))
}

function settle(side: Side, other: Side, group: Group, opposite: Group, placing: Placing): void {
  const { earliest, facing } = slideThrough(side, other, group, opposite)
  if (group.end === earliest) return
  const target = facing ?? (placing === 'down' ? group.end : bestEnd(side, group, earliest))
  while (group.end > target && slideUp(side, group)) toPrevious(other, opposite)
}

/**
 * Slides to the top and then to the bottom, joining groups on the way, and leaves it there. Returns its end at the top,
 * and the lowest end with a change opposite.
 */
function slideThrough(side: Side, other: Side, group: Group, opposite: Group): { earliest: number; facing?: number } {
  for (;;) {
    const size = group.end - group.start
    while (slideUp(side, group)) toPrevious(other, opposite)
    const earliest = group.end
    let facing = opposite.end > opposite.start ? group.end : undefined
    while (slideDown(side, group)) {
      toNext(other, opposite)
      if (opposite.end > opposite.start) facing = group.end
    }
    if (size === group.end - group.start) return facing === undefined ? { earliest } : { earliest, facing }
  }
}

const firstGroup = (side: Side): Group => ({ start: 0, end: endFrom(side, 0) })

function endFrom({ changed }: Side, start: number): number {
  let end = start
  while (changed[end] === 1) end++
  return end
}

function toNext(side: Side, group: Group): boolean {
  if (group.end >= side.changed.length) return false
  group.start = group.end + 1
  group.end = endFrom(side, group.start)
  return true
}

function toPrevious({ changed }: Side, group: Group): void {
  group.end = group.start - 1
  group.start = group.end
  while (group.start > 0 && changed[group.start - 1] === 1) group.start--
}

function slideUp({ ids, changed }: Side, group: Group): boolean {
  if (group.start === 0 || ids[group.start - 1] !== ids[group.end - 1]) return false
  changed[--group.start] = 1
  changed[--group.end] = 0
  while (group.start > 0 && changed[group.start - 1] === 1) group.start--
  return true
}

function slideDown({ ids, changed }: Side, group: Group): boolean {
  if (group.end >= ids.length || ids[group.start] !== ids[group.end]) return false
  changed[group.start++] = 0
  changed[group.end++] = 1
  while (changed[group.end] === 1) group.end++
  return true
}

interface Score {
  readonly indent: number
  readonly penalty: number
}

/** The end, from `earliest` to where the group is now, at which both its edges look most like boundaries. */
function bestEnd({ lines }: Side, group: Group, earliest: number): number {
  const size = group.end - group.start
  let best: Score | undefined
  let bestAt = group.end
  for (let end = Math.max(earliest, group.end - size - 1, group.end - SLIDE_AT_MOST); end <= group.end; end++) {
    const score = sum(scoreOf(lines, end), scoreOf(lines, end - size))
    if (best === undefined || !isWorse(score, best)) [best, bestAt] = [score, end]
  }
  return bestAt
}

const sum = (a: Score, b: Score): Score => ({ indent: a.indent + b.indent, penalty: a.penalty + b.penalty })

const isWorse = (a: Score, b: Score): boolean => 60 * Math.sign(a.indent - b.indent) + a.penalty - b.penalty > 0

/** The cost of an edge before line `at`. The weights are git's, derived from real histories. */
function scoreOf(lines: Lines, at: number): Score {
  const own = indentOf(lines, at)
  const above = nearestIndent(lines, at, -1)
  const below = nearestIndent(lines, at, 1)
  const blanksBelow = own === undefined ? below.blanks + 1 : 0
  const blanks = above.blanks + blanksBelow
  const indent = own ?? below.indent

  let penalty = -30 * blanks + 6 * blanksBelow
  if (above.indent === undefined && above.blanks === 0) penalty += 1
  if (at >= lineCount(lines)) penalty += 21
  if (indent !== undefined && above.indent !== undefined) {
    if (indent > above.indent) penalty += blanks ? 10 : -4
    else if (indent < above.indent && (below.indent ?? -1) > indent) penalty += blanks ? 17 : 24
    else if (indent < above.indent) penalty += blanks ? 17 : 23
  }
  return { indent: indent ?? -1, penalty }
}

function nearestIndent(lines: Lines, at: number, step: 1 | -1): { blanks: number; indent: number | undefined } {
  let blanks = 0
  for (let i = at + step; i >= 0 && i < lineCount(lines); i += step) {
    const indent = indentOf(lines, i)
    if (indent !== undefined) return { blanks, indent }
    if (++blanks === BLANKS_AT_MOST) return { blanks, indent: 0 }
  }
  return { blanks, indent: undefined }
}

/** Columns before the first visible character; undefined for a blank line and the end of the text. */
function indentOf(lines: Lines, i: number): number | undefined {
  if (i >= lineCount(lines)) return undefined
  let indent = 0
  for (const byte of lineAt(lines, i)) {
    if (byte === 0x20) indent++
    else if (byte === 0x09) indent += 8 - (indent % 8)
    else if (byte !== 0x0a && byte !== 0x0d) return indent
    if (indent >= INDENT_AT_MOST) return INDENT_AT_MOST
  }
  return undefined
}
