import * as fs from 'node:fs'
import { fsPath } from './fs.ts'

/** Throws the system's error when this process may not write there, also on a read-only disk. */
export const checkWritable = (path: string): void => fs.accessSync(fsPath(path), fs.constants.W_OK)

/** Whether this process may write there; false when nothing is there. */
export function isWritable(path: string): boolean {
  try {
    checkWritable(path)
    return true
  } catch {
    return false
  }
}
