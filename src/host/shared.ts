import { close, errorCode, fstatExact, openRead, readInto } from './fs.ts'

/** A whole file in memory that threads can share; undefined when there is none. */
export function readIntoShared(path: string): { shared: SharedArrayBuffer; length: number } | undefined {
  let fd: number
  try {
    fd = openRead(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    const length = Number(fstatExact(fd).size)
    const shared = new SharedArrayBuffer(length)
    const got = readInto(fd, new Uint8Array(shared), 0, length, 0)
    return { shared, length: got }
  } finally {
    close(fd)
  }
}
