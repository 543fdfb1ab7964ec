import type { ToolCall } from '../app/handler.ts'

/** One step of a long work, as a client is told. */
export interface ProgressStep {
  readonly progress: number
  readonly total?: number
  readonly message: string
}

const EVERY_MS = 100

/**
 * Turns what a tool tells of its progress into steps. A tool counts anew in each part of its work, but what a client
 * hears must rise from step to step: each part is added to those before. At most ten steps a second.
 */
export function throttleProgress(tell: (step: ProgressStep) => void, now: () => number): ToolCall['progress'] {
  let [part, before, last, next] = ['', 0, 0, 0]
  return (message, done, total) => {
    if (message !== part) [part, before] = [message, last]
    if (now() < next) return
    next = now() + EVERY_MS
    const rises = before + (done ?? 0)
    last = rises > last ? rises : last + 1
    tell({ progress: last, ...(total && before + total >= last ? { total: before + total } : {}), message })
  }
}
