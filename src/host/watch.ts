import * as fs from 'node:fs'
import { nameFromBytes } from '../base/quote.ts'
import { fsPath } from './fs.ts'

/** Tells of a name in a folder; undefined when the system does not say which. `moved`: it came or went. */
export type Hear = (name: string | undefined, moved: boolean) => void

export interface Watcher {
  close(): void
}

/** Watches one folder, not those in it. `end` is called when the system ends the watch. Throws what the system says. */
export function watchFolder(path: string, hear: Hear, end: () => void): Watcher {
  const options = { persistent: false, encoding: 'buffer' } as const
  const watcher = fs.watch(fsPath(path), options, (type, name) =>
    hear(name === null ? undefined : nameFromBytes(name), type === 'rename'),
  )
  watcher.on('error', end)
  return watcher
}

/** Watches a folder and everything below it, where the system can; names are paths from there. */
export function watchTree(path: string, hear: Hear, end: () => void): Watcher {
  const watcher = fs.watch(fsPath(path), { persistent: false, recursive: true }, (type, name) =>
    hear(name ?? undefined, type === 'rename'),
  )
  watcher.on('error', end)
  return watcher
}
