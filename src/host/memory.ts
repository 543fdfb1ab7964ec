import { lazily } from '../base/lazily.ts'

/** The heap may grow by this much before it is worth a pause to make it small. */
const WORTHWHILE = 32 * 1024 * 1024

/** Node has no call for this; its engine has one, which it shows when it is asked to. */
const collector = lazily((): (() => void) => {
  process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc')
  const collect = process.getBuiltinModule('node:vm').runInNewContext('gc') as ((how: object) => void) | undefined
  return () => collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
})

/**
 * Lets the heap grow to twice what it holds before all of it is looked through. What a capture uses for a moment
 * counts as growth: without this, every twentieth waits for such a look.
 */
export function collectSeldom(): void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--heap-growing-percent=100')
}

let size = process.memoryUsage().heapTotal

/**
 * Gives memory back to the system that a large piece of work needed and nothing needs any more. The engine does so
 * only when it runs again, which in a process that waits may be never. Takes a tenth of a second, if there is much to give.
 */
export function giveMemoryBack(): void {
  if (process.memoryUsage().heapTotal < size + WORTHWHILE) return
  collector()()
  size = process.memoryUsage().heapTotal
}
