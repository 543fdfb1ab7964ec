import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { Fault } from '../../base/fault.ts'
import { DEFAULT_EXCLUDES, matchingDefaults, type RulesData } from '../../config/rules.ts'
import { resolveIgnore, resolveSettings } from '../../config/settings.ts'
import { readWorkspaceFile } from '../../config/settings-file.ts'
import { guarded, translateError } from '../../host/faults.ts'
import { writeCache, writeWhole } from '../../host/files/durable.ts'
import { chmod, errorCode, lstat, readFile, realPath, removeAll, type Stat } from '../../host/files/fs.ts'
import type { Records } from '../../records/records.ts'
import type { WorkspaceRecord } from '../../records/workspaces.ts'
import type { Config } from '../../schema/config.ts'
import { type RelPath, recordedPath } from '../../schema/path.ts'
import { findGitDir, trackedPaths, trackedSignature } from './git-facts.ts'
import { inFolders, OWN, writeOwn } from './own-folders.ts'

/** An opened workspace: its record, its settings, its rules. */
export interface Workspace {
  readonly id: string
  readonly root: string
  readonly record: WorkspaceRecord
  readonly config: Config
  readonly rules: RulesData
  readonly gitDir: string | undefined
  readonly warnings: readonly string[]
}

/** The real path of the folder that `text` names. */
export function realFolder(text: string, cwd: string): string {
  const path = isAbsolute(text) ? text : resolve(cwd, text)
  const stat = lstat(path)
  if (stat === undefined) throw new Fault('ROOT_MISSING', { root: path })
  const real = resolvedOr(path)
  if (real === undefined) throw new Fault('ROOT_MISSING', { root: path })
  if (!lstat(real)?.isDirectory()) throw new Fault('WORKSPACE_REFUSED', { root: path, why: 'it is not a folder' })
  return real
}

/** The path of a deleted folder: the real path of the nearest folder above it that exists, and the rest as given. */
export function goneFolder(path: string): string {
  const above = dirname(path)
  return join(lstat(above) || above === path ? realFolder(above, '/') : goneFolder(above), basename(path))
}

