import * as fs from 'node:fs'
import { fsPath } from './fs.ts'

/** Refuses as the system does where this process may not write; what is on a read-only disk cannot be written to either. */
export const checkWritable = (path: string): void => fs.accessSync(fsPath(path), fs.constants.W_OK)

/** Whether this process may write there; what is not there cannot be written to. */
export function isWritable(path: string): boolean {
  try {
    checkWritable(path)
    return true
  } catch {
    return false
  }
}
