import { nameOf, parentOf, type RelPath } from '../../schema/path.ts'

export type NamesOf = (path: RelPath) => ReadonlySet<string> | undefined

/** What to scan: folders, each with the names in it; undefined: all names. The name '' is the folder itself. */
export type ScanScope = ReadonlyMap<RelPath, ReadonlySet<string> | undefined>

/** The union of both. */
export const joinScopes = (a: ScanScope, b: ScanScope): ScanScope => {
  const joined = new Map(a)
  for (const [folder, names] of b) {
    const known = joined.get(folder)
    const isWhole = names === undefined || (joined.has(folder) && known === undefined)
    joined.set(folder, isWhole ? undefined : new Set([...(known ?? []), ...names]))
  }
  return joined
}

/** The scope of some paths: each one's name in its folder. */
export const scopeOf = (paths: Iterable<RelPath>): ScanScope => {
  const places = new Map<RelPath, Set<string>>()
  for (const path of paths) {
    const folder = parentOf(path)
    const names = places.get(folder)
    if (names) names.add(nameOf(path))
    else places.set(folder, new Set([nameOf(path)]))
  }
  return places
}
