import type { Blindness } from './watch.ts'
import { after, BLINDNESS, type WatchMode, type WatchSignal } from './watched-state.ts'

/** After this long the daemon tries again to watch a workspace that it could not watch. */
const RETRY_MS = 60_000

/** The watch mode of a workspace, and the reason when it is not warm. */
export class WatchHealth {
  #sight: WatchMode = 'cold'
  #blindness: Blindness | undefined
  #blindSince = 0
  #why = 'it has just been taken up'

  get sight(): WatchMode {
    return this.#sight
  }

  get isWarm(): boolean {
    return this.#sight === 'warm'
  }

  get reason(): string | null {
    if (this.#blindness) return BLINDNESS[this.#blindness]
    return this.#sight === 'cold' ? this.#why : null
  }

  lose(why: string): void {
    if (this.isWarm) this.#why = why
    this.signal('lost')
  }

  blind(blindness: Blindness, now: number): void {
    this.#blindness = blindness
    this.#blindSince = now
    this.signal('blinded')
  }

  /** Leaves the blind mode when it is time to try again: when a missing folder exists again, else after RETRY_MS. */
  retry(now: number, isThere: () => boolean): void {
    if (this.#sight !== 'blind') return
    const isTime = this.#blindness === 'gone' ? isThere() : now - this.#blindSince > RETRY_MS
    if (isTime) this.signal('retry')
  }

  signal(signal: WatchSignal): void {
    this.#sight = after(this.#sight, signal)
    if (this.#sight !== 'blind') this.#blindness = undefined
  }
}
