import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { crypto } from '../builtins.ts'
import { close, fsPath, fsync, removeAll, rename, writeAll } from './fs.ts'

/** Replaces a file durably: a crash or power loss leaves either the old file or the complete new one. */
export function writeWhole(path: string, bytes: Uint8Array | string, mode = 0o600): void {
  replaceFile(path, bytes, mode, true)
}

/** As `writeWhole`, but not durable: for data that can be made again. */
export function writeCache(path: string, bytes: Uint8Array): void {
  replaceFile(path, bytes, 0o600, false)
}

/**
 * Appends to a file made with `writeCache`, if it is still the file that was read. Two processes that append at once
 * may both succeed, in either order.
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

/** Makes the names in a folder survive a power loss. Does nothing on systems that cannot sync a folder. */
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

/** Opens synchronously and does not wait for the close: with asynchronous steps, each might wait for a busy thread. */
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

/** Starts writing to the disk what a later `syncFile` will wait for. Only a hint, without any guarantee. */
export function beginSync(path: string): void {
  try {
    // Synchronously: the caller may keep the thread busy, and an asynchronous open would complete too late.
    const fd = fs.openSync(fsPath(path), 'r+')
    fs.fdatasync(fd, () => fs.close(fd, () => {}))
  } catch {
    // Only a hint: the later sync will report the error.
  }
}

/** As `syncFile`, in the background. Ignores a file that does not exist. */
export async function syncGently(path: string): Promise<void> {
  try {
    await synced(path, 'r+')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Makes the bytes of a file survive a power loss. */
export function syncFile(path: string): void {
  const fd = fs.openSync(fsPath(path), 'r+')
  try {
    fsync(fd)
  } finally {
    close(fd)
  }
}
