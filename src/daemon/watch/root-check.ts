import { type ExactStat, lstatExact, millisOf } from '../../host/files/fs.ts'
import type { Mounts } from './mounts.ts'

/** If a folder is this young when its watch begins, its successor at the path may have the same birth time. */
const YOUNG_MS = 50

interface Watched {
  readonly dev: bigint
  readonly ino: bigint
  /** Undefined when it proves nothing: the file system does not record it, or the folder was too young. */
  readonly birth: bigint | undefined
}

/**
 * Checks that the folder at the root's path is still the one being watched, and that no mount has replaced folders at
 * or below it.
 *
 * The watch of a folder belongs to its inode. While the inode exists, no other folder has its number. When it ceases to
 * exist, the system reports that before the number can be reused. So once all events so far have arrived, and none was
 * about the root itself, comparing inode numbers is enough. An event about the root itself may also mean a new mode:
 * then the birth time decides. Only the inode number shows a rename of a folder above; only the mount table shows a
 * mount.
 */
export class RootCheck {
  readonly #root: string
  readonly #mounts: Mounts
  #watched: Watched | undefined
  #isTouched = false
  #around = ''
  #version = -1

  constructor(root: string, mounts: Mounts) {
    this.#root = root
    this.#mounts = mounts
  }

  /** Must be called before the first watch: records which folder is going to be watched. */
  begin(now = Date.now()): void {
    const stat = lstatExact(this.#root)
    this.#watched = stat && { dev: stat.dev, ino: stat.ino, birth: birthOf(stat, now) }
    this.#isTouched = false
    this.#version = this.#mounts.version()
    this.#around = this.#mounts.around(this.#root)
  }

  /** Records that an event about the root itself arrived. */
  touch(): void {
    this.#isTouched = true
  }

  /** Why the watches cannot be trusted; undefined when they can. */
  doubt(): string | undefined {
    return this.rootDoubt() ?? (this.#areSameMounts() ? undefined : 'something was mounted or unmounted')
  }

  /** The same without the check of the mounts, which takes ten times as long. */
  rootDoubt(): string | undefined {
    return this.#isSameFolder() ? undefined : 'its folder is another one'
  }

  get isThere(): boolean {
    return lstatExact(this.#root)?.isDirectory() === true
  }

  #isSameFolder(): boolean {
    const watched = this.#watched
    const stat = lstatExact(this.#root)
    if (watched === undefined || stat?.dev !== watched.dev || stat.ino !== watched.ino) return false
    if (watched.birth === undefined) return !this.#isTouched
    return watched.birth === stat.birthtimeNs
  }

  #areSameMounts(): boolean {
    const version = this.#mounts.version()
    if (version === this.#version) return true
    if (this.#mounts.around(this.#root) !== this.#around) return false
    this.#version = version
    return true
  }
}

const birthOf = ({ birthtimeNs }: ExactStat, now: number): bigint | undefined =>
  birthtimeNs === 0n || now - millisOf(birthtimeNs) < YOUNG_MS ? undefined : birthtimeNs
