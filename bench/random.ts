/** Numbers in [0, 1), the same ones for the same seed on every machine. */
export type Random = () => number

/** Mulberry32: far quicker than what is made with it, and good enough for text. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** One seed out of several numbers; neighbours give unrelated seeds. */
export function mix(...parts: readonly number[]): number {
  let hash = 0x9e3779b9
  for (const part of parts) {
    hash = Math.imul(hash ^ part, 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    hash ^= hash >>> 16
  }
  return hash >>> 0
}

export const between = (random: Random, low: number, high: number): number =>
  low + Math.floor(random() * (high - low + 1))

/** The front of the list far more often than its end, as words are used. */
export function pick<T>(random: Random, list: readonly T[], skew = 1): T {
  return list[Math.floor(list.length * random() ** skew)] as T
}
