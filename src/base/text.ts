/** `1 path`, `2 paths`; large numbers get thousands separators. */
export const count = (n: number, noun: string, plural = `${noun}s`): string =>
  `${thousands(n)} ${n === 1 ? noun : plural}`

/** Without a locale: its first use costs ten milliseconds. */
export const thousands = (n: number): string => String(n).replaceAll(/\B(?=(\d{3})+(?!\d))/g, () => ',')

/** `0 B`, `4.2 KiB`, `460 MiB`. */
export function size(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

/** `3 ms`, `2.1 s`. */
export const duration = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`)

/** The candidate most similar to `word`, if one is similar enough for a typing error. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate)
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

/** Counts replaced, inserted and missing letters, and swapped neighbours. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  let above: number[] = []
  for (let i = 1; i <= a.length; i++) {
    const higher = above
    above = row
    row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        (above[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
        isSwapped ? (higher[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
  }
  return row[b.length] ?? 0
}

/** Rows as aligned columns; the last column is not padded. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length)
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Decodes base64. With an index: an iterator over many millions of bytes takes seconds. */
export function bytesFromBase64(text: string): Uint8Array {
  const chars = atob(text)
  const bytes = new Uint8Array(chars.length)
  for (let i = 0; i < chars.length; i++) bytes[i] = chars.charCodeAt(i)
  return bytes
}
