import { join } from 'node:path'
import { crypto } from '../../host/builtins.ts'
import { appendFile, fileSize, lstat, overwrite, readFile, removeAll, rename } from '../../host/files/fs.ts'

/** Something a client did that could not be recorded when it happened. */
export interface MissedEvent {
  readonly at: number
  readonly workspace: string
  readonly session_id: string
  readonly client: string
  readonly event: string
  readonly tool?: string | undefined
  readonly reason: string
}

const MOST = 200
const LARGEST = 256 * 1024
/** Room that is taken while there is some, for the time when there is none. */
const RESERVE = 16 * 1024
const SETTLED_MS = 1000

/**
 * What was missed, until it can be recorded as gaps. It waits in a file beside the records, so that it survives this
 * process; if the disk is full, in room that was reserved before, or else in memory. No call throws.
 */
export class MissedEvents {
  readonly #file: string
  /** What could be written nowhere; lost with this process. */
  readonly #held: MissedEvent[] = []
  /** When the reserve last changed, if nothing waits in it since. */
  #emptySince: number | undefined

  constructor(file: string) {
    this.#file = file
  }

  add(missed: MissedEvent): void {
    try {
      if (fileSize(this.#file) < LARGEST) appendFile(this.#file, `${JSON.stringify(missed)}\n`, 0o600)
    } catch {
      if (!this.#addToReserve(missed) && this.#held.length < MOST) this.#held.push(missed)
    }
  }

  /** Takes room on the disk, if that is not done yet. */
  reserve(): void {
    try {
      if (fileSize(this.#reserve) < RESERVE) appendFile(this.#reserve, ' '.repeat(RESERVE), 0o600)
    } catch {
      // Then there is none.
    }
  }

  get #reserve(): string {
    return `${this.#file}.reserve`
  }

  /** Of two who write at once, one may be lost: that is better than both. */
  #addToReserve(missed: MissedEvent): boolean {
    try {
      const used = readFile(this.#reserve)?.toString('latin1').trimEnd().length
      const line = `${used ? '\n' : ''}${JSON.stringify(missed)}`
      if (used === undefined || used + Buffer.byteLength(line) > RESERVE) return false
      overwrite(this.#reserve, used, line)
      return true
    } catch {
      return false
    }
  }

  /** Everything that waits; it is the caller's now. Of two who ask at once, one gets it. */
  take(): MissedEvent[] {
    const waiting = this.#held.splice(0)
    try {
      if (fileSize(this.#file) > 0) waiting.push(...this.#takeFile())
      waiting.push(...this.#takeReserve())
    } catch {
      // What cannot be taken waits.
    }
    return waiting
  }

  #takeReserve(): MissedEvent[] {
    const changed = lstat(this.#reserve)?.ctimeMs
    if (changed === undefined || changed === this.#emptySince) return []
    const lines = readFile(this.#reserve)?.toString().trimEnd()
    // One that has only just changed may change again without showing it.
    if (!lines) this.#emptySince = Date.now() - changed > SETTLED_MS ? changed : undefined
    if (!lines) return []
    overwrite(this.#reserve, 0, ' '.repeat(RESERVE))
    return lines.split('\n').flatMap(parsed)
  }

  #takeFile(): MissedEvent[] {
    const mine = `${this.#file}.${crypto().randomBytes(6).toString('hex')}`
    rename(this.#file, mine)
    const lines = readFile(mine)?.toString().split('\n') ?? []
    removeAll(mine)
    return lines.flatMap(parsed)
  }
}

export const missedIn = (home: string): MissedEvents => new MissedEvents(join(home, 'guard-missed.jsonl'))

/** A line that a crash cut short says nothing. */
function parsed(line: string): MissedEvent[] {
  try {
    return [JSON.parse(line) as MissedEvent]
  } catch {
    return []
  }
}
