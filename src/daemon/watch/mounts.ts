import { MountTable } from '../../host/files/mount-table.ts'

/**
 * The mount table. When a file system is mounted on a folder, or unmounted, another folder is at its path from then on,
 * and the watch of the former one reports no event.
 */
export class Mounts {
  readonly #table = new MountTable()
  #last = Buffer.alloc(0)
  #version = 0

  /** Reads the mount table; the number differs from the last one if anything was mounted or unmounted in between. */
  version(): number {
    const now = this.#table.read()
    if (!now.equals(this.#last)) {
      this.#last = Buffer.from(now)
      this.#version++
    }
    return this.#version
  }

  /** The mounts, as last read, that decide which folders are at `root` and below. */
  around(root: string): string {
    return mountsAround(root, this.#last.toString('latin1'))
  }

  close(): void {
    this.#table.close()
  }
}

/** The lines of the table whose mount point is the folder, above it or below it. */
export function mountsAround(root: string, table: string): string {
  const path = Buffer.from(root).toString('latin1')
  const concerns = (line: string): boolean => {
    const at = mountPoint(line)
    return at !== undefined && (isAtOrBelow(at, path) || isAtOrBelow(path, at))
  }
  return table.split('\n').filter(concerns).join('\n')
}

/** The fifth field is the mount point; blanks and some other characters are octal escapes. */
export const mountPoint = (line: string): string | undefined =>
  line.split(' ')[4]?.replaceAll(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

/** For absolute paths. */
export const isAtOrBelow = (path: string, folder: string): boolean =>
  folder === '/' || path === folder || path.startsWith(`${folder}/`)
