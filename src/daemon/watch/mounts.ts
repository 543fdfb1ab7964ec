import { MountTable } from '../../host/files/mount-table.ts'

/**
 * What is mounted where. A mount over a folder, or its end, puts another folder at a path without an event in the one that
 * is watched there.
 */
export class Mounts {
  readonly #table = new MountTable()
  #last = Buffer.alloc(0)
  #version = 0

  /** Another number whenever anything was mounted or unmounted since it was asked last. */
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

/** The lines of mounts at a folder, above it and below it. */
export function mountsAround(root: string, table: string): string {
  const path = Buffer.from(root).toString('latin1')
  const concerns = (line: string): boolean => {
    const at = mountPoint(line)
    return at !== undefined && (isAtOrBelow(at, path) || isAtOrBelow(path, at))
  }
  return table.split('\n').filter(concerns).join('\n')
}

/** The fifth field says where; blanks and the like are octal. */
export const mountPoint = (line: string): string | undefined =>
  line.split(' ')[4]?.replaceAll(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

/** Of absolute paths. */
export const isAtOrBelow = (path: string, folder: string): boolean =>
  folder === '/' || path === folder || path.startsWith(`${folder}/`)
