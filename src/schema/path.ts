import { Fault } from '../base/fault.ts'
import { inPath } from '../base/quote.ts'

/** A path inside a workspace: names joined by "/", no "." or "..", not empty except for the root itself. */
export type RelPath = string

/** A path from outside, C-quoting undone and "./", "//" and trailing "/" taken out; refused when it leads outside. */
export function parseRelPath(text: string): RelPath {
  const path = inPath(text)
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  if (path.startsWith('/') || path.includes('\0') || names.includes('..'))
    throw new Fault('PATH_OUTSIDE', { path: text })
  return names.join('/')
}

/** Whether `path` is `folder` or lies below it. The root, "", holds everything. */
export const isWithin = (path: RelPath, folder: RelPath): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`)

export const parentOf = (path: RelPath): RelPath => path.slice(0, Math.max(0, path.lastIndexOf('/')))
export const nameOf = (path: RelPath): string => path.slice(path.lastIndexOf('/') + 1)
export const joinPath = (folder: RelPath, name: string): RelPath => (folder === '' ? name : `${folder}/${name}`)

/** The folders on the way to a path, the topmost first. */
export function foldersAbove(path: RelPath): RelPath[] {
  const folders: RelPath[] = []
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at))
  return folders
}
