import { foldersAbove, isWithin, parentOf, type RelPath } from '../../schema/path.ts'
import { sameContent, type TreeDifference } from '../../store/compare-trees.ts'
import { type Entry, KIND } from '../../store/tree.ts'

/** What must happen on disk, in this order of kinds. `--dry-run` shows exactly this. */
export interface RestorePlan {
  /** Folders that must be made writable first, with the mode for that. */
  readonly unlock: readonly { readonly path: RelPath; readonly mode: number }[]
  readonly remove: readonly RelPath[]
  /** Deepest first. */
  readonly removeFolders: readonly RelPath[]
  /** Top down. */
  readonly makeFolders: readonly RelPath[]
  readonly write: readonly Write[]
  /** Files with the same content and another mode or time. */
  readonly touch: readonly { readonly path: RelPath; readonly entry: Entry }[]
  /**
   * Modes and times of folders, deepest first: they are set last, because every change in a folder changes its time.
   */
  readonly settle: readonly { readonly path: RelPath; readonly entry: Entry }[]
  readonly skipped: readonly { readonly path: RelPath; readonly reason: string }[]
}

interface Write {
  readonly path: RelPath
  readonly entry: Entry
  /** Whether a file is there now that has to be replaced. */
  readonly replaces: boolean
}

export interface PlanInput {
  /** The differences from the present to the target, in the order of a walk. */
  readonly differences: readonly TreeDifference[]
  /** The reason why a path must be left alone; undefined when it may be changed. */
  readonly barrier: (difference: TreeDifference) => string | undefined
  /** The folder entry at a path in the present and in the target. */
  readonly presentFolder: (path: RelPath) => Entry | undefined
  readonly targetFolder: (path: RelPath) => Entry | undefined
  /** Whether the folder holds something that is not captured, and so cannot be removed. */
  readonly holdsOther: (path: RelPath) => boolean
  /** Only these paths may change; empty: all. */
  readonly within: readonly RelPath[]
}

/** The steps from the present to the target, without the paths that must be left alone. Pure. */
export function planRestore(input: PlanInput): RestorePlan {
  const { wanted, skipped } = sift(input)
  const remove = wanted.filter(goesAway).map(({ path }) => path)
  const removeFolders = wanted
    .filter(folderGoes)
    .map(({ path }) => path)
    .reverse()
  const makeFolders = wanted.filter(folderComes).map(({ path }) => path)
  const write = wanted.filter(needsContent).map(asWrite)
  const touch = wanted.filter(onlyAttributes).map(({ path, new: entry }) => ({ path, entry: entry as Entry }))
  const disturbed = new Set([...remove, ...removeFolders, ...makeFolders, ...write.map((w) => w.path)].map(parentOf))
  return {
    unlock: unlocks(input, disturbed),
    remove,
    removeFolders,
    makeFolders,
    write,
    touch,
    skipped,
    settle: settles(input, wanted, disturbed),
  }
}

function sift(input: PlanInput) {
  const { wanted, skipped } = siftBarriers(input)
  const stays = new Set<RelPath>()
  for (const { path } of wanted.filter(folderGoes).reverse())
    if (stays.has(path) || input.holdsOther(path)) for (const folder of [path, ...foldersAbove(path)]) stays.add(folder)
  // A folder that has to stay cannot be replaced by anything else.
  const isBlocked = (difference: TreeDifference): boolean => folderGoes(difference) && stays.has(difference.path)
  const blocked = wanted
    .filter(isBlocked)
    .map(({ path }) => ({ path, reason: 'it holds something that is not captured' }))
  return { wanted: wanted.filter((difference) => !isBlocked(difference)), skipped: [...skipped, ...blocked] }
}

function siftBarriers({ differences, barrier }: PlanInput) {
  const wanted: TreeDifference[] = []
  const skipped: { path: RelPath; reason: string }[] = []
  let closed: RelPath | undefined
  for (const difference of differences) {
    const { path } = difference
    // What is below a path that must be left alone is not known: it is left alone, too.
    if (closed !== undefined && isWithin(path, closed)) continue
    const reason = barrier(difference)
    if (reason === undefined) wanted.push(difference)
    else {
      skipped.push({ path, reason })
      closed = path
    }
  }
  return { wanted, skipped }
}

const isFolder = (entry: Entry | undefined): boolean => entry?.kind === KIND.directory
const goesAway = ({ old: a, new: b }: TreeDifference): boolean =>
  a !== undefined && !isFolder(a) && (b === undefined || isFolder(b))
const folderGoes = ({ old: a, new: b }: TreeDifference): boolean => isFolder(a) && !isFolder(b)
const folderComes = ({ old: a, new: b }: TreeDifference): boolean => !isFolder(a) && isFolder(b)
const needsContent = ({ old: a, new: b }: TreeDifference): boolean =>
  b !== undefined && !isFolder(b) && !sameContent(a, b)
const onlyAttributes = ({ old: a, new: b }: TreeDifference): boolean =>
  b !== undefined && !isFolder(b) && sameContent(a, b)

const asWrite = ({ path, old: a, new: b }: TreeDifference): Write => ({
  path,
  entry: b as Entry,
  replaces: a !== undefined && !isFolder(a),
})

/** The owner's permission to write and to enter. */
const OPEN = 0o300
export const isLocked = ({ mode }: Entry): boolean => (mode & OPEN) !== OPEN

function unlocks(input: PlanInput, disturbed: ReadonlySet<RelPath>): { path: RelPath; mode: number }[] {
  return [...disturbed].sort().flatMap((path) => {
    const entry = path === '' ? undefined : input.presentFolder(path)
    return entry && isFolder(entry) && isLocked(entry) ? [{ path, mode: entry.mode | 0o700 }] : []
  })
}

/** Folders that exist afterwards and either had names created or deleted in them, or get another mode or time. */
function settles(
  input: PlanInput,
  wanted: readonly TreeDifference[],
  disturbed: ReadonlySet<RelPath>,
): { path: RelPath; entry: Entry }[] {
  const entries = new Map<RelPath, Entry>()
  const goes = new Set(wanted.filter(folderGoes).map(({ path }) => path))
  for (const { path, new: entry } of wanted) if (entry && isFolder(entry)) entries.set(path, entry)
  for (const path of disturbed) {
    if (path === '' || entries.has(path)) continue
    if (goes.has(path)) continue
    const inScope = input.within.length === 0 || input.within.some((folder) => isWithin(path, folder))
    const target = inScope ? input.targetFolder(path) : undefined
    const entry = target && isFolder(target) ? target : lockedAgain(input.presentFolder(path))
    if (entry && isFolder(entry)) entries.set(path, entry)
  }
  return [...entries].map(([path, entry]) => ({ path, entry })).sort((a, b) => (a.path < b.path ? 1 : -1))
}

/** A folder outside the wanted paths only gets its own mode again, and only if it had to be made writable. */
const lockedAgain = (entry: Entry | undefined): Entry | undefined =>
  entry && isFolder(entry) && isLocked(entry) ? entry : undefined

/** What the receipt names as restored and deleted. */
export const restoredPaths = (plan: RestorePlan): RelPath[] =>
  [...plan.makeFolders, ...plan.write.map((w) => w.path), ...plan.touch.map((t) => t.path)].sort()
export const deletedPaths = (plan: RestorePlan): RelPath[] => {
  const written = new Set([...plan.write.map((w) => w.path), ...plan.makeFolders])
  return [...plan.remove, ...plan.removeFolders].filter((path) => !written.has(path)).sort()
}