/** Undefined when the path does not exist or is a symlink to nothing. */
function resolvedOr(path: string): string | undefined {
  try {
    return realPath(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw translateError(error, path)
  }
}

/**
 * Refuses a root whose path leads through a symlink. A root is recorded by its real path. When a folder above it has
 * become a symlink, the path leads to another folder, which must be neither captured nor changed. For a root that is
 * gone, the part of its path that still exists is checked.
 */
export function checkRealRoot(root: string): void {
  for (let dir = root; ; dir = dirname(dir)) {
    const real = resolvedOr(dir)
    if (real === dir) return
    if (real === undefined && !lstat(dir)?.isSymbolicLink()) continue
    // On a case-insensitive file system, a real path may change without any symlink.
    if (!leadsThroughLink(dir)) return
    throw new Fault('ROOT_LINKED', { root, leads_to: real === undefined ? null : `${real}${root.slice(dir.length)}` })
  }
}

/** Whether `path`, or a folder on the way to it, is a symlink. */
export function leadsThroughLink(path: string): boolean {
  for (let dir = path; dirname(dir) !== dir; dir = dirname(dir)) if (lstat(dir)?.isSymbolicLink()) return true
  return false
}

/** The workspace that contains `folder`: the nearest one on the way up. */
export function enclosing(records: Records, folder: string): WorkspaceRecord | undefined {
  for (let dir = folder; ; dir = dirname(dir)) {
    const record = records.workspaces.at(dir)
    if (record) return record
    if (dirname(dir) === dir) return undefined
  }
}

/**
 * Refuses folders that cannot be meant as a workspace: the file system's root, system folders, the home directory, the
 * store.
 */
export function checkRoot(root: string, home: string): void {
  const refuse = (why: string): never => {
    throw new Fault('WORKSPACE_REFUSED', { root, why })
  }
  if (dirname(root) === root) refuse('it is the whole file system')
  if (isOfSystem(root)) refuse('it belongs to the system')
  if (root === realOr(homedir())) refuse('it is your home directory')
  const store = realOr(home)
  if (store === root || store.startsWith(`${root}/`)) refuse('the store lies in it')
  const inside = root.startsWith(`${store}/`) ? root.slice(store.length + 1).split('/')[0] : undefined
  if (inside !== undefined && inside !== 'workshop' && inside !== 'notebooks') refuse('it lies in the store')
}

/** Folders of the system, by their real paths. A project may lie in most of them: `/usr/src/app`, `/etc/nginx`. */
const SYSTEM: ReadonlySet<string> = new Set(
  `/bin /boot /dev /etc /home /lib /lib32 /lib64 /libx32 /lost+found /media /mnt /opt /proc /root /run /sbin /srv /sys /usr
  /usr/bin /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/local /usr/sbin /usr/share /var /var/cache /var/lib /var/log
  /var/run /var/spool /Applications /Library /System /Users /Volumes /private /private/etc /private/var`.split(/\s+/),
)
/** Paths whose contents come from the kernel: no person or program made files there. */
const KERNEL = /^\/(proc|sys)\/|^\/dev\/(?!shm\/)/

const isOfSystem = (root: string): boolean => SYSTEM.has(root) || KERNEL.test(root)

const realOr = (path: string): string => {
  try {
    return realPath(path)
  } catch {
    return resolve(path)
  }
}

/** Reads the settings and rules of a workspace. With `inForce`, those rules apply, and no file is read for rules. */
export function openWorkspace(record: WorkspaceRecord, home: string, inForce?: RulesData): Workspace {
  const { id, root } = record
  if (!lstat(root)?.isDirectory()) throw new Fault('ROOT_MISSING', { root })
  checkRealRoot(root)
  makeMark(root, join(home, 'cache', `${id}.config.json`))
  const { config, warnings } = resolveSettings(home, root)
  if (inForce) return { id, root, record, config, gitDir: findGitDir(root), rules: inForce, warnings }
  const ignore = resolveIgnore(home, root, config.exclude)
  const gitDir = findGitDir(root)
  const { tracked, warning } = config.default_excludes
    ? trackedDespiteDefaults(root, gitDir, join(home, 'cache', `${id}.tracked`))
    : { tracked: [] }
  const defaults = config.default_excludes ? DEFAULT_EXCLUDES : []
  const rules = { defaults, own: ignore.patterns, tracked }
  const all = [...warnings, ...ignore.warnings, ...(warning ? [warning] : [])]
  return { id, root, record, config, gitDir, rules, warnings: all }
}

/**
 * Creates Timewarp's folder in the workspace; git ignores it. If it was deleted, it is created again with the settings
 * it had: a copy of them is kept in the store.
 */
function makeMark(root: string, copy: string): void {
  const mark = join(root, OWN)
  const settings = join(mark, 'config.json')
  const stat = lstat(mark)
  if (stat && !stat.isDirectory())
    throw new Fault('WORKSPACE_REFUSED', { root, why: 'its .timewarp is not a folder of its own' })
  // A clone may contain the folder, readable for all users; it holds chats of agents.
  if (stat) makePrivate(root, stat)
  guarded(mark, () => {
    if (lstat(join(mark, '.gitignore'))) return keepCopy(settings, copy)
    const before = readFile(copy)
    if (before && lstat(settings) === undefined) writeOwn(root, 'config.json', before)
    writeOwn(root, '.gitignore', '*\n', 0o644)
  })
}

/** As far as possible: a folder of another user, or on a read-only file system, stays as it is. */
function makePrivate(root: string, { mode }: Stat): void {
  if ((mode & 0o077) === 0) return
  try {
    inFolders(root, (folders) => chmod(folders.folder(OWN), 0o700))
  } catch (error) {
    if (!['EPERM', 'EACCES', 'EROFS'].includes(errorCode(error) ?? '')) throw translateError(error, join(root, OWN))
  }
}

function keepCopy(settings: string, copy: string): void {
  const [{ bytes: now }, kept] = [readWorkspaceFile(settings), readFile(copy)]
  if (now && !(kept && now.equals(kept))) writeWhole(copy, now)
  if (!now && kept) removeAll(copy)
}

/**
 * The paths that git tracks although a default pattern matches them. Git is run only when its index has changed since
 * the last time.
 */
function trackedDespiteDefaults(
  root: string,
  gitDir: string | undefined,
  cache: string,
): { tracked: readonly RelPath[]; warning?: string } {
  const signature = trackedSignature(gitDir)
  if (signature === '') return { tracked: [] }
  const known = readTracked(cache)
  if (known?.at === signature) return known
  const paths = trackedPaths(root)
  if (paths === undefined)
    return {
      tracked: [],
      warning: 'git could not be asked what it tracks; tracked files in excluded folders are not captured',
    }
  const tracked = matchingDefaults(paths)
  writeCache(cache, Buffer.from(JSON.stringify({ at: signature, tracked })))
  return { tracked }
}

function readTracked(cache: string): { at: string; tracked: RelPath[] } | undefined {
  try {
    const { at, tracked } = JSON.parse(readFile(cache)?.toString() ?? '') as { at: string; tracked: string[] }
    return { at, tracked: tracked.map(recordedPath) }
  } catch {
    return undefined
  }
}
