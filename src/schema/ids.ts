/**
 * An id such as `s_20260228_153012_ab12cd`: UTC to the second, two digits for the millisecond and four random ones, so
 * that ids sort by time and two processes do not produce the same.
 */
export function makeId(prefix: string, now: number, random: () => number): string {
  const stamp = new Date(now).toISOString()
  const day = stamp.slice(0, 10).replaceAll('-', '')
  const time = stamp.slice(11, 19).replaceAll(':', '')
  const ms = (((now % 1000) + 1000) % 1000).toString(36).padStart(2, '0')
  const chance = Math.floor(random() * 36 ** 4)
    .toString(36)
    .padStart(4, '0')
  return `${prefix}_${day}_${time}_${ms}${chance}`
}
