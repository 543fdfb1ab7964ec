import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** Identifies a process precisely enough to check later whether it is still alive. */
export interface Identity {
  readonly pid: number
  readonly host: string
  /** Changes at every boot; empty where the system does not report it. */
  readonly boot: string
  /** The start time of the process, in the system's ticks; distinguishes two processes with the same pid. */
  readonly started: string
  /** When this identity was recorded. */
  readonly at: number
}

let mine: Omit<Identity, 'at'> | undefined

export function identity(): Identity {
  mine ??= { pid: process.pid, host: hostname(), boot: bootId(), started: startOf(process.pid) ?? '' }
  return { ...mine, at: Date.now() }
}

const A_DAY = 86_400_000

export function bootId(): string {
  return readProc('/proc/sys/kernel/random/boot_id')?.trim() ?? ''
}

/**
 * Whether that process is still running. A process on another host or in another container counts as alive for a day,
 * because that cannot be checked from here.
 */
export function isAlive(who: Identity): boolean {
  const me = identity()
  if (who.host !== me.host) return me.at - who.at < A_DAY
  if (who.boot !== me.boot) return false
  if (!isRunning(who.pid)) return false
  return who.started === '' || startOf(who.pid) === who.started
}

/** Whether its pid means the same process here: only then may it be sent a signal. */
export const isHere = (who: Identity): boolean => who.host === identity().host && isAlive(who)

/** Whether a running process has this pid. A zombie, as is common in containers, does not count. */
export const isRunning = (pid: number): boolean => pidExists(pid) && !/^[ZX]$/.test(statOf(pid)?.[0] ?? '')

export const describeProcess = (who: Identity): string => `process ${who.pid} on ${who.host}`

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Field 22 of /proc/PID/stat. */
const startOf = (pid: number): string | undefined => statOf(pid)?.[19]

/**
 * The fields of /proc/PID/stat from the third on. The name in the second may contain spaces and brackets, so search for
 * its end from the right.
 */
function statOf(pid: number): string[] | undefined {
  const stat = readProc(`/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
