import { join } from 'node:path'
import { crypto } from '../host/builtins.ts'
import { appendFile, fileSize, readFile, removeAll, rename } from '../host/fs.ts'

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

/** What could be written nowhere; of this process alone. */
const held: MissedEvent[] = []

/**
 * What was missed, until it can be recorded as gaps. It waits in a file beside the records, so that it survives this
 * process; a disk that takes nothing leaves it in memory. Neither call throws.
 */
export class Missed {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  add(missed: MissedEvent): void {
    try {
      if (fileSize(this.#file) < LARGEST) appendFile(this.#file, `${JSON.stringify(missed)}\n`, 0o600)
    } catch {
      if (held.length < MOST) held.push(missed)
    }
  }

  /** Everything that waits; it is the caller's now. Of two who ask at once, one gets it. */
  take(): MissedEvent[] {
    const waiting = held.splice(0)
    try {
      return fileSize(this.#file) === 0 ? waiting : [...waiting, ...this.#takeFile()]
    } catch {
      return waiting
    }
  }

  #takeFile(): MissedEvent[] {
    const mine = `${this.#file}.${crypto().randomBytes(6).toString('hex')}`
    rename(this.#file, mine)
    const lines = readFile(mine)?.toString().split('\n') ?? []
    removeAll(mine)
    return lines.flatMap(parsed)
  }
}

export const missedIn = (home: string): Missed => new Missed(join(home, 'guard-missed.jsonl'))

/** A line that a crash cut short says nothing. */
function parsed(line: string): MissedEvent[] {
  try {
    return [JSON.parse(line) as MissedEvent]
  } catch {
    return []
  }
}
