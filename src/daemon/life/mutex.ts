/** A lock that one caller holds at a time; callers get it in the order in which they asked. */
export class Mutex {
  #last: Promise<void> = Promise.resolve()
  #waiting = 0

  /** Waits for the lock; the returned function releases it. */
  async take(): Promise<() => void> {
    const before = this.#last
    let release: () => void = () => {}
    this.#last = new Promise((resolve) => {
      release = resolve
    })
    this.#waiting++
    await before
    return () => {
      this.#waiting--
      release()
    }
  }

  get isTaken(): boolean {
    return this.#waiting > 0
  }
}
