import { dirname, join } from 'node:path'
import { writeCache } from '../host/files/durable.ts'
import { errorCode, lstat, makeDir, readFile, readNames, removeAll } from '../host/files/fs.ts'
import { bootId, type Identity, identity, isAlive } from '../host/processes/process.ts'
import type { DaemonFiles } from './daemon-files.ts'
import { machineTime } from './patience.ts'

/**
 * Daemons that are starting. A daemon first announces itself, then checks whether a stop was requested since its
 * process started. A stop is first recorded, then looks for announced daemons. So at least one of the two always sees
 * the other.
 */

/** Announces this process as a starting daemon; false when a stop was requested since the process started. */
export function announce(place: DaemonFiles): boolean {
  write(markOf(place), identity())
  const stop = parsed<Stop>(stopOf(place))
  return stop?.boot !== bootId() || stop.at < machineTime() - performance.now()
}

/** Ends the announcement: the daemon serves, and its card says so, or it has given up. */
export const arrive = (place: DaemonFiles): void => removeAll(markOf(place))

interface Stop {
  readonly boot: string
  readonly at: number
}

/** Records that starting daemons must stop; returns the announced ones, which may already have made their check. */
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

/**
 * Creates nothing where there is no store, because its disk may not be mounted. Ignores a store that cannot be written
 * to: no daemon can serve it.
 */
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
