import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** Who a process is, precisely enough to tell later whether it still lives. */
export interface Identity {
  readonly pid: number
  readonly host: string
  /** Changes when the machine starts again; empty where the system does not tell. */
  readonly boot: string
  /** When the process started, in the system's own ticks; tells two processes with the same number apart. */
  readonly started: string
  /** When this was written down. */
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

/** Whether that process still runs. One on another host, or in another container, is taken to live for a day: nobody here can tell. */
export function isAlive(who: Identity): boolean {
  const me = identity()
  if (who.host !== me.host) return me.at - who.at < A_DAY
  if (who.boot !== me.boot) return false
  if (!isRunning(who.pid)) return false
  return who.started === '' || startOf(who.pid) === who.started
}

/** Whether its number means the same process here: only then may it be sent a signal. */
export const isHere = (who: Identity): boolean => who.host === identity().host && isAlive(who)

/** Whether a process has this number. One that is dead but not yet buried, as often in containers, does not run. */
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

/** The fields of /proc/PID/stat from the third on; the name in the second may hold spaces and brackets, so count from its end. */
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
