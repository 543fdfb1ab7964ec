import type { ChatPart, ChatRecord } from './chat-kinds.ts'
import { chatRecordOf } from './chat-kinds.ts'
import type { Turn } from './chat-render.ts'

/** The most calls that are kept open at a time; the names of older ones are dropped. */
const MOST_OPEN = 1000

/** Turns records into turns, in order, and joins each call with its outcome. */
export class TurnReader {
  skipped = 0
  readonly #open = new Map<string, Turn & { role: 'tool' }>()
  readonly #names = new Map<string, string>()
  #isMain = false
  #held: ChatRecord | undefined;

  *read(record: unknown): Generator<Turn> {
    const understood = record === undefined ? undefined : chatRecordOf(record)
    if (understood === undefined) {
      this.skipped++
      return
    }
    if (understood.aside && this.#isMain) return
    this.#isMain ||= !understood.aside && understood.said.length > 0
    // Held back, because a more complete version of the message may follow.
    const before = this.#held
    if (before !== undefined && understood.said.length === 0 && understood.again === undefined) return
    this.#held = understood.again === undefined ? undefined : understood
    if (before !== undefined && before.again !== understood.again) yield* this.#turns(before)
    if (understood.again === undefined) yield* this.#turns(understood)
  }

  *end(): Generator<Turn> {
    if (this.#held !== undefined) yield* this.#turns(this.#held)
    yield* this.#flush()
  }

  *#turns({ said, at }: ChatRecord): Generator<Turn> {
    for (const one of said) {
      if (one.kind === 'text') {
        if (one.text.trim() === '') continue
        if (one.role === 'user') yield* this.#flush()
        yield { role: one.role, text: one.text.trim(), at }
      } else if (one.kind === 'call') yield* this.#call(one, at)
      else yield this.#outcome(one, at)
    }
  }

  *#call({ id, name, input }: ChatPart & { kind: 'call' }, at: number | undefined): Generator<Turn> {
    if (id === undefined) return yield { role: 'tool', name, input, at }
    this.#open.set(id, { role: 'tool', name, input, at })
    if (this.#open.size > MOST_OPEN) yield* this.#flush()
  }

  #outcome({ id, name, output, failed }: ChatPart & { kind: 'outcome' }, at: number | undefined): Turn {
    const call = id === undefined ? undefined : this.#open.get(id)
    if (id !== undefined) this.#open.delete(id)
    const told = call?.name ?? name ?? this.#names.get(id ?? '') ?? 'unknown'
    return { role: 'tool', name: told, input: call?.input, output, failed, at: call?.at ?? at }
  }

  /** Yields the calls that have no outcome so far. */
  *#flush(): Generator<Turn> {
    for (const [id, call] of this.#open) {
      this.#names.set(id, call.name)
      yield call
    }
    this.#open.clear()
    for (const id of this.#names.keys()) if (this.#names.size > MOST_OPEN) this.#names.delete(id)
  }
}
