import { dirname, join } from 'node:path'
import { lstat } from '../host/fs.ts'
import type { Config } from '../schema/config.ts'
import { loadSettings } from '../timeline/settings.ts'

/** The settings in force in a folder: those of the workspace it is in. */
export const settingsIn = (home: string, folder: string): Config => loadSettings(home, markedAbove(folder))

/** The nearest folder on the way up that has the mark of a workspace. */
function markedAbove(folder: string): string {
  for (let dir = folder; dirname(dir) !== dir; dir = dirname(dir))
    if (lstat(join(dir, '.timewarp'))?.isDirectory()) return dir
  return folder
}
