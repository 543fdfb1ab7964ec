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
 * What snapshots leave out is looked up only when somebody asks for it. It is noted then, so that it can be told what was
 * deleted together with a folder and does not come back.
 */

const fileOf = (home: string, { id }: { readonly id: string }): string => join(home, 'cache', `${id}.left-out`)

/** What the rules leave out of a state, noted. */
export function listLeftOut(home: string, workspace: Workspace, assembled: Assembled): Excluded[] {
  const all = excludedOf(workspace, assembled)
  note(
    home,
    workspace,
    all.filter(({ path }) => path !== '.git').map(({ path, folder }) => (folder ? `${path}/` : path)),
  )
  return all
}

/** Where it cannot be written, it cannot be told later: no reason to fail. */
function note(home: string, workspace: { readonly id: string }, paths: readonly string[]): void {
  try {
    writeCache(fileOf(home, workspace), Buffer.from(JSON.stringify(paths)))
  } catch (error) {
    if (errorCode(error) === undefined) throw error
  }
}

/** What was noted and is no longer there; undefined when nothing was ever noted. */
export function leftOutAndGone(home: string, workspace: Workspace): string[] | undefined {
  return noted(home, workspace)?.filter((path) => !isOnDisk(workspace.root, recordedPath(bare(path))))
}

/** What was told once is not told again. */
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
