import type { Blindness } from './watch.ts'
import { after, BLINDNESS, type WatchMode, type WatchSignal } from './watched-state.ts'

/** What cannot be watched is tried again after this long. */
const RETRY_MS = 60_000

/** How well a workspace is watched, and why not better. */
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

  /** Tries again what could not be watched, if it is time. */
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
