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

/** A workspace ready to be looked at: its record, its settings, its rules. */
export interface Workspace {
  readonly id: string
  readonly root: string
  readonly record: WorkspaceRecord
  readonly config: Config
  readonly rules: RulesData
  readonly gitDir: string | undefined
  readonly warnings: readonly string[]
}

/** The folder `text` names, by its real path. */
export function realFolder(text: string, cwd: string): string {
  const path = isAbsolute(text) ? text : resolve(cwd, text)
  const stat = lstat(path)
  if (stat === undefined) throw new Fault('ROOT_MISSING', { root: path })
  const real = resolvedOr(path)
  if (real === undefined) throw new Fault('ROOT_MISSING', { root: path })
  if (!lstat(real)?.isDirectory()) throw new Fault('WORKSPACE_REFUSED', { root: path, why: 'it is not a folder' })
  return real
}

/** The path of a folder that was deleted: by its real path as far as that leads. */
export function goneFolder(path: string): string {
  const above = dirname(path)
  return join(lstat(above) || above === path ? realFolder(above, '/') : goneFolder(above), basename(path))
}

/** Undefined when it is a symlink to nothing. */
function resolvedOr(path: string): string | undefined {
  try {
    return realPath(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw translateError(error, path)
  }
}

/**
 * Refuses a root whose path leads through a link. A root is recorded by its real path: when a folder above it has become a
 * link, its path leads to another folder, of which nothing may be captured and to which nothing may be done. Of a root
 * that is gone, what is left of its path is checked.
 */
export function checkRealRoot(root: string): void {
  for (let dir = root; ; dir = dirname(dir)) {
    const real = resolvedOr(dir)
    if (real === dir) return
    if (real === undefined && !lstat(dir)?.isSymbolicLink()) continue
    // Where a disk ignores case, a real path may change without any link.
    if (!leadsThroughLink(dir)) return
    throw new Fault('ROOT_LINKED', { root, leads_to: real === undefined ? null : `${real}${root.slice(dir.length)}` })
  }
}

/** Whether a folder on the way to `path`, or `path` itself, is a link. */
export function leadsThroughLink(path: string): boolean {
  for (let dir = path; dirname(dir) !== dir; dir = dirname(dir)) if (lstat(dir)?.isSymbolicLink()) return true
  return false
}

/** The workspace that `folder` is in: the nearest one on the way up. */
export function enclosing(records: Records, folder: string): WorkspaceRecord | undefined {
  for (let dir = folder; ; dir = dirname(dir)) {
    const record = records.workspaces.at(dir)
    if (record) return record
    if (dirname(dir) === dir) return undefined
  }
}

/** Refuses folders that nobody can mean: everything, all of a person's files, or the store itself. */
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
/** Nothing in these is a file that somebody made. */
const KERNEL = /^\/(proc|sys)\/|^\/dev\/(?!shm\/)/

const isOfSystem = (root: string): boolean => SYSTEM.has(root) || KERNEL.test(root)

const realOr = (path: string): string => {
  try {
    return realPath(path)
  } catch {
    return resolve(path)
  }
}

/** Everything a look at the workspace needs to know. With rules in force that are known, no file is asked for them. */
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
 * The folder of Timewarp in the workspace; git never sees it. If somebody removed it, it comes
 * back, with the settings it had: a copy of them is kept beside the store.
 */
function makeMark(root: string, copy: string): void {
  const mark = join(root, OWN)
  const settings = join(mark, 'config.json')
  const stat = lstat(mark)
  if (stat && !stat.isDirectory())
    throw new Fault('WORKSPACE_REFUSED', { root, why: 'its .timewarp is not a folder of its own' })
  // A clone may have brought it, readable for all; chats of agents lie in it.
  if (stat) makePrivate(root, stat)
  guarded(mark, () => {
    if (lstat(join(mark, '.gitignore'))) return keepCopy(settings, copy)
    const before = readFile(copy)
    if (before && lstat(settings) === undefined) writeOwn(root, 'config.json', before)
    writeOwn(root, '.gitignore', '*\n', 0o644)
  })
}

/** As far as it can be done: a folder of another user, or on a disk that is read only, stays as it is. */
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
 * What git tracks although a default pattern matches it. Git is asked only when its index has
 * changed since it was asked last.
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
