import { readFile } from '../../host/files/fs.ts'

/**
 * Notices that the system may have thrown events away.
 *
 * Linux keeps so many events for a process and silently drops the rest; all that were kept then arrive in
 * one turn of the loop. So events are counted per turn, and many at once are taken for a sign that more
 * were lost. Half the limit is enough: some kept events never get here, such as those of folders let go.
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
