import * as fs from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { close, openRead, removeFile } from './fs.ts'

/**
 * As `removeFile`; what the file held is given back in the background. Much of it may still be on its way to the disk,
 * and whoever gives it back waits for that. A thread that ends with its work removes at once.
 */
export function removeGently(path: string): void {
  const fd = isMainThread ? openedQuietly(path) : undefined
  removeFile(path)
  if (fd !== undefined) closeLater(fd)
}

/** So many wait at most, and not for long: to hand each to another thread at once takes longer than to remove it. */
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

/** Gives back at once what removed files held. Returns whether there was anything. */
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
