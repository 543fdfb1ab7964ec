import { join } from 'node:path'
import { crypto } from '../../host/builtins.ts'
import { appendFile, fileSize, lstat, overwrite, readFile, removeAll, rename } from '../../host/files/fs.ts'

/** Something that a client did and that could not be recorded when it happened. */
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
/** Disk space that is reserved for the time when the disk is full. */
const RESERVE = 16 * 1024
const SETTLED_MS = 1000

/**
 * Missed events, until they can be recorded as gaps. They wait in a file beside the records, so that they survive this
 * process; if the disk is full, in space that was reserved before, or else in memory. No method throws.
 */
export class MissedEvents {
  readonly #file: string
  /** Events that could not be written anywhere; they are lost with this process. */
  readonly #held: MissedEvent[] = []
  /** The ctime of the reserve when it was last found empty; undefined when that is not known. */
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

  /** Reserves space on the disk, if that is not done yet. */
  reserve(): void {
    try {
      if (fileSize(this.#reserve) < RESERVE) appendFile(this.#reserve, ' '.repeat(RESERVE), 0o600)
    } catch {
      // Then there is no reserve.
    }
  }

  get #reserve(): string {
    return `${this.#file}.reserve`
  }

  /** If two processes write at once, one event may be lost; without the reserve both would be. */
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

  /** Returns all waiting events and removes them. If two processes call this at once, only one gets them. */
  take(): MissedEvent[] {
    const waiting = this.#held.splice(0)
    try {
      if (fileSize(this.#file) > 0) waiting.push(...this.#takeFile())
      waiting.push(...this.#takeReserve())
    } catch {
      // What cannot be read now stays for later.
    }
    return waiting
  }

  #takeReserve(): MissedEvent[] {
    const changed = lstat(this.#reserve)?.ctimeMs
    if (changed === undefined || changed === this.#emptySince) return []
    const lines = readFile(this.#reserve)?.toString().trimEnd()
    // A file that changed just now may change again within the same time stamp.
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

/** A line that a crash cut off is skipped. */
function parsed(line: string): MissedEvent[] {
  try {
    return [JSON.parse(line) as MissedEvent]
  } catch {
    return []
  }
}
