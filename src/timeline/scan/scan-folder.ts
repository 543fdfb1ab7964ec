import type { Rules } from '../../config/rules.ts'
import { clockOffset } from '../../host/clock.ts'
import {
  type ExactStat,
  errorCode,
  type Listing,
  lstat,
  lstatExact,
  microsOf,
  millisOf,
  modeIn,
  readFolder,
  type Stat,
} from '../../host/files/fs.ts'
import { joinPath, type RelPath } from '../../schema/path.ts'
import { KIND } from '../../store/tree.ts'
import { sameEntry } from './as-found.ts'
import { asWritten, type WrittenFiles } from './as-written.ts'
import { decodeFolder, encodeFolder, type Folder, hashAt, SKIPPED } from './folder.ts'
import { glance } from './glance.ts'
import {
  type ContentSink,
  type KnownContent,
  type ReadOutcome,
  takeFile,
  takeLink,
  takeStillFile,
} from './read-stable.ts'
import type { FolderScan } from './scan-rows.ts'
import { asFolder, linkedOf, merge, overwrite, type ScannedEntry, type ScannedRow } from './scan-rows.ts'
import type { NamesOf } from './scan-scope.ts'

/** What the scan of one folder needs. */
export interface FolderScanContext {
  readonly root: string
  /** Opens a folder, from the root on, without following symlinks. The returned path is valid until the next call. */
  readonly enter: (path: RelPath) => string
  readonly rules: () => Rules
  readonly maxBytes: number
  readonly sink: ContentSink
  /**
   * Wait until a file that has just changed can be read safely. False when a watch reports whether it changes again.
   */
  readonly patient: boolean
  /** The rules changed: every folder is listed again and checked against them. */
  readonly relist: boolean
  /** Whether the last scan saw this folder; if so, the scan visits it anyway. */
  readonly isKnown: (path: RelPath) => boolean
  readonly put?: WrittenFiles | undefined
  /** The only names in a folder that have to be scanned; undefined: all of them. */
  readonly names?: NamesOf | undefined
  /** Whether the store still has the bytes of an unchanged entry; undefined when that is certain. */
  readonly isStored: ((hash: Uint8Array) => boolean) | undefined
}

const LISTING_TRIES = 5
const DIR_TICK_MS = 12
/** The two clocks are read one after the other. If they differ by more than this, one of them was set. */
const CLOCK_JITTER_MS = 3

const absoluteOf = ({ root }: FolderScanContext, path: RelPath): string => (path === '' ? root : `${root}/${path}`)

/**
 * Scans one folder, not those below it, and passes changed contents to the sink. The check for an unchanged folder
 * (`glance`) goes by the path and stores nothing. Listing and reading go through the opened folder, so they stay in it
 * even if it is replaced by a symlink meanwhile.
 */
export function scanFolder(scene: FolderScanContext, path: RelPath, known: Uint8Array | undefined): FolderScan {
  const isTrusted = known !== undefined && !scene.relist && scene.isStored === undefined
  const names = isTrusted ? scene.names?.(path) : undefined
  const seen = isTrusted && names === undefined ? glance(absoluteOf(scene, path), known) : undefined
  if (seen) return { state: 'same', linked: seen === 'linked' }
  const inside = entered(scene, path)
  if (typeof inside === 'object') return inside
  return known && names ? lookAtNames(scene, path, inside, known, names) : lookAtAll(scene, path, inside, known)
}

/** Above this length the system may refuse the path in one call; then the folder is skipped as unreadable. */
const TOO_LONG = 1300

function entered(scene: FolderScanContext, path: RelPath): string | (FolderScan & { state: 'gone' | 'unreadable' }) {
  if (path.length > TOO_LONG) return absoluteOf(scene, path)
  try {
    return scene.enter(path)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return { state: 'gone' }
    if (DENIED.has(code ?? '')) return { state: 'unreadable' }
    throw error
  }
}

function lookAtAll(
  scene: FolderScanContext,
  path: RelPath,
  absolute: string,
  known: Uint8Array | undefined,
): FolderScan {
  const last = known && decodeFolder(known)
  const still = known === undefined ? lookAtStillFolder(scene, path, absolute) : undefined
  if (still) return still
  for (let attempt = 1; ; attempt++) {
    const before = statOf(absolute)
    if (before === 'unreadable') return { state: before }
    if (!before?.isDirectory()) return { state: 'gone' }
    const own = ownOf(before)
    const sameListing = last !== undefined && !scene.relist && sameFolder(own, last)
    const started = Date.now()
    const listing = sameListing ? { names: last.names, isFile: () => false } : listFolder(absolute)
    if (typeof listing === 'string') return { state: listing }
    const offset = clockOffset()
    const look = lookAtEntries(scene, path, absolute, listing, last, attempt === 1 ? started : undefined)
    if (attempt < LISTING_TRIES && Math.abs(clockOffset() - offset) > CLOCK_JITTER_MS) continue
    const after = statOf(absolute)
    if (after === 'unreadable') return { state: after }
    if (after && attempt < LISTING_TRIES && after.mtimeNs !== before.mtimeNs) continue
    const settled = after?.mtimeNs === before.mtimeNs && started - own.ctimeMs > DIR_TICK_MS
    Object.assign(look.folder, own, { ctimeMs: settled ? own.ctimeMs : Number.NaN })
    return { ...look, folder: encodeFolder(look.folder) }
  }
}

