import { close, errorCode, fstatExact, openRead, readInto } from './fs.ts'

/** Reads a whole file into memory that threads can share; undefined when it does not exist. */
export function readIntoShared(path: string): { shared: SharedArrayBuffer; length: number; ino: number } | undefined {
  let fd: number
  try {
    fd = openRead(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    const stat = fstatExact(fd)
    const length = Number(stat.size)
    const shared = new SharedArrayBuffer(length)
    const got = readInto(fd, new Uint8Array(shared), 0, length, 0)
    return { shared, length: got, ino: Number(stat.ino) }
  } finally {
    close(fd)
  }
}
