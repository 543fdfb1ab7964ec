import type { ChatSource } from './chat-records.ts'
import { recordsOf } from './chat-records.ts'
import { renderTurn, type Turn } from './chat-render.ts'
import { TurnReader } from './chat-turns.ts'

/**
 * Exports a conversation as `chat.md`:
 *
 *   await exportChat({ source, session_id, selection, known, now, write })
 *
 * - `source`: `{ file }`, a transcript of Claude Code (JSONL), Codex (rollout JSONL) or Gemini (JSON or JSONL), an
 *   export of opencode (JSON) or its database; or `{ messages }`, given by the caller. The kind is recognised by the
 *   content. Undefined: there is no conversation, and the header says `selection: none`.
 * - `selection`: `'whole'`, or `{ before, after, at? }`: that many messages before and after the last message up to
 *   `at` (milliseconds; if left out, the last message of all).
 * - `known`: values to redact whatever they look like; see `knownSecrets`.
 * - `now`: milliseconds, for `captured_at`.
 * - `write`: receives the text piece by piece; its result is awaited.
 *
 * Everything is redacted before it is cut, and cut before it is written. What cannot be parsed is left out and counted
 * in a note at the end; only a file that is missing or may not be read is an error. Memory does not grow with the
 * transcript.
 */
export interface ChatExport {
  readonly source: ChatSource | undefined
  readonly session_id: string
  readonly selection: ChatSelection
  readonly known?: readonly string[]
  readonly now: number
  readonly write: (text: string) => void | Promise<void>
}

export type ChatSelection = 'whole' | ChatWindow
interface ChatWindow {
  readonly before: number
  readonly after: number
  readonly at?: number | undefined
}

export interface ChatExported {
  /** How many messages were written. */
  readonly messages: number
  /** How many lines or pieces could not be parsed. */
  readonly skipped: number
  /** How many secrets were redacted. */
  readonly redacted: number
}

export async function exportChat(chat: ChatExport): Promise<ChatExported> {
  const redaction = { known: chat.known ?? [] }
  const tally = { messages: 0, redacted: 0 }
  const reader = new TurnReader()
  const put = async (turn: Turn): Promise<void> => {
    const { text, redacted } = renderTurn(turn, redaction)
    tally.messages++
    tally.redacted += redacted
    await chat.write(`${text}\n\n`)
  }
  await chat.write(headerOf(chat))
  const chosen = new Chosen(chat.selection, put)
  for await (const record of recordsOf(chat.source, chat.session_id))
    for (const turn of reader.read(record)) if (!(await chosen.take(turn))) return finish(chat, tally, reader)
  for (const turn of reader.end()) await chosen.take(turn)
  await chosen.end()
  return finish(chat, tally, reader)
}

async function finish({ write }: ChatExport, tally: { messages: number; redacted: number }, { skipped }: TurnReader) {
  if (skipped > 0)
    await write(`---\n\nnote: ${skipped} ${skipped === 1 ? 'piece' : 'pieces'} of the transcript could not be read\n`)
  return { ...tally, skipped }
}

function headerOf({ source, session_id, selection, now }: ChatExport): string {
  const chosen =
    source === undefined
      ? 'none'
      : selection === 'whole'
        ? 'whole'
        : `window(before=${selection.before}, after=${selection.after})`
  const captured = new Date(now).toISOString().replace(/\.\d+Z$/, () => 'Z')
  const id = session_id.replaceAll(/\s+/g, () => ' ')
  return `session_id: ${id}\ncaptured_at: ${captured}\nselection: ${chosen}\nredaction: applied\n\n---\n\n`
}

/** Passes on the selected turns, and holds no more than the window in memory. */
class Chosen {
  readonly #window: ChatWindow | undefined
  readonly #put: (turn: Turn) => Promise<void>
  /** The turns before the anchor, and the anchor as the last. */
  readonly #held: Turn[] = []
  #after: number | undefined

  constructor(selection: ChatSelection, put: (turn: Turn) => Promise<void>) {
    this.#window = selection === 'whole' ? undefined : selection
    this.#put = put
  }

  /** False when no further turn will be passed on. */
  async take(turn: Turn): Promise<boolean> {
    if (this.#window === undefined) {
      await this.#put(turn)
      return true
    }
    const { at, before, after } = this.#window
    if (this.#after === undefined && at !== undefined && turn.at !== undefined && turn.at > at) {
      await this.#release()
      this.#after = after
    }
    if (this.#after === undefined) {
      this.#held.push(turn)
      if (this.#held.length > before + 1) this.#held.shift()
      return true
    }
    if (this.#after-- > 0) await this.#put(turn)
    return this.#after > 0
  }

  async end(): Promise<void> {
    if (this.#after === undefined) await this.#release()
  }

  async #release(): Promise<void> {
    for (const turn of this.#held.splice(0)) await this.#put(turn)
  }
}
