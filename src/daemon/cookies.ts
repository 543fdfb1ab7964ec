import { join } from 'node:path'
import { close, makeDirs, openNew, removeAll, removeFile } from '../host/fs.ts'
import { type Watcher, watchFolder } from '../host/watch.ts'

/** Long before this the answer has come, or the system does not answer here. */
const PATIENCE_MS = 2000

/**
 * Makes sure that everything that happened up to now has been told: a file is made, and when the system
 * tells of it, it has told of everything before. All watches of a process share one queue, so one folder
 * serves all workspaces.
 */
export class Cookies {
  readonly #dir: string
  readonly #waiting = new Map<string, () => void>()
  #watcher: Watcher | undefined
  #made = 0

  constructor(dir: string) {
    this.#dir = dir
  }

  open(): void {
    removeAll(this.#dir)
    makeDirs(this.#dir, 0o700)
    const hear = (name = ''): void => this.#waiting.get(name)?.()
    this.#watcher = watchFolder(this.#dir, hear, () => {})
  }

  /** False: no answer came, and the watches cannot be relied on. */
  async sync(patience = PATIENCE_MS): Promise<boolean> {
    const name = `${this.#made++}`
    const path = join(this.#dir, name)
    let timer: NodeJS.Timeout | undefined
    try {
      const heard = new Promise<boolean>((resolve) => {
        this.#waiting.set(name, () => resolve(true))
        timer = setTimeout(() => resolve(false), patience)
      })
      close(openNew(path, 0o600))
      return await heard
    } catch {
      return false
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(name)
      removeQuietly(path)
    }
  }

  close(): void {
    this.#watcher?.close()
    removeAll(this.#dir)
  }
}

/** The whole folder may be gone. */
function removeQuietly(path: string): void {
  try {
    removeFile(path)
  } catch {
    // Then so is the cookie.
  }
}
