import { sep } from 'node:path'
import { type Watcher, watchTree } from '../../host/files/watch.ts'
import { isRelPath, nameOf, parentOf, type RelPath } from '../../schema/path.ts'
import type { EventCount } from './event-count.ts'
import type { Blindness, Watch, WatchListener } from './watch.ts'

/** One watch for a whole tree, as macOS and Windows have them. */
export class RecursiveWatch implements Watch {
  readonly #root: string
  readonly #listener: WatchListener
  readonly #events: EventCount
  readonly #folders = new Set<RelPath>()
  #watcher: Watcher | undefined

  constructor(root: string, listener: WatchListener, events: EventCount) {
    this.#root = root
    this.#listener = listener
    this.#events = events
  }

  get size(): number {
    return this.#folders.size
  }

  has(folder: RelPath): boolean {
    return this.#folders.has(folder)
  }

  add(folders: Iterable<RelPath>): Blindness | undefined {
    const blind = this.#start()
    if (blind) return blind
    for (const folder of folders) this.#folders.add(folder)
    return undefined
  }

  #start(): Blindness | undefined {
    if (this.#watcher) return undefined
    try {
      this.#watcher = watchTree(
        this.#root,
        (name, moved) => this.#hear(name, moved),
        () => this.#listener.lost(),
      )
      return undefined
    } catch {
      return 'refused'
    }
  }

  /** An event without a name means only that something changed somewhere. */
  #hear(name: string | undefined, moved: boolean): void {
    this.#events.count()
    if (name === undefined) return this.#listener.lost()
    const path = sep === '/' ? name : name.replaceAll(sep, '/')
    if (!isRelPath(path)) return this.#listener.lost()
    this.#listener.changed(parentOf(path), nameOf(path), moved)
    // One event reports both a change of the entry and, if it is a folder, a change of the folder itself.
    if (this.#folders.has(path)) this.#listener.changed(path, '', false)
  }

  drop(folder: RelPath): void {
    const prefix = `${folder}/`
    for (const path of this.#folders) if (path === folder || path.startsWith(prefix)) this.#folders.delete(path)
  }

  close(): void {
    this.#watcher?.close()
    this.#watcher = undefined
    this.#folders.clear()
  }
}
