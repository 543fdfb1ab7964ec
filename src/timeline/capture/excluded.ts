import { outPath } from '../../base/quote.ts'
import { Rules } from '../../config/rules.ts'
import { errorCode, lstat, readFolder, readNames } from '../../host/files/fs.ts'
import { joinPath, type RelPath } from '../../schema/path.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { Assembled } from './assemble.ts'

export interface Excluded {
  readonly path: string
  readonly folder: boolean
  readonly bytes: number
  readonly files: number
  readonly complete: boolean
}

/** Limits the count: counting a large node_modules completely would take too long. */
const MOST_ENTRIES = 50_000
const MOST_MS = 1500

/** The paths that the rules exclude, with their sizes, the largest first. */
export function excludedOf(workspace: Workspace, assembled: Assembled): Excluded[] {
  const rules = new Rules(workspace.rules)
  const budget = { entries: MOST_ENTRIES, until: performance.now() + MOST_MS }
  const found: Excluded[] = []
  for (const [folder] of assembled.folders.all())
    for (const name of excludedIn(workspace.root, folder, rules, assembled)) {
      const path = joinPath(folder, name)
      const isFolder = orNothing(() => lstat(`${workspace.root}/${path}`))?.isDirectory() ?? false
      found.push({ path: outPath(path), folder: isFolder, ...weigh(`${workspace.root}/${path}`, budget) })
    }
  return found.sort((a, b) => b.bytes - a.bytes)
}

/** For files the folder's listing is enough: an lstat of each would take as long as a scan. */
function excludedIn(root: string, folder: RelPath, rules: Rules, { folders }: Assembled): string[] {
  const listing = orNothing(() => readFolder(`${root}/${folder}`))
  if (listing === undefined) return []
  return listing.names.filter((name) => {
    const path = joinPath(folder, name)
    if (name === '.timewarp' || folders.has(path)) return false
    if (listing.isFile(name)) return rules.excludes(path, false)
    const stat = orNothing(() => lstat(`${root}/${path}`))
    return stat !== undefined && rules.excludes(path, stat.isDirectory())
  })
}

function weigh(
  path: string,
  budget: { entries: number; until: number },
): Pick<Excluded, 'bytes' | 'files' | 'complete'> {
  let [bytes, files, complete] = [0, 0, true]
  const walk = (at: string): void => {
    if (budget.entries-- <= 0 || performance.now() > budget.until) {
      complete = false
      return
    }
    const stat = orNothing(() => lstat(at))
    if (stat?.isDirectory()) for (const name of namesIn(at)) walk(`${at}/${name}`)
    else if (stat) {
      files++
      bytes += stat.size
    }
  }
  walk(path)
  return { bytes, files, complete }
}

const namesIn = (dir: string): string[] => orNothing(() => readNames(dir)) ?? []

/** Errors of paths that cannot be examined or are gone by now: they count as nothing. */
const BEYOND = new Set(['EACCES', 'EPERM', 'EIO', 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG'])

function orNothing<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if (BEYOND.has(errorCode(error) ?? '')) return undefined
    throw error
  }
}