/**
 * The fast path for a folder that the last scan did not know and that has not changed recently: it is listed first and
 * examined once, afterwards. Its last change is more than a tick older than the listing, so no change fell into it.
 * Undefined when the slow path is needed; contents stored by then are found in the store and not stored twice.
 */
function lookAtStillFolder(scene: FolderScanContext, path: RelPath, absolute: string): FolderScan | undefined {
  const started = Date.now()
  const offset = clockOffset()
  const listing = listFolder(absolute)
  if (typeof listing === 'string') return undefined
  const look = lookAtEntries(scene, path, absolute, listing, undefined, started)
  const stat = statOf(absolute)
  if (stat === undefined || stat === 'unreadable' || !stat.isDirectory()) return undefined
  const own = ownOf(stat)
  const isStill = started - own.ctimeMs > DIR_TICK_MS && Math.abs(clockOffset() - offset) <= CLOCK_JITTER_MS
  return isStill ? { ...look, folder: encodeFolder(Object.assign(look.folder, own)) } : undefined
}

/** Whether a folder is certainly unchanged; undefined when only a scan of it can tell. */
export function scanFolderQuickly(scene: FolderScanContext, path: RelPath, known: Uint8Array | undefined) {
  const seen = known && glance(absoluteOf(scene, path), known)
  return seen && { linked: seen === 'linked' }
}

/** Scans some names of a folder. The others are unchanged as far as events were reported. */
function lookAtNames(
  scene: FolderScanContext,
  path: RelPath,
  absolute: string,
  known: Uint8Array,
  names: ReadonlySet<string>,
): FolderScan {
  const stat = statOf(absolute)
  if (stat === 'unreadable') return { state: stat }
  if (!stat?.isDirectory()) return { state: 'gone' }
  const encoded = known.slice()
  const last = decodeFolder(encoded)
  const positionOf = positionsIn(last, names.size)
  const found = new Map<string, ScannedEntry | undefined>()
  const fresh: RelPath[] = []
  for (const name of names) {
    // The empty name means an event for the folder itself, which was examined above.
    if (name === '') continue
    const row = lookAtEntry(scene, joinPath(path, name), `${absolute}/${name}`, last, positionOf(name))
    found.set(name, row)
    if (row && 'folder' in row && !scene.isKnown(joinPath(path, name))) fresh.push(joinPath(path, name))
  }
  const linked = linkedOf(found.values(), last)
  if (isAsKnown(ownOf(stat), last, found, positionOf) && fresh.length === 0)
    return { state: 'same', linked: linked.length > 0 }
  const own = { ...ownOf(stat), ctimeMs: Number.NaN }
  const folder = overwrite(encoded, Object.assign(last, own), found, positionOf)
    ? encoded
    : encodeFolder(Object.assign(merge(last, found), own))
  return { state: 'changed', folder, fresh, linked }
}

/** Whether the folder's own state and all scanned names are as recorded. The folder's change time is not compared. */
function isAsKnown(
  own: { readonly mode: number; readonly mtime: number; readonly ino: number },
  last: Folder,
  found: ReadonlyMap<string, ScannedEntry | undefined>,
  positionOf: (name: string) => number | undefined,
): boolean {
  if (own.mode !== last.mode || own.mtime !== last.mtime || own.ino !== last.ino) return false
  for (const [name, row] of found) {
    const i = positionOf(name)
    if (row === undefined ? i !== undefined : 'taken' in row) return false
    if (row && 'folder' in row && (i === undefined || last.kinds[i] !== KIND.directory)) return false
  }
  return true
}

/**
 * Errors for entries that exist but cannot be examined: no right to enter their folder, or a path too long for the
 * system.
 */
const DENIED = new Set(['EACCES', 'EPERM', 'EIO', 'ENAMETOOLONG'])

function statOf(absolute: string): ExactStat | 'unreadable' | undefined {
  try {
    return lstatExact(absolute)
  } catch (error) {
    if (DENIED.has(errorCode(error) ?? '')) return 'unreadable'
    throw error
  }
}

const ownOf = (stat: ExactStat) => ({
  mode: modeIn(stat),
  mtime: microsOf(stat.mtimeNs),
  mtimeMs: millisOf(stat.mtimeNs),
  ctimeMs: millisOf(stat.ctimeNs),
  ino: Number(stat.ino),
})

const sameFolder = (own: { ctimeMs: number; mtimeMs: number; ino: number }, last: Folder): boolean =>
  own.ctimeMs === last.ctimeMs && own.mtimeMs === last.mtimeMs && own.ino === last.ino

function listFolder(absolute: string): Listing | 'gone' | 'unreadable' {
  try {
    return readFolder(absolute)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return 'gone'
    if (DENIED.has(code ?? '')) return 'unreadable'
    throw error
  }
}

