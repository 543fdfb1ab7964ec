import type { Snapshots } from '../../records/snapshots.ts'
import type { Write } from '../life/log.ts'
import type { Feed } from './feed.ts'

/** How often to publish what other processes recorded, while there are listeners. */
const EVERY_MS = 1000
const AT_ONCE = 1000

/** Publishes each recorded snapshot, whichever process recorded it. A failure is logged, not thrown. */
export class EventPublisher {
  readonly #snapshots: Snapshots
  readonly #feed: Feed
  readonly #log: Write
  readonly #timer: NodeJS.Timeout
  #told: number

  constructor(snapshots: Snapshots, feed: Feed, log: Write) {
    this.#snapshots = snapshots
    this.#feed = feed
    this.#log = log
    this.#told = snapshots.lastSeq()
    this.#timer = setInterval(() => feed.hasListeners && this.tell(), EVERY_MS)
  }

  tell(): void {
    try {
      while (this.#tellSome() === AT_ONCE);
    } catch (error) {
      this.#log('news could not be told', { error: String(error) })
    }
  }

  #tellSome(): number {
    const recorded = this.#snapshots.recordedAfter(this.#told, AT_ONCE)
    for (const { seq, id: snapshot_id, workspace: workspace_id, source, label } of recorded) {
      this.#told = seq
      this.#feed.tell('snapshot', { snapshot_id, workspace_id, source, label })
    }
    return recorded.length
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
