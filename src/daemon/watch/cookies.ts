import { join } from 'node:path'
import { close, errorCode, openNew, removeAll, removeFile, rewrite } from '../../host/files/fs.ts'
import { makeDirs } from '../../host/files/make-dirs.ts'
import { type Watcher, watchFolder } from '../../host/files/watch.ts'

/** When no event has arrived after this long, the system does not report events here. */
const PATIENCE_MS = 2000

/** Error codes when no more watches, or no more descriptors for them, are available. */
const NONE_LEFT: ReadonlySet<string> = new Set(['ENOSPC', 'EMFILE', 'ENFILE'])

/** A file that exists only for the event that a change to it causes. */
interface Cookie {
  readonly name: string
  readonly fd: number
}

/**
 * Waits until all events so far have arrived: it changes a file, and when the event of that change arrives, all earlier
 * events have arrived. All watches of a process share one queue, so one folder serves all workspaces.
 *
 * Where the system reports writes to a file in a watched folder, files are reused, because creating one takes a disk a
 * hundred times as long. A file has one user at a time, so that an event with its name belongs to its last use.
 */
export class Cookies {
  readonly #dir: string
  readonly #reuse: boolean
  readonly #watch: typeof watchFolder
  /** Waiting callers, by the event they wait for: the name of a file, and whether it is created or written to. */
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

  /** False when the system has no watch left. It may have one later. */
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

  /** False: the event did not arrive in time, and the watches cannot be relied on. */
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
    // The cause may affect all other cookies, too.
    if (!isTold) for (const one of this.#idle.splice(0)) this.#drop(one)
    if (!isTold && this.#waiting.size === 0) this.#renew()
    return isTold
  }

  /** The folder may have been removed, and its watch with it: makes both again for the next cookie. */
  #renew(): void {
    try {
      this.#watcher?.close()
      this.open()
    } catch {
      // Then the next sync fails, too.
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
