import { dirname, join } from 'node:path'
import { loadSettings } from '../config/settings.ts'
import { lstat } from '../host/files/fs.ts'
import type { McpServices } from '../mcp/api.ts'

/** Finds settings and workspace of a folder by the folders on disk. */
export const foldersOf = (home: string): Pick<McpServices, 'settings' | 'isWorkspace'> => ({
  settings: (folder) => loadSettings(home, markedAbove(folder) ?? folder),
  isWorkspace: (folder) => markedAbove(folder) !== undefined,
})

/** The folder itself, or the nearest one above it, that has the mark of a workspace. */
function markedAbove(folder: string): string | undefined {
  for (let dir = folder; dirname(dir) !== dir; dir = dirname(dir))
    if (lstat(join(dir, '.timewarp'))?.isDirectory()) return dir
  return undefined
}
