/**
 * Myers' linear-space search, on numbers instead of lines.
 *
 * A point (x, y) means that x old and y new lines are processed. Two fronts spread from opposite corners of a box, each
 * with its furthest point on every diagonal; where they meet, the box is cut in two. A box that becomes too expensive
 * is cut at the most promising point instead. The result is then still correct, but may not be the shortest; the time
 * stays near n times `limit`.
 */

interface Box {
  readonly oldStart: number
  readonly oldEnd: number
  readonly newStart: number
  readonly newEnd: number
  /** The shortest path is known to be short: search without a limit. */
  readonly exact: boolean
}

/** A diagonal is x - y, shifted so that the lowest is 1; `reach` holds the x of the furthest point. */
interface Front {
  readonly reach: Int32Array
  low: number
  high: number
}

interface Search {
  readonly a: Int32Array
  readonly b: Int32Array
  readonly forward: Front
  readonly backward: Front
  readonly shift: number
  readonly limit: number
}

const LIMIT_AT_LEAST = 256
const LIMIT_AT_MOST = 512
const FAR = 0x7fffffff
const NOWHERE = -1

/** Marks with 1 the lines without a partner on the other side. */
export function searchChanges(a: Int32Array, b: Int32Array): [Uint8Array, Uint8Array] {
  const changed: [Uint8Array, Uint8Array] = [new Uint8Array(a.length), new Uint8Array(b.length)]
  const search = searchOf(a, b)
  // An explicit stack: cuts at the limit can be so unbalanced that recursion would overflow the call stack.
  const boxes: Box[] = [{ oldStart: 0, oldEnd: a.length, newStart: 0, newEnd: b.length, exact: false }]
  for (let next = boxes.pop(); next; next = boxes.pop()) {
    const box = trim(a, b, next)
    if (box.oldStart === box.oldEnd) changed[1].fill(1, box.newStart, box.newEnd)
    else if (box.newStart === box.newEnd) changed[0].fill(1, box.oldStart, box.oldEnd)
    else boxes.push(...cut(search, box))
  }
  return changed
}

function searchOf(a: Int32Array, b: Int32Array): Search {
  const diagonals = a.length + b.length + 3
  const front = (): Front => ({ reach: new Int32Array(diagonals), low: 0, high: 0 })
  const limit = Math.min(LIMIT_AT_MOST, Math.max(LIMIT_AT_LEAST, roughRoot(diagonals)))
  return { a, b, forward: front(), backward: front(), shift: b.length + 1, limit }
}

/** A power of two between the square root of `n` and twice that. */
export const roughRoot = (n: number): number => (n < 1 ? 1 : 2 ** (Math.floor(Math.log2(n) / 2) + 1))

function trim(a: Int32Array, b: Int32Array, box: Box): Box {
  let { oldStart, oldEnd, newStart, newEnd } = box
  while (oldStart < oldEnd && newStart < newEnd && a[oldStart] === b[newStart]) {
    oldStart++
    newStart++
  }
  while (oldStart < oldEnd && newStart < newEnd && a[oldEnd - 1] === b[newEnd - 1]) {
    oldEnd--
    newEnd--
  }
  return { oldStart, oldEnd, newStart, newEnd, exact: box.exact }
}

function cut(search: Search, box: Box): [Box, Box] {
  const { forward, backward, shift } = search
  const lowest = box.oldStart - box.newEnd + shift
  const highest = box.oldEnd - box.newStart + shift
  begin(forward, box.oldStart - box.newStart + shift, box.oldStart)
  begin(backward, box.oldEnd - box.newEnd + shift, box.oldEnd)
  // Only with an odd distance between the corners can the forward front close the gap.
  const odd = (forward.low - backward.low) % 2 !== 0
  for (let cost = 1; ; cost++) {
    widen(forward, lowest, highest, NOWHERE)
    const met = stepForward(search, box, odd)
    if (met !== NOWHERE) return cutAt(search, box, forward.reach[met]!, met, true, true)
    widen(backward, lowest, highest, FAR)
    const metBack = stepBackward(search, box, !odd)
    if (metBack !== NOWHERE) return cutAt(search, box, backward.reach[metBack]!, metBack, true, true)
    if (!box.exact && cost >= search.limit) return cutAnyway(search, box)
  }
}

