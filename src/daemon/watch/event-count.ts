import { readFile } from '../../host/files/fs.ts'

/**
 * Detects that the system may have dropped events.
 *
 * Linux queues a limited number of events per process and silently drops the rest. All queued events then arrive in one
 * turn of the event loop. So this counts the events per turn and takes a large number as a sign that more were lost.
 * Half the limit counts as large, because some queued events never get here, such as those of folders no longer
 * watched.
 */
export class EventCount {
  readonly #limit: number
  readonly #onLoss: () => void
  #inTurn = 0
  #total = 0

  constructor(onLoss: () => void, limit = queueLimit() / 2) {
    this.#limit = limit
    this.#onLoss = onLoss
  }

  get total(): number {
    return this.#total
  }

  count(): void {
    this.#total++
    if (this.#inTurn++ === 0) setImmediate(() => this.#endTurn())
  }

  #endTurn(): void {
    const lost = this.#inTurn >= this.#limit
    this.#inTurn = 0
    if (lost) this.#onLoss()
  }
}

const USUAL_LIMIT = 16_384

const queueLimit = (): number => Number(readFile('/proc/sys/fs/inotify/max_queued_events')?.toString()) || USUAL_LIMIT
