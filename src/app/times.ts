import { Fault } from '../base/fault.ts'

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** ISO 8601, or an age such as `90s`, `30m`, `2h`, `3d`, `1w`. */
export function parseTime(text: string, now: number, field: string): number {
  const age = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text)
  if (age) return now - Number(age[1]) * (UNITS[age[2] ?? 's'] ?? 0)
  const time = /^\d{4}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time))
    throw new Fault('BAD_INPUT', { problem: `"${field}": ${text} is neither a time nor an age such as 2h` })
  return time
}
