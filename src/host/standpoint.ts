import { isAbsolute, resolve } from 'node:path'
import { lstat } from './files/fs.ts'
import { ownsProcess } from './processes/own-process.ts'

/** Where the process went. Who stands somewhere stays there: another look may be under way. */
let place: string | undefined

/**
 * So long may a folder be, and a path in it, that is called by a shorter name from within: by any of its names it then is
 * short enough for the system, and whoever calls it by the long one finds the same.
 */
export const SHORT = 600

/**
 * How to call a folder for a look at all that is in it. A process that is all ours goes there: for each of a hundred
 * thousand files the kernel then has fewer folders to go through, a tenth of a look's time. Not where a folder that
 * somebody stands in cannot be removed.
 */
export function fromHere(folder: string): string {
  if (!ownsProcess() || process.platform === 'win32' || folder.length > SHORT) return folder
  place ??= goTo(folder)
  return place === folder && isHere(folder) ? '.' : folder
}

/** What Node takes from where the process stands, each time it is needed: threads and temporary files ask again. */
const PLACES = ['NODE_COMPILE_CACHE', 'TMPDIR', 'TMP', 'TEMP']

function goTo(folder: string): string {
  try {
    for (const name of PLACES) {
      const told = process.env[name]
      if (told && !isAbsolute(told)) process.env[name] = resolve(told)
    }
    process.chdir(folder)
    return folder
  } catch {
    return ''
  }
}

/** Not when another folder has been put in its place. */
function isHere(folder: string): boolean {
  const [here, there] = [lstat('.'), lstat(folder)]
  return here !== undefined && here.ino === there?.ino && here.dev === there.dev
}
