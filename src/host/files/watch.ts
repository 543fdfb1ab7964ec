import * as fs from 'node:fs'
import { nameFromBytes } from '../../base/quote.ts'
import { fsPath } from './fs.ts'

/**
 * Receives an event about a name in a folder; undefined when the system does not report the name. `moved`: the name was
 * created, deleted or renamed.
 */
export type Hear = (name: string | undefined, moved: boolean) => void

export interface Watcher {
  close(): void
}

/**
 * Events of a watched folder itself: `touched` when it was moved, removed or unmounted, and also when only its mode or
 * times changed, because Node does not distinguish them; `failed` when the system ends the watch with an error.
 */
export interface OnFolder {
  readonly touched: () => void
  readonly failed: () => void
}

/** Linux reports an event of the folder itself under the last part of the watched path; no entry can have this name. */
const ITSELF = '.'

/** Watches one folder without its subfolders. Throws the system's error. */
export function watchFolder(path: string, hear: Hear, folder: OnFolder): Watcher {
  const options = { persistent: false, encoding: 'buffer' } as const
  const watcher = fs.watch(fsPath(watchedPath(path)), options, (type, bytes) => {
    const name = bytes === null ? undefined : nameFromBytes(bytes)
    if (name === ITSELF) folder.touched()
    else hear(name, type === 'rename')
  })
  watcher.on('error', folder.failed)
  return watcher
}

const watchedPath = (path: string): string => (process.platform === 'linux' ? `${path}/${ITSELF}` : path)

/** Watches a folder recursively, where the system can; names are paths relative to it. */
export function watchTree(path: string, hear: Hear, end: () => void): Watcher {
  const watcher = fs.watch(fsPath(path), { persistent: false, recursive: true }, (type, name) =>
    hear(name ?? undefined, type === 'rename'),
  )
  watcher.on('error', end)
  return watcher
}
