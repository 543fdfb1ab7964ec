import { Fault } from '../base/fault.ts'
import { bytesFromName, inPath, nameFromBytes, outPath } from '../base/quote.ts'

/**
 * A path inside a workspace: names joined by "/", no "." or "..", not empty except for the root itself. Only this file
 * creates one, so code that receives one need not check it. It says nothing about the disk, such as symlinks on the
 * way.
 */
export type RelPath = string & { readonly [brand]: true }
declare const brand: unique symbol

/** The workspace's root folder. */
export const ROOT = '' as RelPath

/** The limits of file systems for a name and a path, in bytes. */
export const MAX_NAME_BYTES = 255
export const MAX_PATH_BYTES = 4096

/** The folders of git and Timewarp: no edit may change them, at any depth and in any letter case. */
const PROTECTED: ReadonlySet<string> = new Set(['.git', '.timewarp'])

/**
 * Parses a path from outside: undoes C-quoting and removes "./", "//" and a trailing "/". Throws when it leads outside.
 */
export function parseRelPath(text: string): RelPath {
  const path = inPath(text)
  if (path === '') throw new Fault('BAD_INPUT', { problem: 'A path is empty. For everything give no path, or "."' })
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  if (path.startsWith('/') || path.includes('\0') || names.includes('..') || !isCanonical(path))
    throw new Fault('PATH_OUTSIDE', { path: shorten(text) })
  refuseLong(text, names)
  return names.join('/') as RelPath
}

/** As `parseRelPath`, for a file that is read. */
export function parseFilePath(text: string): RelPath {
  const path = parseRelPath(text)
  if (path === '')
    throw new Fault('PATH_KIND', { path: shorten(text), wanted: 'file', found: 'directory', to_read: true })
  return path
}

/** As `parseRelPath`, for a path that is edited. */
export function parseEditedPath(text: string): RelPath {
  const path = parseRelPath(text)
  if (path === '') throw new Fault('PATH_PROTECTED', { path: '.', why: 'it is the root of the workspace' })
  refuseProtected(path)
  return path
}

export function refuseProtected(path: RelPath): void {
  const name = path.split('/').find((each) => PROTECTED.has(each.toLowerCase()))
  if (name !== undefined) throw new Fault('PATH_PROTECTED', { path: outPath(path), why: `${name} is not for edits` })
}

/** Parses a path or a gitignore glob; a leading "/" anchors it at the root. Throws when it leads outside. */
export function parsePathGlob(text: string): string {
  const names = inPath(text).split('/')
  if (text.includes('\0') || names.includes('..') || !isCanonical(text))
    throw new Fault('PATH_OUTSIDE', { path: shorten(text) })
  refuseLong(text, names)
  return text
}

export const isGlob = (text: string): boolean => /[*?[]/.test(text)

/** System calls refuse longer paths, and walking a path of many thousand names takes time. */
function refuseLong(text: string, names: readonly string[]): void {
  let bytes = names.length - 1
  for (const name of names) {
    const length = bytesFromName(name).length
    bytes += length
    if (length > MAX_NAME_BYTES)
      throw new Fault('PATH_TOO_LONG', { path: shorten(text), limit: MAX_NAME_BYTES, what: 'name' })
  }
  if (bytes > MAX_PATH_BYTES)
    throw new Fault('PATH_TOO_LONG', { path: shorten(text), limit: MAX_PATH_BYTES, what: 'path' })
}

/** Half a character cannot be in a name, and no path may have two spellings. */
const isCanonical = (path: string): boolean => path.isWellFormed() || nameFromBytes(bytesFromName(path)) === path

const SHOWN = 200
const shorten = (text: string): string => (text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`)

/** Whether `name` can be the name of something in a folder. */
export const isName = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0')

const NO_PATH = /(?:^|\/)\.{0,2}(?:\/|$)|\0/

/** Whether `text`, from our records or from a program such as git, already is a path inside a workspace. */
export const isRelPath = (text: string): text is RelPath => text === '' || !NO_PATH.test(text)

/** A path from our own records. One that leads outside is damage. */
export function recordedPath(text: string): RelPath {
  if (!isRelPath(text)) throw new Fault('PATH_DAMAGED', { path: shorten(text) })
  return text
}

/** Whether `path` is `folder` or below it. The root, "", contains everything. */
export const isWithin = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`)

export const parentOf = (path: RelPath): RelPath => path.slice(0, Math.max(0, path.lastIndexOf('/'))) as RelPath
export const nameOf = (path: RelPath): string => path.slice(path.lastIndexOf('/') + 1)

/** Throws when `name` is not a valid name. */
export function joinPath(folder: RelPath, name: string): RelPath {
  if (!isName(name)) throw new Fault('PATH_DAMAGED', { path: shorten(`${folder}/${name}`) })
  return (folder === '' ? name : `${folder}/${name}`) as RelPath
}

/** The new path of `path`, which is `from` or below it, after `from` has moved to `to`. */
export const movedPath = (path: RelPath, from: RelPath, to: RelPath): RelPath =>
  `${to}${path.slice(from.length)}` as RelPath

/** The folders above some paths, each once. The cost is proportional to the result, however deep the paths are. */
export function allFoldersAbove(paths: Iterable<RelPath>): Set<RelPath> {
  const folders = new Set<RelPath>()
  for (const path of paths)
    for (let above = parentOf(path); above !== '' && !folders.has(above); above = parentOf(above)) folders.add(above)
  return folders
}

/** The folders above a path, the topmost first. */
export function foldersAbove(path: RelPath): RelPath[] {
  const folders: RelPath[] = []
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at) as RelPath)
  return folders
}
