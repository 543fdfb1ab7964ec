import { join } from 'node:path'
import { close, errorCode, openNew, removeAll, removeFile, rewrite } from '../../host/files/fs.ts'
import { makeDirs } from '../../host/files/make-dirs.ts'
import { type Watcher, watchFolder } from '../../host/files/watch.ts'

/** Long before this the answer has come, or the system does not answer here. */
const PATIENCE_MS = 2000

/** What the system says when there are no more watches, or no more descriptors for them. */
const NONE_LEFT: ReadonlySet<string> = new Set(['ENOSPC', 'EMFILE', 'ENFILE'])

/** A file that is there for nothing but being told of. */
interface Cookie {
  readonly name: string
  readonly fd: number
}

/**
 * Makes sure that everything that happened up to now has been told: a file is changed, and when the system
 * tells of it, it has told of everything before. All watches of a process share one queue, so one folder
 * serves all workspaces.
 *
 * Where the system tells of a write to a file in a watched folder, files are used again: to make one takes a disk a
 * hundred times as long. One at a time, so that what is told of a name is told of its last use.
 */
export class Cookies {
  readonly #dir: string
  readonly #reuse: boolean
  readonly #watch: typeof watchFolder
  /** Who waits, by what is going to be told: the name of a file, and whether it comes or is written to. */
  readonly #waiting = new Map<string, () => void>()
  #idle: Cookie[] = []
  #watcher: Watcher | undefined
  #made = 0

  constructor(dir: string, reuse = process.platform === 'linux', watch: typeof watchFolder = watchFolder) {
    this.#dir = dir
    this.#reuse = reuse
    this.#watch = watch
  }

  open(): void {
    removeAll(this.#dir)
    makeDirs(this.#dir, 0o700)
    this.#listen()
  }

  /** False where the system has no watch left. It may have one later. */
  #listen(): boolean {
    const hear = (name: string | undefined, moved: boolean): void => this.#waiting.get(keyOf(name, moved))?.()
    try {
      this.#watcher ??= this.#watch(this.#dir, hear, { touched: () => {}, failed: () => {} })
      return true
    } catch (error) {
      if (!NONE_LEFT.has(errorCode(error) ?? '')) throw error
      return false
    }
  }

  /** False: no answer came, and the watches cannot be relied on. */
  async sync(patience = PATIENCE_MS): Promise<boolean> {
    if (!this.#listen()) return false
    const idle = this.#idle.pop()
    const name = idle?.name ?? `${this.#made++}`
    const heard = this.#hear(keyOf(name, idle === undefined), patience)
    let cookie: Cookie | undefined
    try {
      cookie = idle ? changed(idle) : { name, fd: openNew(join(this.#dir, name), 0o600) }
    } catch {
      heard.giveUp()
    }
    const isTold = await heard.told
    if (isTold && cookie && this.#reuse) this.#idle.push(cookie)
    else if (cookie) this.#drop(cookie)
    // Whatever is the matter may be so with all of them.
    if (!isTold) for (const one of this.#idle.splice(0)) this.#drop(one)
    if (!isTold && this.#waiting.size === 0) this.#renew()
    return isTold
  }

  /** The folder may have been removed, and its watch with it: the next cookie gets another. */
  #renew(): void {
    try {
      this.#watcher?.close()
      this.open()
    } catch {
      // Then the next one is in vain, too.
    }
  }

  #hear(what: string, patience: number): { told: Promise<boolean>; giveUp: () => void } {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const end = (isTold: boolean) => (): void => {
      clearTimeout(timer)
      this.#waiting.delete(what)
      resolve(isTold)
    }
    const timer = setTimeout(end(false), patience)
    this.#waiting.set(what, end(true))
    return { told: promise, giveUp: end(false) }
  }

  close(): void {
    this.#watcher?.close()
    for (const { fd } of this.#idle.splice(0)) close(fd)
    removeAll(this.#dir)
  }

  #drop({ name, fd }: Cookie): void {
    close(fd)
    try {
      removeFile(join(this.#dir, name))
    } catch {
      // The whole folder may be gone.
    }
  }
}

const keyOf = (name: string | undefined, moved: boolean): string => `${name ?? ''}${moved ? '+' : ''}`

function changed(cookie: Cookie): Cookie {
  rewrite(cookie.fd, CRUMB)
  return cookie
}

const CRUMB = Uint8Array.of(0)
