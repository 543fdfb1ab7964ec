import type { ToolCall } from '../app/handler.ts'

/** A progress notification for a client. */
export interface ProgressStep {
  readonly progress: number
  readonly total?: number
  readonly message: string
}

const EVERY_MS = 100

/**
 * Turns a tool's progress into notifications. A tool counts from zero in each part of its work, but the protocol wants
 * rising numbers: each part is added to those before. At most ten notifications per second.
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
