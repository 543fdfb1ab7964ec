import * as fs from 'node:fs'

const FIRST_BYTES = 16 * 1024

/**
 * The mounts that this process sees, as the system lists them (one line per mount, see proc_pid_mountinfo(5)); empty
 * where it does not. The file stays open, because opening takes longer than reading.
 */
export class MountTable {
  #fd: number | undefined
  #buffer = Buffer.alloc(FIRST_BYTES)

  constructor(path = '/proc/self/mountinfo') {
    try {
      this.#fd = fs.openSync(path, 'r')
    } catch {
      // Only Linux has the file.
    }
  }

  /** Returns a buffer that the next call overwrites. */
  read(): Buffer {
    if (this.#fd === undefined) return this.#buffer.subarray(0, 0)
    for (let length = 0; ; ) {
      if (length === this.#buffer.length) this.#buffer = Buffer.concat([this.#buffer, Buffer.alloc(length)])
      const got = fs.readSync(this.#fd, this.#buffer, length, this.#buffer.length - length, length)
      if (got === 0) return this.#buffer.subarray(0, length)
      length += got
    }
  }

  close(): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd)
    this.#fd = undefined
  }
}
