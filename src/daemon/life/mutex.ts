/** One at a time, in the order in which they asked. */
export class Mutex {
  #last: Promise<void> = Promise.resolve()
  #waiting = 0

  /** Waits until it is free; the answer gives it back. */
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
