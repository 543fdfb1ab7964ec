import { isAbsolute, relative } from 'node:path'
import type { FaultCode, FaultJson } from '../base/fault.ts'
import { inPath } from '../base/quote.ts'
import type { Config } from '../schema/config.ts'
import { type Conceal, concealPaths } from '../secrets/conceal.ts'
import { MARK } from '../secrets/range.ts'

/**
 * What leaves for a model, without the contents of files with secrets. Every answer passes here, whatever tool it comes
 * from: what is a diff, and what belongs to a path, shows in the names of the fields.
 */
export interface Concealment {
  output(output: object): object
  fault(fault: FaultJson): FaultJson
}

const DIFF = /(?:^|_)diff$/
const DIFF_BYTES = /(?:^|_)diff_base64$/
/** Where a path may stand: in our answers, and in what agents gave to tools of their own. */
const PATHS = ['path', 'file_path', 'filePath', 'notebook_path'] as const
/** What may hold a piece of the file that stands beside it. */
const CONTENTS: ReadonlySet<string> = new Set([
  'content',
  'text',
  'head',
  'present',
  'wanted',
  'expected',
  'found',
  'context',
  'search_block',
  'replace_block',
  'old_string',
  'new_string',
  'new_source',
  'edits',
])

export function concealment(config: Pick<Config, 'secrets'>, root: string): Concealment {
  const walk = new Walk(concealPaths(config), root)
  return {
    output: (output) => walk.value(output, undefined) as object,
    fault: (fault) => (walk.tells(fault.data) ? blankFault(fault) : fault),
  }
}

class Walk {
  readonly #conceal: Conceal
  readonly #root: string

  constructor(conceal: Conceal, root: string) {
    this.#conceal = conceal
    this.#root = root
  }

  /** `secret` is the path of the secret file that this is about, if it is about one. */
  value(value: unknown, secret: string | undefined): unknown {
    if (Array.isArray(value)) return value.map((one) => this.value(one, secret))
    if (typeof value !== 'object' || value === null) return value
    const about = this.#secretIn(value) ?? secret
    return Object.fromEntries(Object.entries(value).flatMap(([key, inner]) => this.#field(key, inner, about)))
  }

  #field(key: string, value: unknown, secret: string | undefined): [string, unknown][] {
    if (typeof value !== 'string') return [[key, this.#inner(key, value, secret)]]
    if (DIFF.test(key)) return [[key, this.#conceal.diff(value)]]
    if (DIFF_BYTES.test(key)) return [[key, this.#diffBytes(value)]]
    if (secret === undefined) return [[key, value]]
    // Bytes become the words that stand for them.
    if (key === 'content_base64')
      return [
        ['content', MARK],
        [key, null],
      ]
    return [[key, CONTENTS.has(key) ? this.#text(key, secret, value) : value]]
  }

  #inner(key: string, value: unknown, secret: string | undefined): unknown {
    return secret !== undefined && CONTENTS.has(key) && value !== null ? MARK : this.value(value, secret)
  }

  /** A whole file keeps its form; a piece of one has none. */
  #text(key: string, secret: string, value: string): string {
    return key === 'content' ? this.#conceal.text(secret, value) : value === '' ? value : MARK
  }

  #diffBytes(base64: string): string {
    return Buffer.from(this.#conceal.diffBytes(Buffer.from(base64, 'base64'))).toString('base64')
  }

  #secretIn(value: object): string | undefined {
    const given = value as Readonly<Record<string, unknown>>
    for (const key of PATHS) {
      const path = given[key]
      if (typeof path === 'string' && this.#conceal.isSecret(this.#inWorkspace(path))) return path
    }
    return undefined
  }

  #inWorkspace(path: string): string {
    return isAbsolute(path) ? relative(this.#root, path) : inPath(path)
  }

  /** Whether data about a secret file holds something of it. */
  tells(data: unknown): boolean {
    if (typeof data !== 'object' || data === null || this.#secretIn(data) === undefined) return false
    return Object.keys(data).some((key) => CONTENTS.has(key) || key === 'places')
  }
}

/** Codes that say enough by themselves. */
function blankFault({ code, data }: FaultJson): FaultJson {
  const { path } = data as { path?: unknown }
  return {
    code: code satisfies FaultCode,
    message: `${String(path)} holds secrets: what is in it is not told.`,
    hint: 'Ask the user to look at the file, or write all of it.',
    data: { path },
  }
}

/** A failure of which only this may be told. */
export class ToldFault extends Error {
  readonly code: FaultCode
  readonly #fault: FaultJson

  constructor(fault: FaultJson) {
    super(fault.message)
    this.code = fault.code
    this.#fault = fault
  }

  toJSON(): FaultJson {
    return this.#fault
  }
}
