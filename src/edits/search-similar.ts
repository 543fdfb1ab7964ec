/**
 * Finds the lines of a file that are most similar to some others, cheaply: a line of the file is compared with equal
 * lines only, or with a single other line by pairs of letters. Differences of form are already forgiven.
 */

/** A line that is in the search text more often than this says little about its position. */
const REPEATS = 20
/** Which share of the search text, or of a line, must be similar. */
const [ALIKE_LINES, ALIKE_PAIRS] = [0.3, 0.5]

/** The line, counted from 0, at which `search` would begin; undefined when nothing is similar. */
export const similarStart = (lines: readonly string[], search: readonly string[]): number | undefined =>
  startByVotes(lines, search) ?? startByPairs(lines, search)

/** Every line that is in both votes for the start that it implies, weighted by its length. */
function startByVotes(lines: readonly string[], search: readonly string[]): number | undefined {
  const places = placesByLine(search)
  const votes = new Map<number, number>()
  for (const [i, line] of lines.entries())
    for (const j of places.get(line) ?? []) votes.set(i - j, (votes.get(i - j) ?? 0) + line.length)
  const all = search.reduce((sum, line) => sum + line.length, 0)
  const best = highest(votes)
  return best === undefined || best[1] < all * ALIKE_LINES ? undefined : Math.max(0, best[0])
}

function placesByLine(search: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (const [j, line] of search.entries()) {
    const known = places.get(line)
    if (known === undefined) places.set(line, [j])
    else if (known.length < REPEATS) known.push(j)
  }
  return places
}

function highest(scores: Iterable<readonly [number, number]>): readonly [number, number] | undefined {
  let best: readonly [number, number] | undefined
  for (const score of scores) if (best === undefined || score[1] > best[1]) best = score
  return best
}

/** Uses the longest line of the search text: the most similar line has the most pairs of letters in common. */
function startByPairs(lines: readonly string[], search: readonly string[]): number | undefined {
  const anchor = search.reduce((longest, line, j) => (line.length > search[longest]!.length ? j : longest), 0)
  const wanted = search[anchor]!
  const known = new Uint8Array(2 ** 16)
  for (let i = 1; i < wanted.length; i++) known[pairAt(wanted, i)] = 1
  const best = highest(lines.entries().map(([i, line]) => [i, likeness(line, wanted, known)] as const))
  return best === undefined || best[1] < ALIKE_PAIRS ? undefined : Math.max(0, best[0] - anchor)
}

/** From 0 to 1: Dice's coefficient, except that repeated pairs are not counted exactly. */
function likeness(line: string, wanted: string, known: Uint8Array): number {
  let common = 0
  for (let i = 1; i < line.length; i++) common += known[pairAt(line, i)]!
  return (2 * common) / Math.max(1, line.length + wanted.length - 2)
}

/** Two letters as a 16-bit number; collisions are acceptable for a guess. */
const pairAt = (text: string, i: number): number => ((text.charCodeAt(i - 1) * 31) ^ (text.charCodeAt(i) << 5)) & 0xffff
