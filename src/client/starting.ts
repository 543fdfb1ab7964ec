import { dirname, join } from 'node:path'
import { writeCache } from '../host/files/durable.ts'
import { errorCode, lstat, makeDir, readFile, readNames, removeAll } from '../host/files/fs.ts'
import { bootId, type Identity, identity, isAlive } from '../host/processes/process.ts'
import type { DaemonFiles } from './daemon-files.ts'
import { machineTime } from './patience.ts'

/**
 * Daemons on their way. A daemon announces itself, then looks whether a stop was asked for since it was started; a stop is
 * noted first, then looks for daemons on their way. So one of the two always sees the other.
 */

/** Announces this process as one that wants to be the daemon; false when it was stopped before it came that far. */
export function announce(place: DaemonFiles): boolean {
  write(markOf(place), identity())
  const stop = parsed<Stop>(stopOf(place))
  return stop?.boot !== bootId() || stop.at < machineTime() - performance.now()
}

/** This process serves, or will not: whoever looks for it finds its card, or nothing. */
export const arrive = (place: DaemonFiles): void => removeAll(markOf(place))

interface Stop {
  readonly boot: string
  readonly at: number
}

/** Notes that whoever is on the way is to turn back; returns those who may be past the place where they look. */
export function callOff(place: DaemonFiles): Identity[] {
  write(stopOf(place), { boot: bootId(), at: machineTime() } satisfies Stop)
  return marksIn(place).flatMap((path) => {
    const who = parsed<Identity>(path)
    if (who?.pid !== undefined && isAlive(who)) return [who]
    removeAll(path)
    return []
  })
}

const markOf = ({ starting }: DaemonFiles): string => join(starting, String(process.pid))
const stopOf = ({ starting }: DaemonFiles): string => join(starting, 'stopped')

const marksIn = ({ starting }: DaemonFiles): string[] =>
  (lstat(starting)?.isDirectory() ? readNames(starting) : [])
    .filter((name) => /^\d+$/.test(name))
    .map((name) => join(starting, name))

function parsed<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFile(path)?.toString() ?? '') as T
  } catch {
    return undefined
  }
}

/** Where there is no store nothing is made, for its disk may not be mounted; one that cannot be written to has no daemon. */
function write(path: string, what: object): void {
  try {
    makeFolder(dirname(path))
    writeCache(path, Buffer.from(JSON.stringify(what)))
  } catch (error) {
    if (errorCode(error) === undefined) throw error
  }
}

function makeFolder(path: string): void {
  try {
    makeDir(path, 0o700)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}
