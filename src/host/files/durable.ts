import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { crypto } from '../builtins.ts'
import { close, fsPath, fsync, removeAll, rename, writeAll } from './fs.ts'

/** Writes so that a crash leaves either the old file or the whole new one, also when the machine dies. */
export function writeWhole(path: string, bytes: Uint8Array | string, mode = 0o600): void {
  replaceFile(path, bytes, mode, true)
}

/** As `writeWhole`, but the machine's death may take it: for what can be made again. */
export function writeCache(path: string, bytes: Uint8Array): void {
  replaceFile(path, bytes, 0o600, false)
}

/**
 * Adds to a file made with `writeCache`, if it is still the one that was read. Two that add at once both succeed;
 * whose bytes come last is open.
 */
export function appendCache(path: string, bytes: Uint8Array, read: { ino: number; length: number }): boolean {
  const fd = fs.openSync(fsPath(path), fs.constants.O_WRONLY | fs.constants.O_APPEND)
  try {
    const { ino, size } = fs.fstatSync(fd)
    return ino === read.ino && size === read.length && fs.writeSync(fd, bytes) === bytes.length
  } finally {
    close(fd)
  }
}

function replaceFile(path: string, bytes: Uint8Array | string, mode: number, durable: boolean): void {
  const temp = `${path}.${crypto().randomBytes(6).toString('hex')}.tmp`
  const fd = fs.openSync(fsPath(temp), 'wx', mode)
  try {
    writeAll(fd, typeof bytes === 'string' ? Buffer.from(bytes) : bytes)
    if (durable) fsync(fd)
  } catch (error) {
    close(fd)
    removeAll(temp)
    throw error
  }
  close(fd)
  rename(temp, path)
  if (durable) syncDir(dirname(path))
}

/** Makes the names in a folder survive the machine's death. Some systems cannot; then there is nothing to do. */
export function syncDir(dir: string): void {
  try {
    const fd = fs.openSync(dir, 'r')
    try {
      fsync(fd)
    } finally {
      close(fd)
    }
  } catch (error) {
    if (!cannotSync(error)) throw error
  }
}

/** As `syncDir`, in the background. */
export async function syncDirGently(dir: string): Promise<void> {
  try {
    await synced(dir, 'r')
  } catch (error) {
    if (!cannotSync(error)) throw error
  }
}

/** Begun here and now, and nobody waits for the file to be closed: each step may find the thread busy. */
async function synced(path: string, flags: string): Promise<void> {
  const fd = fs.openSync(fsPath(path), flags)
  return new Promise((resolve, reject) =>
    fs.fdatasync(fd, (error) => {
      fs.close(fd, () => {})
      if (error) reject(error)
      else resolve()
    }),
  )
}

const cannotSync = (error: unknown): boolean =>
  ['EISDIR', 'EPERM', 'EINVAL', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Lets the disk begin with what a later `syncFile` will wait for. Only a hint: it promises nothing. */
export function beginSync(path: string): void {
  try {
    // Opened here and now: whoever calls may be too busy to hear of it being open before it is too late.
    const fd = fs.openSync(fsPath(path), 'r+')
    fs.fdatasync(fd, () => fs.close(fd, () => {}))
  } catch {
    // What cannot be synced is told to whoever has to.
  }
}

/** As `syncFile`, in the background. A file that is gone needs nothing. */
export async function syncGently(path: string): Promise<void> {
  try {
    await synced(path, 'r+')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Makes the bytes of a file survive the machine's death. */
export function syncFile(path: string): void {
  const fd = fs.openSync(fsPath(path), 'r+')
  try {
    fsync(fd)
  } finally {
    close(fd)
  }
}