function begin(front: Front, diagonal: number, x: number): void {
  front.low = diagonal
  front.high = diagonal
  front.reach[diagonal] = x
}

/** Adds one diagonal at each end, or drops one where the box ends. `edge` loses every comparison. */
function widen(front: Front, lowest: number, highest: number, edge: number): void {
  if (front.low > lowest) front.reach[--front.low - 1] = edge
  else front.low++
  if (front.high < highest) front.reach[++front.high + 1] = edge
  else front.high--
}

/** One more edit on every diagonal. With `mayMeet`, returns the diagonal on which it met the backward front. */
function stepForward(search: Search, box: Box, mayMeet: boolean): number {
  const { a, b, shift, backward } = search
  const { reach, low, high } = search.forward
  for (let d = high; d >= low; d -= 2) {
    let x = Math.max(reach[d - 1]! + 1, reach[d + 1]!)
    let y = x - d + shift
    while (x < box.oldEnd && y < box.newEnd && a[x] === b[y]) {
      x++
      y++
    }
    reach[d] = x
    if (mayMeet && backward.low <= d && d <= backward.high && backward.reach[d]! <= x) return d
  }
  return NOWHERE
}

function stepBackward(search: Search, box: Box, mayMeet: boolean): number {
  const { a, b, shift, forward } = search
  const { reach, low, high } = search.backward
  for (let d = high; d >= low; d -= 2) {
    let x = Math.min(reach[d - 1]!, reach[d + 1]! - 1)
    let y = x - d + shift
    while (x > box.oldStart && y > box.newStart && a[x - 1] === b[y - 1]) {
      x--
      y--
    }
    reach[d] = x
    if (mayMeet && forward.low <= d && d <= forward.high && x <= forward.reach[d]!) return d
  }
  return NOWHERE
}

/** Cuts where one of the fronts came furthest. That front's part is minimal; the other's may not be. */
function cutAnyway(search: Search, box: Box): [Box, Box] {
  const ahead = furthest(search, box)
  const back = furthestBack(search, box)
  return ahead.gone > back.gone
    ? cutAt(search, box, ahead.x, ahead.diagonal, true, false)
    : cutAt(search, box, back.x, back.diagonal, false, true)
}

interface Reached {
  x: number
  diagonal: number
  /** How many lines of both texts are processed. */
  gone: number
}

function furthest({ forward, shift }: Search, box: Box): Reached {
  const best: Reached = { x: 0, diagonal: 0, gone: -1 }
  for (let d = forward.high; d >= forward.low; d -= 2) {
    const x = Math.min(forward.reach[d]!, box.oldEnd, box.newEnd + d - shift)
    const gone = x - box.oldStart + (x - d + shift) - box.newStart
    if (gone > best.gone) Object.assign(best, { x, diagonal: d, gone })
  }
  return best
}

function furthestBack({ backward, shift }: Search, box: Box): Reached {
  const best: Reached = { x: 0, diagonal: 0, gone: -1 }
  for (let d = backward.high; d >= backward.low; d -= 2) {
    const x = Math.max(backward.reach[d]!, box.oldStart, box.newStart + d - shift)
    const gone = box.oldEnd - x + box.newEnd - (x - d + shift)
    if (gone > best.gone) Object.assign(best, { x, diagonal: d, gone })
  }
  return best
}

function cutAt({ shift }: Search, box: Box, x: number, d: number, firstExact: boolean, lastExact: boolean): [Box, Box] {
  const y = x - d + shift
  return [
    { ...box, oldEnd: x, newEnd: y, exact: firstExact },
    { ...box, oldStart: x, newStart: y, exact: lastExact },
  ]
}
