import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const LARGEST = 1024 * 1024
const KEPT = 3

export type Write = (message: string, data?: object) => void

/** One JSON object per line. Full files are renamed, the oldest is dropped. A disk that is full takes nothing down. */
export function openLog(path: string, largest = LARGEST): Write {
  const write = (line: string): void => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    if (sizeOf(path) + line.length > largest) rotate(path)
    appendFileSync(path, line, { mode: 0o600 })
  }
  return (message, data = {}) => {
    try {
      write(`${JSON.stringify({ at: new Date().toISOString(), pid: process.pid, message, ...data })}\n`)
    } catch {
      // Nobody would read it.
    }
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

function rotate(path: string): void {
  for (let n = KEPT - 1; n >= 1; n--) if (sizeOf(`${path}.${n}`) > 0) renameSync(`${path}.${n}`, `${path}.${n + 1}`)
  if (sizeOf(path) > 0) renameSync(path, `${path}.1`)
}
