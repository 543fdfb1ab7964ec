import { posix } from 'node:path'

/**
 * Paths of which not everything is known. What a shell would put there only when it runs is written as one of these
 * characters, which no keyboard makes.
 */

/** What a glob matches: no slash in it. */
export const GLOB = '\uE000'
/** Text that nobody knows; it may hold slashes. */
export const ANY = '\uE001'
/** Text that nobody knows, but a word without slashes: a number, a date, a user's name. */
export const ATOM = '\uE002'
/** Some path below the folder before it. */
export const DEEP = '\uE003'
/** A word that nobody knows and that has no quotes: options may be in it. */
export const LOOSE = ANY + ATOM
/** Words that nobody knows, not even how many: `$@`, `$FLAGS`. */
export const WORDS = ANY + ANY

const MARKS = /[\uE000-\uE003]/
const OPEN_END = /[\uE001\uE003]/

export const isKnown = (text: string): boolean => !MARKS.test(text)

/** The absolute path, or `ANY` when not even its beginning is known. */
export function absolute(path: string, cwd: string): string {
  if (path.startsWith('/')) return posix.normalize(path)
  if (path.startsWith(ANY) || cwd.startsWith(ANY)) return ANY
  return posix.join(cwd, path)
}

/** A folder and all it is in. */
export const withParents = (path: string): string[] =>
  path === '/' || !path.startsWith('/') ? [path] : [path, ...withParents(posix.dirname(path))]

/** How a path lies to a folder. `rel` is the known part of what leads from the folder to it. */
export type Relation =
  | { readonly is: 'outside' | 'above' | 'unknown' }
  | { readonly is: 'inside'; readonly rel: string; readonly exact: boolean }

const segmentsOf = (path: string): string[] => path.split('/').filter((part) => part !== '')

/** `unknown`: it may be anywhere in the folder. `above`: the folder is in it. `inside`: also the folder itself. */
export function relate(path: string, folder: string): Relation {
  if (isKnown(path)) return relateKnown(withSlash(path), withSlash(folder))
  const [own, base] = [segmentsOf(path), segmentsOf(folder)]
  for (const [at, wanted] of base.entries()) {
    const segment = own[at]
    if (segment === undefined) return { is: 'above' }
    if (!matches(segment, wanted)) return { is: 'outside' }
    if (OPEN_END.test(segment)) return { is: 'unknown' }
  }
  return insideOf(own.slice(base.length))
}

const withSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`)

function relateKnown(path: string, folder: string): Relation {
  if (path.startsWith(folder)) return { is: 'inside', rel: path.slice(folder.length, -1), exact: true }
  return { is: folder.startsWith(path) ? 'above' : 'outside' }
}

function insideOf(rest: readonly string[]): Relation {
  if (rest.some((segment) => segment.includes(ANY))) return { is: 'unknown' }
  const known = rest.findIndex((segment) => MARKS.test(segment))
  const rel = (known === -1 ? rest : rest.slice(0, known)).join('/')
  return { is: 'inside', rel, exact: known === -1 }
}

/** Whether a segment may stand for this name. A glob at its beginning matches no hidden name. */
function matches(segment: string, name: string): boolean {
  if (!MARKS.test(segment)) return segment === name
  if (segment.startsWith(GLOB) && name.startsWith('.')) return false
  const pieces = segment.split(MARKS)
  const [first = '', last = ''] = [pieces[0], pieces.at(-1)]
  if (OPEN_END.test(segment)) return name.startsWith(first)
  return name.startsWith(first) && name.endsWith(last) && name.length >= first.length + last.length
}
