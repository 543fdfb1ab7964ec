import * as fs from 'node:fs'
import { parentOf, type RelPath } from '../../schema/path.ts'
import { childProcess } from '../builtins.ts'
import { close, errorCode, fsPath } from './fs.ts'
import type { OpenFolders } from './open-folders.ts'

/** Above this number, one sync of the whole file system is faster than one call per file. */
const MANY = 128
/** Concurrent syncs: descriptors may be scarce, and the disk handles several in little more time than one. */
const AT_ONCE = 16

/** Files whose contents, modes and times must survive a power loss, and folders whose names must. */
export interface ToSync {
  readonly files: readonly RelPath[]
  readonly folders: readonly RelPath[]
}

/**
 * When it resolves, all of them survive a power loss. Missing files are ignored; a link is synced with its folder.
 * `syncSystem` is for tests.
 */
export async function syncTree(
  opened: OpenFolders,
  { files, folders }: ToSync,
  syncSystem: (path: string) => Promise<boolean> = syncFileSystem,
): Promise<void> {
  const isMany = files.length + folders.length > MANY
  const isDone = isMany && (await syncSystem(opened.root))
  // A folder mounted from another disk has its own file system.
  const isLeft = (folder: RelPath): boolean => !isDone || isElsewhere(opened, folder)
  const left = folders.filter(isLeft)
  const apart = new Set(left)
  const paths = isDone ? files.filter((path) => apart.has(parentOf(path))) : files
  // The name of a folder may itself be a link, which would not be followed.
  const names = [
    ...paths.map((path) => () => opened.child(path)),
    ...left.map((path) => () => `${opened.folder(path)}/.`),
  ]
  const refused = await syncEach(opened, names)
  // A file without read and write permission for its owner cannot be opened.
  if (refused && !isDone) await syncSystem(opened.root)
}

function isElsewhere(opened: OpenFolders, folder: RelPath): boolean {
  opened.rest()
  try {
    return opened.idOf(folder).dev !== opened.id.dev
  } catch {
    return false
  }
}

/** Returns whether some could not be opened. */
async function syncEach(opened: OpenFolders, names: readonly (() => string)[]): Promise<boolean> {
  let refused = false
  for (let i = 0; i < names.length; i += AT_ONCE) {
    opened.rest()
    const some = names.slice(i, i + AT_ONCE).map(openedFor)
    refused ||= some.includes('refused')
    await Promise.all(some.filter((fd) => typeof fd === 'number').map(synced))
  }
  return refused
}

const GONE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'])
const FLAGS = (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0)

function openedFor(name: () => string): number | 'refused' | 'gone' {
  try {
    return fs.openSync(fsPath(name()), FLAGS)
  } catch (error) {
    if (GONE.has(errorCode(error) ?? '')) return 'gone'
    if (errorCode(error) === 'EACCES' || errorCode(error) === 'EPERM') return 'refused'
    throw error
  }
}

/** Some file systems cannot sync a folder and do not need to. */
const CANNOT = new Set(['EINVAL', 'EPERM', 'EISDIR', 'ENOTSUP', 'EROFS'])

const synced = (fd: number): Promise<void> =>
  new Promise((resolve, reject) =>
    fs.fsync(fd, (error) => {
      close(fd)
      if (error && !CANNOT.has(errorCode(error) ?? '')) reject(error)
      else resolve()
    }),
  )

/** The system's program, not one that a project has put into PATH. */
const PROGRAMS = ['/usr/bin/sync', '/bin/sync']

/** Syncs the whole file system of a path. False where no program for that exists. */
function syncFileSystem(path: string): Promise<boolean> {
  const program = process.platform === 'linux' ? PROGRAMS.find((one) => fs.existsSync(one)) : undefined
  if (program === undefined) return Promise.resolve(false)
  return new Promise((resolve) => {
    const child = childProcess().spawn(program, ['-f', '--', path], { cwd: '/', stdio: 'ignore' })
    child.on('error', () => resolve(false))
    child.on('close', (code) => resolve(code === 0))
  })
}
