import { errorCode } from '../../host/files/fs.ts'
import { type Watcher, watchFolder } from '../../host/files/watch.ts'
import { nameOf, parentOf, type RelPath } from '../../schema/path.ts'
import type { EventCount } from './event-count.ts'
import type { Blindness, Watch, WatchListener } from './watch.ts'

/**
 * One watch per folder, as Linux has them.
 *
 * The watch of a renamed folder goes on reporting under the old name. So when a name is reported as created, deleted or
 * renamed, the listener must drop the folder of that name.
 */
export class FolderWatch implements Watch {
  readonly #root: string
  readonly #listener: WatchListener
  readonly #events: EventCount
  readonly #watchers = new Map<RelPath, Watcher>()
  /** The subfolders of each folder that are watched, or have watched folders below them. */
  readonly #below = new Map<RelPath, Set<RelPath>>()

  constructor(root: string, listener: WatchListener, events: EventCount) {
    this.#root = root
    this.#listener = listener
    this.#events = events
  }

  get size(): number {
    return this.#watchers.size
  }

  has(folder: RelPath): boolean {
    return this.#watchers.has(folder)
  }

  add(folders: Iterable<RelPath>): Blindness | undefined {
    for (const folder of folders) {
      if (this.#watchers.has(folder)) continue
      const blind = this.#watch(folder)
      if (blind) return blind
    }
    return undefined
  }

  #watch(folder: RelPath): Blindness | undefined {
    try {
      const path = folder === '' ? this.#root : `${this.#root}/${folder}`
      const watcher = watchFolder(path, (name = '', moved) => this.#hear(folder, name, moved), {
        touched: () => this.#touched(folder),
        failed: () => this.#listener.lost(),
      })
      this.#watchers.set(folder, watcher)
      this.#link(folder)
      return undefined
    } catch (error) {
      return blindnessOf(error, folder)
    }
  }

  #hear(folder: RelPath, name: string, moved: boolean): void {
    this.#events.count()
    this.#listener.changed(folder, name, moved)
  }

  /**
   * The watch of this folder may have ended. For all but the root this is reported as if the name had changed in the
   * parent: there is no other event about an unmounted folder.
   */
  #touched(folder: RelPath): void {
    this.#events.count()
    if (folder === '') this.#listener.rootTouched()
    else this.#listener.changed(parentOf(folder), nameOf(folder), true)
  }

  /**
   * Records the folder below all folders above it, so that `drop` finds it, whatever the order in which they were
   * added.
   */
  #link(folder: RelPath): void {
    for (let path = folder; path !== ''; path = parentOf(path)) {
      const siblings = this.#below.get(parentOf(path))
      if (siblings?.has(path)) return
      if (siblings) siblings.add(path)
      else this.#below.set(parentOf(path), new Set([path]))
    }
  }

  drop(folder: RelPath): void {
    for (const below of this.#below.get(folder) ?? []) this.drop(below)
    this.#below.delete(folder)
    if (folder !== '') this.#below.get(parentOf(folder))?.delete(folder)
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
    this.#below.clear()
  }
}

/** A folder that is gone or may not be entered is no blindness: the scan that follows finds it so. */
function blindnessOf(error: unknown, folder: RelPath): Blindness | undefined {
  const code = errorCode(error)
  if (code === 'ENOSPC' || code === 'EMFILE' || code === 'ENFILE') return 'limit'
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'ELOOP')
    return folder === '' ? 'gone' : undefined
  return 'refused'
}
