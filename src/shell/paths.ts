import { posix } from 'node:path'

/**
 * Paths that are only partly known. Whatever a shell would insert at run time is one of these placeholder characters,
 * which no keyboard produces.
 */

/** The match of a glob: without a slash. */
export const GLOB = '\uE000'
/** Unknown text; it may contain slashes. */
export const ANY = '\uE001'
/** An unknown word without slashes: a number, a date, a user's name. */
export const ATOM = '\uE002'
/** Any path below the folder before it. */
export const DEEP = '\uE003'
/** An unknown word without quotes: it may contain options. */
export const LOOSE = ANY + ATOM
/** Unknown words, even their number: `$@`, `$FLAGS`. */
export const WORDS = ANY + ANY

const MARKS = /[\uE000-\uE003]/
const OPEN_END = /[\uE001\uE003]/

export const isKnown = (text: string): boolean => !MARKS.test(text)

/** The absolute path, or `ANY` when even its beginning is unknown. */
export function absolute(path: string, cwd: string): string {
  if (path.startsWith('/')) return posix.normalize(path)
  if (path.startsWith(ANY) || cwd.startsWith(ANY)) return ANY
  return posix.join(cwd, path)
}

/** A folder and all folders above it. */
export const withParents = (path: string): string[] =>
  path === '/' || !path.startsWith('/') ? [path] : [path, ...withParents(posix.dirname(path))]

/** How a path relates to a folder. `rel` is the known part of the path relative to the folder. */
export type Relation =
  | { readonly is: 'outside' | 'above' | 'unknown' }
  | { readonly is: 'inside'; readonly rel: string; readonly exact: boolean }

const segmentsOf = (path: string): string[] => path.split('/').filter((part) => part !== '')

/** `unknown`: it may be anywhere in the folder. `above`: it contains the folder. `inside`: also the folder itself. */
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

/** Whether a segment may match this name. A glob at its beginning matches no hidden name. */
function matches(segment: string, name: string): boolean {
  if (!MARKS.test(segment)) return segment === name
  if (segment.startsWith(GLOB) && name.startsWith('.')) return false
  const pieces = segment.split(MARKS)
  const [first = '', last = ''] = [pieces[0], pieces.at(-1)]
  if (OPEN_END.test(segment)) return name.startsWith(first)
  return name.startsWith(first) && name.endsWith(last) && name.length >= first.length + last.length
}
