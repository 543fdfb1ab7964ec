import { oneLine, visible } from '../../base/visible.ts'
import type { Io } from '../io.ts'

/** One line on the terminal that is overwritten while something takes long. */
export interface Progress {
  readonly show: (message: string, done?: number, total?: number) => void
  /** Removes the line, so that the next output starts on a clean one. May be called twice. */
  readonly clear: () => void
}

const PATIENCE_MS = 300
const EVERY_MS = 100
const WIPE = '\r\x1b[2K'

/** Shows nothing unless standard error is a terminal and the answer is for people. */
export function progressOn(io: Io, json: boolean): Progress {
  if (json || !io.errIsTerminal) return { show: () => {}, clear: () => {} }
  let next = io.now() + PATIENCE_MS
  let shown = false
  return {
    show(message, done, total) {
      const now = io.now()
      if (now < next) return
      next = now + EVERY_MS
      shown = true
      io.err(`${WIPE}${line(message, done, total).slice(0, Math.max(1, io.columns - 1))}`)
    },
    clear() {
      if (shown) io.err(WIPE)
      shown = false
    },
  }
}

function line(message: string, done: number | undefined, total: number | undefined): string {
  const text = visible(oneLine(message))
  if (done === undefined) return `${text} …`
  if (!total) return `${text} … ${grouped(done)}`
  return `${text} … ${grouped(done)}/${grouped(total)} (${Math.floor((100 * done) / total)} %)`
}

/** `1,200`. Not toLocaleString, whose first call in a process takes ten milliseconds. */
const grouped = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',')
