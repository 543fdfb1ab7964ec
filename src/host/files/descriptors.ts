import * as fs from 'node:fs'
import { lazily } from '../../base/lazily.ts'

const limit = lazily(() => {
  const found = /^Max open files\s+(\d+)/m.exec(fs.readFileSync('/proc/self/limits', 'utf8'))
  return found ? Number(found[1]) : Number.POSITIVE_INFINITY
})

/**
 * How many more files this process may open; unlimited where the system does not report it, because folders are not
 * held open there.
 */
export function spareDescriptors(): number {
  if (process.platform !== 'linux' || !fs.existsSync('/proc/self/fd')) return Number.POSITIVE_INFINITY
  try {
    return limit() - fs.readdirSync('/proc/self/fd').length
  } catch {
    return 0
  }
}
