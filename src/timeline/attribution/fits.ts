import type { CallRecord } from '../../records/calls.ts'
import { isRelPath, isWithin, type RelPath } from '../../schema/path.ts'
import type { Named } from '../../shell/named.ts'
import type { TreeDifference } from '../../store/compare-trees.ts'
import { type Entry, KIND } from '../../store/tree.ts'

/** The entry that a path had before the changes in question. */
export type Before = (path: RelPath) => Entry | undefined

/**
 * Whether a change is what a command says it does at the path. `sure`: that part of the command certainly ran and can
 * have done nothing else. `maybe`: it may not have run, or it names only where it works. `no`: it names something else,
 * or nothing.
 */
export type Fit = 'sure' | 'maybe' | 'no'

export function fitOf({ named }: CallRecord, change: TreeDifference, before: Before): Fit {
  const fits = named.filter(({ path }) => isWithin(change.path, path)).map((one) => fitOfOne(one, change, before))
  return fits.includes('sure') ? 'sure' : fits.includes('maybe') ? 'maybe' : 'no'
}

function fitOfOne(named: Named, change: TreeDifference, before: Before): Fit {
  const { old, new: now } = change
  const isFolder = (now ?? old)?.kind === KIND.directory
  const when = (fits: boolean, isAtIt = named.path === change.path): Fit =>
    fits ? (named.sure && isAtIt ? 'sure' : 'maybe') : 'no'
  switch (named.does) {
    case 'remove':
      return when(now === undefined, true)
    case 'write':
      return when(now !== undefined && !isFolder)
    case 'attributes':
      return when(now !== undefined && (old === undefined ? now.size === 0 : isSameContent(old, now)))
    case 'folder':
      return when(isFolder)
    case 'copy':
      return when(now !== undefined && (isFolder || sourcesOf(named, change.path, before).some(isLike(now))), !isFolder)
    case 'any':
      return 'maybe'
  }
}

/**
 * The entries of which a copy may have made this path: `cp s t` makes `t` of `s`, or `t/s`, or, for folders, what is
 * below them.
 */
function sourcesOf({ path: target, from = [] }: Named, path: RelPath, before: Before): Entry[] {
  const rest = path.slice(target.length).replace(/^\//, '')
  const [first = '', ...below] = rest.split('/')
  const paths = from.flatMap((source) => [
    joined(source, rest),
    ...(source.split('/').at(-1) === first ? [joined(source, below.join('/'))] : []),
  ])
  return paths.filter(isRelPath).flatMap((one) => before(one) ?? [])
}

const joined = (folder: string, rest: string): string => [folder, rest].filter((part) => part !== '').join('/')

const isLike =
  (now: Entry) =>
  (source: Entry): boolean =>
    isSameContent(source, now)

const isSameContent = (a: Entry, b: Entry): boolean => a.kind === b.kind && Buffer.compare(a.hash, b.hash) === 0
