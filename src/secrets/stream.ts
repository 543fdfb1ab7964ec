import { findSecrets } from './find.ts'
import { type KnownSecrets, knownOf } from './known.ts'
import { MARK, type Range } from './range.ts'

/** How much text is output at a time, with how much context before and after it. */
const STEP = 256 * 1024
const BEHIND = 4 * 1024
const AHEAD = 64 * 1024

/** Above this size a text should be redacted piece by piece. */
export const LARGE = STEP + AHEAD

/** What the rest of a secret may look like that is longer than the context. */
const REST_OF_KEY = /(?:[A-Za-z0-9+/=\s"'>|\\#*:,-])*/y
const REST_OF_WORD = /[^\s"'`<>\\]*/y
const END_OF_KEY = /-----END[ A-Z0-9]{0,40}-----/g
const LONGEST_END = 64

/**
 * Redacts a text of any size as a stream, in the memory of one step. Finds secrets across the borders of pushed pieces;
 * the output does not depend on where those borders are.
 */
export class Redaction {
  readonly #known: KnownSecrets | undefined
  #behind = ''
  #pending = ''
  /** The secret that continues at the start of the pending text. */
  #open: 'key' | 'word' | undefined
  redacted = 0

  constructor(options: { readonly known?: readonly string[] } = {}) {
    this.#known = knownOf(options.known)
  }

  /** Returns the text that is known to be clean so far. */
  push(text: string): string {
    this.#pending += text
    const out: string[] = []
    while (this.#pending.length >= LARGE) {
      if (this.#open) this.#swallow(false)
      else out.push(this.#step(STEP, false))
    }
    return out.join('')
  }

  /** Returns the rest. */
  end(): string {
    if (this.#open) this.#swallow(true)
    return this.#pending === '' ? '' : this.#step(this.#pending.length, true)
  }

  #step(length: number, isLast: boolean): string {
    const from = this.#behind.length
    const view = this.#behind + (isLast ? this.#pending : this.#pending.slice(0, LARGE))
    const until = whole(view, from + length)
    const out: string[] = []
    let at = from
    for (const range of findSecrets(view, this.#known)) {
      if (range.end <= at) continue
      if (range.start >= until) break
      out.push(view.slice(at, Math.max(at, range.start)), MARK)
      this.redacted++
      at = range.end
      if (at === view.length && !isLast) this.#open = kindOf(view, range)
    }
    if (at < until) {
      out.push(view.slice(at, until))
      at = until
    }
    this.#behind = view.slice(Math.max(0, at - BEHIND), at)
    this.#pending = this.#pending.slice(at - from)
    return out.join('')
  }

  #swallow(isLast: boolean): void {
    const text = this.#pending
    END_OF_KEY.lastIndex = 0
    const end = this.#open === 'key' ? END_OF_KEY.exec(text) : null
    const rest = this.#open === 'key' ? REST_OF_KEY : REST_OF_WORD
    rest.lastIndex = 0
    const length = end ? end.index + end[0].length : (rest.exec(text)?.[0].length ?? 0)
    const goesOn = !end && !isLast && length === text.length
    this.#pending = text.slice(goesOn ? Math.max(0, length - LONGEST_END) : length)
    this.#behind = ''
    if (!goesOn) this.#open = undefined
  }
}

const kindOf = (view: string, { start }: Range): 'key' | 'word' =>
  view.startsWith('-----BEGIN', start) ? 'key' : 'word'

/** Not between the two halves of a surrogate pair. */
const whole = (text: string, at: number): number => {
  const code = text.charCodeAt(at - 1)
  return code >= 0xd800 && code < 0xdc00 ? Math.min(text.length, at + 1) : at
}
