import { readFileSync } from 'node:fs'

/** What Linux tells in /proc. Elsewhere the numbers are 0 and the texts undefined. */
export const TICKS_PER_SECOND = 100

export function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Of the whole machine, from the line `cpu user nice system idle iowait irq softirq steal …`. */
export function machineTicks(): { readonly busy: number; readonly total: number } {
  const ticks = numbers(readProc('/proc/stat')?.match(/^cpu +(.*)$/m)?.[1]).slice(0, 8)
  const total = sum(ticks)
  return { total, busy: total - (ticks[3] ?? 0) - (ticks[4] ?? 0) }
}

/** Of this process and of its children that have ended. */
export const ownTicks = (): number => sum(statTimes())

/** Of the children that have ended, with theirs. */
export const endedChildrenTicks = (): number => sum(statTimes().slice(2))

/** Of another process, without its children. */
export const processSeconds = (pid: number): number => sum(statTimes(pid).slice(0, 2)) / TICKS_PER_SECOND

/** utime, stime, cutime and cstime: ten fields after the state. */
function statTimes(pid: number | 'self' = 'self'): readonly number[] {
  return numbers(readProc(`/proc/${pid}/stat`)?.match(/\) . (.*)$/m)?.[1]).slice(10, 14)
}

const numbers = (line = ''): readonly number[] => line.split(' ').filter(Boolean).map(Number)

const sum = (list: readonly number[]): number => list.reduce((total, each) => total + each, 0)
