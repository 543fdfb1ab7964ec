import { join } from 'node:path'
import { inPath } from '../base/quote.ts'
import { writeCache } from '../host/files/durable.ts'
import { errorCode, readFile } from '../host/files/fs.ts'
import { isRelPath, recordedPath } from '../schema/path.ts'
import type { Assembled } from '../timeline/capture/assemble.ts'
import { type Excluded, excludedOf } from '../timeline/capture/excluded.ts'
import { isOnDisk } from '../timeline/capture/left-out.ts'
import type { Workspace } from '../timeline/workspace/workspace.ts'

/**
 * Lists what the rules exclude, on request only, and caches the list, so that files which were deleted with a folder
 * and cannot be restored can be reported later.
 */

const fileOf = (home: string, { id }: { readonly id: string }): string => join(home, 'cache', `${id}.left-out`)

/** What the rules exclude from a state; also cached. */
export function listLeftOut(home: string, workspace: Workspace, assembled: Assembled): Excluded[] {
  const all = excludedOf(workspace, assembled)
  note(
    home,
    workspace,
    all.filter(({ path }) => path !== '.git').map(({ path, folder }) => (folder ? `${path}/` : path)),
  )
  return all
}

/** If the cache cannot be written, excluded files cannot be reported later: no reason to fail. */
function note(home: string, workspace: { readonly id: string }, paths: readonly string[]): void {
  try {
    writeCache(fileOf(home, workspace), Buffer.from(JSON.stringify(paths)))
  } catch (error) {
    if (errorCode(error) === undefined) throw error
  }
}

/** Paths in the cached list that no longer exist; undefined when no list was cached. */
export function leftOutAndGone(home: string, workspace: Workspace): string[] | undefined {
  return noted(home, workspace)?.filter((path) => !isOnDisk(workspace.root, recordedPath(bare(path))))
}

/** Removes paths from the cached list, so that they are reported only once. */
export function forgetLeftOut(home: string, workspace: Workspace, paths: readonly string[]): void {
  const all = noted(home, workspace)
  if (all && paths.length > 0)
    note(
      home,
      workspace,
      all.filter((path) => !paths.includes(path)),
    )
}

const bare = (path: string): string => inPath(path.replace(/\/$/, ''))

function noted(home: string, workspace: { readonly id: string }): string[] | undefined {
  try {
    const all = JSON.parse(readFile(fileOf(home, workspace))?.toString() ?? '') as unknown
    return Array.isArray(all) ? all.filter((path) => typeof path === 'string' && isRelPath(bare(path))) : undefined
  } catch {
    return undefined
  }
}
