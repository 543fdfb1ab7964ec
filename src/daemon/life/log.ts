import { dirname } from 'node:path'
import { appendFile, errorCode, fileSize, makeDir, rename } from '../../host/files/fs.ts'

const LARGEST = 1024 * 1024
const KEPT = 3

export type Write = (message: string, data?: object) => void

/**
 * One JSON object per line. Full files are renamed; the oldest is dropped. A message that cannot be written, such as on
 * a full disk, is lost without an error. A home that was removed is not created again.
 */
export function openLog(path: string, largest = LARGEST): Write {
  const write = (line: string): void => {
    makeFolder(dirname(path))
    if (fileSize(path) + Buffer.byteLength(line) > largest) rotate(path)
    appendFile(path, line, 0o600)
  }
  return (message, data = {}) => {
    try {
      write(`${JSON.stringify({ at: new Date().toISOString(), pid: process.pid, message, ...data })}\n`)
    } catch {
      // A log that cannot be written must not stop the daemon.
    }
  }
}

function makeFolder(path: string): void {
  try {
    makeDir(path, 0o700)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

function rotate(path: string): void {
  for (let n = KEPT - 1; n >= 1; n--) if (fileSize(`${path}.${n}`) > 0) rename(`${path}.${n}`, `${path}.${n + 1}`)
  if (fileSize(path) > 0) rename(path, `${path}.1`)
}
