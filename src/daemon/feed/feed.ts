/** An event as listeners get it. */
export interface FeedEvent {
  readonly id: number
  readonly type: string
  readonly data: object
}
type Listener = (event: FeedEvent) => void

const KEPT = 1000

/** Sends events to listeners, and keeps the last ones for listeners that come back. */
export class Feed {
  readonly #listeners = new Set<Listener>()
  readonly #past: FeedEvent[] = []
  #last = 0

  get hasListeners(): boolean {
    return this.#listeners.size > 0
  }

  tell(type: string, data: object): void {
    const event = { id: ++this.#last, type, data }
    this.#past.push(event)
    if (this.#past.length > KEPT) this.#past.shift()
    for (const listener of this.#listeners) listener(event)
  }

  subscribe(listener: Listener, after?: number): () => void {
    if (after !== undefined) for (const event of this.#past) if (event.id > after) listener(event)
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
