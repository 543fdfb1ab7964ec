import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LONG_LIVED } from './memory.ts'

test('what a large piece of work needed is given back', () => {
  const program = `
    import { HeapTrimmer } from '${join(import.meta.dirname, 'memory.ts')}'
    const trimmer = new HeapTrimmer()
    let much = Array.from({ length: 1_000_000 }, (_, i) => ({ i, text: String(i) }))
    much = undefined
    const before = process.memoryUsage().heapTotal
    trimmer.trim()
    console.log(before - process.memoryUsage().heapTotal)`
  const freed = execFileSync(process.execPath, [...LONG_LIVED, '--input-type=module-typescript', '-e', program])
  expect(Number(freed)).toBeGreaterThan(32 * 1024 * 1024)
})
