import * as fs from 'node:fs'
import { join } from 'node:path'
import { makeDirs, removeAll } from '../host/fs.ts'

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
  #watcher: fs.FSWatcher | undefined
  #made = 0

  constructor(dir: string) {
    this.#dir = dir
  }

  open(): void {
    removeAll(this.#dir)
    makeDirs(this.#dir, 0o700)
    this.#watcher = fs.watch(this.#dir, { persistent: false }, (_, name) => this.#waiting.get(name ?? '')?.())
    this.#watcher.on('error', () => {})
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
      fs.closeSync(fs.openSync(path, 'wx', 0o600))
      return await heard
    } catch {
      return false
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(name)
      fs.rmSync(path, { force: true })
    }
  }

  close(): void {
    this.#watcher?.close()
    removeAll(this.#dir)
  }
}
