import * as fs from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { close, openRead, removeFile } from './fs.ts'

/**
 * As `removeFile`, but frees the file's space in the background: freeing waits for pending writes of the file. In a
 * worker thread, which may end with its work, it frees at once.
 */
export function removeGently(path: string): void {
  const fd = isMainThread ? openedQuietly(path) : undefined
  removeFile(path)
  if (fd !== undefined) closeLater(fd)
}

/**
 * At most this many descriptors wait to be closed, and only briefly: handing each to another thread costs more than
 * removing the file.
 */
const WAITING = 64
const WAIT_MS = 20
const waiting: number[] = []

function closeLater(fd: number): void {
  const closeAll = (): void => {
    for (const one of waiting.splice(0)) fs.close(one, () => {})
  }
  const count = waiting.push(fd)
  if (count === 1) setTimeout(closeAll, WAIT_MS).unref()
  else if (count === WAITING) closeAll()
}

/** Frees the space of removed files now. Returns whether there were any. */
export function finishRemovals(): boolean {
  const files = waiting.splice(0)
  for (const fd of files) close(fd)
  return files.length > 0
}

function openedQuietly(path: string): number | undefined {
  try {
    return openRead(path)
  } catch {
    return undefined
  }
}