type Entries = Omit<FolderScan & { state: 'changed' }, 'folder'> & { readonly folder: Folder }

function lookAtEntries(
  scene: FolderScanContext,
  path: RelPath,
  absolute: string,
  { names, isFile }: Listing,
  last: Folder | undefined,
  started: number | undefined,
): Entries {
  const before = last && positions(last)
  const rows: ScannedRow[] = []
  const fresh: RelPath[] = []
  for (const name of names) {
    const known = before?.get(name)
    const child = joinPath(path, name)
    // An entry that the listing reports as a file is read without an lstat before.
    const isNewFile = known === undefined && isFile(name)
    const row =
      (isNewFile ? lookAtNewFile(scene, child, name, `${absolute}/${name}`, started) : undefined) ??
      lookAtEntry(scene, child, `${absolute}/${name}`, last, known)
    if (row === undefined || row === 'excluded') continue
    rows.push({ name, ...row })
    if ('folder' in row && !scene.isKnown(child)) fresh.push(child)
  }
  return { state: 'changed', folder: asFolder(rows, last), fresh, linked: linkedOf(rows, last) }
}

/** For at most this many names a linear search is faster than building a map of all of them. */
const FEW_NAMES = 8

function positionsIn(folder: Folder, wanted: number): (name: string) => number | undefined {
  if (wanted > FEW_NAMES) {
    const all = positions(folder)
    return (name) => all.get(name)
  }
  return (name) => {
    const at = folder.names.indexOf(name)
    return at === -1 ? undefined : at
  }
}

const positions = (last: Folder): Map<string, number> => new Map(last.names.map((name, i) => [name, i]))

/** The fast path for a file that the last scan did not know. Undefined when the slow path is needed. */
function lookAtNewFile(
  scene: FolderScanContext,
  path: RelPath,
  name: string,
  absolute: string,
  started: number | undefined,
): ScannedEntry | 'excluded' | undefined {
  if (scene.rules().excludes(path, false, name)) return 'excluded'
  const taken =
    asWritten(scene.put, path, absolute) ??
    (started === undefined ? undefined : takeStillFile(absolute, started, scene.maxBytes, scene.sink)) ??
    takeFile(absolute, scene.maxBytes, scene.sink, scene.patient)
  return taken === 'moved' || 'skip' in taken ? undefined : { taken, stat: undefined }
}

/** Undefined when there is nothing to record: the entry is excluded, or was deleted after the listing. */
function lookAtEntry(
  scene: FolderScanContext,
  path: RelPath,
  absolute: string,
  last: Folder | undefined,
  known: number | undefined,
): ScannedEntry | undefined {
  for (let attempt = 0; attempt < 3; attempt++) {
    const stat = entryStat(absolute)
    if (stat === undefined) return undefined
    if (stat === 'unreadable')
      return scene.rules().excludes(path, false) ? undefined : { taken: { skip: 'unreadable' }, stat: undefined }
    const isFolder = stat.isDirectory()
    // Some rules apply to folders only: they are checked again when an entry became a folder or ceased to be one.
    const wasFolder = known === undefined ? undefined : last?.kinds[known] === KIND.directory
    if ((wasFolder !== isFolder || scene.relist) && scene.rules().excludes(path, isFolder)) return undefined
    if (isFolder) return { folder: true }
    if (last && known !== undefined && isSame(scene, stat, last, known)) return { same: known, linked: stat.nlink > 1 }
    const taken =
      asWritten(scene.put, path, absolute) ?? take(scene, absolute, stat, last && knownOf(stat, last, known ?? -1))
    if (taken !== 'moved') return { taken, stat }
  }
  return undefined
}

function entryStat(absolute: string): Stat | 'unreadable' | undefined {
  try {
    return lstat(absolute)
  } catch (error) {
    if (DENIED.has(errorCode(error) ?? '')) return 'unreadable'
    throw error
  }
}

const isSame = (scene: FolderScanContext, stat: Stat, last: Folder, i: number): boolean =>
  last.kinds[i] !== KIND.directory &&
  sameEntry(stat, last, i) &&
  // Entries skipped under other rules, such as a lower size limit, are tried again.
  (last.kinds[i] === SKIPPED ? !scene.relist : scene.isStored === undefined || scene.isStored(hashAt(last, i)))

/**
 * The recorded content of a file whose size, inode and modification time are unchanged, though its change time is not.
 */
const knownOf = (stat: Stat, last: Folder, i: number): KnownContent | undefined =>
  last.kinds[i] === KIND.file &&
  stat.mtimeMs === last.sigM[i] &&
  stat.ino === last.inos[i] &&
  stat.size === last.sizes[i]
    ? { size: stat.size, hash: hashAt(last, i) }
    : undefined

function take(scene: FolderScanContext, absolute: string, stat: Stat, known: KnownContent | undefined): ReadOutcome {
  if (stat.isFile()) return takeFile(absolute, scene.maxBytes, scene.sink, scene.patient, known)
  if (stat.isSymbolicLink()) return takeLink(absolute, scene.sink, scene.patient)
  return { skip: 'special' }
}
