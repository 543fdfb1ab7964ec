import { type ExactStat, lstatExact, millisOf } from '../../host/files/fs.ts'
import type { Mounts } from './mounts.ts'

/** A folder this young when its watch began may be made again within the same tick of the clock. */
const YOUNG_MS = 50

interface Watched {
  readonly dev: bigint
  readonly ino: bigint
  /** Undefined when it proves nothing: the file system does not keep it, or the folder was too young. */
  readonly birth: bigint | undefined
}

/**
 * Whether the folder at the root's path is still the one being watched, and the folders below it those at their paths.
 *
 * The watch of a folder belongs to its inode. While that exists, no other folder has its number; when it ceases to exist, the
 * system reports it before the number is free again. So once all events so far have arrived, and none about the root
 * itself, comparing the number is enough. An event about the root itself may also be a new mode: then the birth time decides.
 * A rename of a folder above shows in the number alone, a mount in the table of mounts.
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

  /** To be called before the first watch: what is there now is what is going to be watched. */
  begin(now = Date.now()): void {
    const stat = lstatExact(this.#root)
    this.#watched = stat && { dev: stat.dev, ino: stat.ino, birth: birthOf(stat, now) }
    this.#isTouched = false
    this.#version = this.#mounts.version()
    this.#around = this.#mounts.around(this.#root)
  }

  /** Something happened to the root itself. */
  touch(): void {
    this.#isTouched = true
  }

  /** Why nothing that is being watched can be trusted; undefined when it can. */
  doubt(): string | undefined {
    return this.rootDoubt() ?? (this.#areSameMounts() ? undefined : 'something was mounted or unmounted')
  }

  /** The same without the mounts, which take ten times as long. */
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
