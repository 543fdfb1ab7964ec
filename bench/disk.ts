import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Size {
  /** What the files say. */
  readonly apparent: number
  /** What they and their folders take on disk, as `du` counts. */
  readonly disk: number
}

export function sizeOf(folder: string): Size {
  const total = { apparent: 0, disk: lstatSync(folder).blocks * 512 }
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    const size = entry.isDirectory() ? sizeOf(path) : sizeOfFile(path)
    total.apparent += size.apparent
    total.disk += size.disk
  }
  return total
}

function sizeOfFile(path: string): Size {
  const { size, blocks } = lstatSync(path)
  return { apparent: size, disk: blocks * 512 }
}

/** Fails unless `copy` holds the same files as `root`: all names and sizes, and the contents of every tenth. */
export function checkCopy(root: string, copy: string, paths: readonly string[]): void {
  const found = countFiles(copy)
  if (found !== paths.length) throw new Error(`${copy} has ${found} files, not ${paths.length}.`)
  paths.forEach((path, at) => {
    const same = at % 10 === 0 ? sameBytes : sameSize
    if (!same(join(root, path), join(copy, path))) throw new Error(`${join(copy, path)} was not restored as it was.`)
  })
}

function countFiles(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce(
    (sum, entry) => sum + (entry.isDirectory() ? countFiles(join(folder, entry.name)) : 1),
    0,
  )
}

const sameBytes = (a: string, b: string): boolean => readFileSync(a).equals(readFileSync(b))

const sameSize = (a: string, b: string): boolean => lstatSync(a).size === lstatSync(b).size
