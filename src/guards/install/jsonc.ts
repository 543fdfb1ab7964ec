/** JSON as people write it: with comments and commas at the end, each part with its place in the text. */

interface Place {
  readonly start: number
  /** Behind its last character. */
  readonly end: number
}

export interface Member extends Place {
  readonly key: string
  readonly value: Json
  /** Where the comma behind it stands; undefined when there is none. */
  readonly comma: number | undefined
}

export interface JsonObject extends Place {
  readonly kind: 'object'
  readonly members: readonly Member[]
}

interface Item {
  readonly value: Json
  readonly comma: number | undefined
}

export interface JsonArray extends Place {
  readonly kind: 'array'
  readonly items: readonly Item[]
}

interface Scalar extends Place {
  readonly kind: 'scalar'
  readonly value: string | number | boolean | null
}

export type Json = JsonObject | JsonArray | Scalar

/** The value of a text, or a sentence saying where it cannot be understood. Text that holds nothing is undefined. */
export function parseJsonc(text: string): Json | undefined | { readonly problem: string } {
  const reader = new Reader(text)
  try {
    return reader.document()
  } catch (error) {
    if (!(error instanceof Misread)) throw error
    const lines = text.slice(0, error.at).split('\n')
    return { problem: `${error.message} at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}` }
  }
}

class Misread extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
    if (text.startsWith('\uFEFF')) this.#at = 1
  }

  document(): Json | undefined {
    this.#skip()
    if (this.#at === this.#text.length) return undefined
    const value = this.#value(0)
    this.#skip()
    if (this.#at < this.#text.length) throw new Misread('Something follows the end', this.#at)
    return value
  }

  #value(depth: number): Json {
    if (depth > 100) throw new Misread('It is too deep', this.#at)
    const first = this.#text[this.#at]
    if (first === '{') return this.#object(depth)
    if (first === '[') return this.#array(depth)
    return this.#scalar()
  }

  #object(depth: number): JsonObject {
    const start = this.#at++
    const members: Member[] = []
    for (this.#skip(); this.#text[this.#at] !== '}'; this.#skip()) {
      const from = this.#at
      if (this.#text[from] !== '"') throw new Misread('A name in quotes is missing', from)
      const key = this.#scalar().value as string
      this.#skip()
      if (this.#text[this.#at] !== ':') throw new Misread('A colon is missing', this.#at)
      this.#at++
      this.#skip()
      const value = this.#value(depth + 1)
      const comma = this.#comma('}')
      members.push({ key, value, start: from, end: value.end, comma })
    }
    return { kind: 'object', members, start, end: ++this.#at }
  }

  #array(depth: number): JsonArray {
    const start = this.#at++
    const items: Item[] = []
    for (this.#skip(); this.#text[this.#at] !== ']'; this.#skip()) {
      const value = this.#value(depth + 1)
      items.push({ value, comma: this.#comma(']') })
    }
    return { kind: 'array', items, start, end: ++this.#at }
  }

  /** Takes the comma behind a part; there must be one unless this is the end. */
  #comma(end: string): number | undefined {
    this.#skip()
    if (this.#text[this.#at] === ',') return this.#at++
    if (this.#text[this.#at] === end) return undefined
    throw new Misread('A comma is missing', this.#at)
  }

  #scalar(): Scalar {
    SCALAR.lastIndex = this.#at
    const found = SCALAR.exec(this.#text)?.[0]
    if (found === undefined) throw new Misread('A value is missing', this.#at)
    const start = this.#at
    this.#at += found.length
    try {
      return { kind: 'scalar', value: JSON.parse(found) as Scalar['value'], start, end: this.#at }
    } catch {
      throw new Misread('This is no value', start)
    }
  }

  #skip(): void {
    BLANK.lastIndex = this.#at
    this.#at += BLANK.exec(this.#text)?.[0].length ?? 0
  }
}

const SCALAR = /"(?:[^"\\\n]|\\.)*"|[-+\w.]+/y
const BLANK = /(?:[\s\uFEFF]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y

/** The same without places; a name that stands twice has its last value, as for everybody else. */
export function plain(json: Json): unknown {
  if (json.kind === 'scalar') return json.value
  if (json.kind === 'array') return json.items.map(({ value }) => plain(value))
  return Object.fromEntries(json.members.map(({ key, value }) => [key, plain(value)]))
}

export const memberOf = (json: Json | undefined, key: string): Member | undefined =>
  json?.kind === 'object' ? json.members.findLast((member) => member.key === key) : undefined
