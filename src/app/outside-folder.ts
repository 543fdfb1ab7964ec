import { basename, dirname, join, resolve } from 'node:path'
import { Fault } from '../base/fault.ts'
import { errorCode, lstat, realPath } from '../host/files/fs.ts'
import { enclosing } from '../timeline/workspace/workspace.ts'
import type { ToolCall } from './handler.ts'

/**
 * Checks a folder outside of workspaces that a tool is about to fill. Returns its real path, so that the tool writes to
 * the folder that was checked. Refuses the store and every workspace: the daemon would capture what is written there.
 * Changes nothing. The tool itself decides whether the folder may already hold something.
 */
export function checkOutsideFolder(call: ToolCall, text: string): string {
  const dir = outsideFolder(call, text)
  const store = realFolderOf(resolve(call.app.home))
  if (dir === store || dir.startsWith(`${store}/`)) throw refused(dir, 'it lies in the store')
  const workspace = enclosing(call.app.records, dir)
  if (workspace !== undefined && lstat(workspace.root)?.isDirectory())
    throw refused(dir, `it lies in the workspace ${workspace.root}, where it would be captured`)
  return dir
}

/** The real path of a folder that a caller names, which need not exist yet. */
export function outsideFolder(call: ToolCall, text: string): string {
  if (text === '' || text.includes('\0'))
    throw new Fault('BAD_INPUT', { problem: 'The name of the folder is empty or has a NUL in it.' })
  return realFolderOf(resolve(call.cwd, text))
}

/** Resolves links down to the deepest folder that exists; the rest of the path would be created below it. */
function realFolderOf(path: string): string {
  const stat = lstatOrRefuse(path)
  if (stat === undefined) return join(realFolderOf(dirname(path)), basename(path))
  const real = resolveLinks(path)
  if (!lstat(real)?.isDirectory()) throw refused(path, 'it, or something on the way to it, is not a folder')
  return real
}

function lstatOrRefuse(path: string): ReturnType<typeof lstat> {
  try {
    return lstat(path)
  } catch (error) {
    if (errorCode(error) === 'ENAMETOOLONG') throw refused(`${path.slice(0, 80)}…`, 'its name is too long')
    throw error
  }
}

function resolveLinks(path: string): string {
  try {
    return realPath(path)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT') throw refused(path, 'it is a link to nothing')
    if (code === 'ELOOP') throw refused(path, 'it is a link to itself')
    throw error
  }
}

const refused = (path: string, why: string): Fault => new Fault('FOLDER_REFUSED', { path, why })
