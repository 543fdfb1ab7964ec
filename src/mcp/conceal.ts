import { isAbsolute, relative } from 'node:path'
import type { FaultCode, FaultJson } from '../base/fault.ts'
import { inPath } from '../base/quote.ts'
import type { Config } from '../schema/config.ts'
import { type Conceal, concealPaths } from '../secrets/conceal.ts'
import { MARK } from '../secrets/range.ts'

/**
 * Removes the contents of secret files from what is sent to a model. Every answer passes through here, whatever its
 * tool: the names of the fields show what is a diff, and what belongs to a path.
 */
export interface Concealment {
  output(output: object): object
  fault(fault: FaultJson): FaultJson
}

const DIFF = /(?:^|_)diff$/
const DIFF_BYTES = /(?:^|_)diff_base64$/
/** Fields that hold a path: in Timewarp's answers, and in the inputs of agents' own tools. */
const PATHS = ['path', 'file_path', 'filePath', 'notebook_path'] as const
/** Fields that may hold a part of the file whose path is in the same object. */
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

  /** `secret` is the path of the secret file that the value is about, if any. */
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
    // Bytes are replaced by the mark, as text.
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

  /** A whole `.env` file keeps the names of its settings; a part of a file is replaced as a whole. */
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

  /** Whether a fault's data about a secret file contains parts of the file. */
  tells(data: unknown): boolean {
    if (typeof data !== 'object' || data === null || this.#secretIn(data) === undefined) return false
    return Object.keys(data).some((key) => CONTENTS.has(key) || key === 'places')
  }
}

/** Keeps the code and the path, which reveal nothing of the contents. */
function blankFault({ code, data }: FaultJson): FaultJson {
  const { path } = data as { path?: unknown }
  return {
    code: code satisfies FaultCode,
    message: `${String(path)} holds secrets: what is in it is not told.`,
    hint: 'Ask the user to look at the file, or write all of it.',
    data: { path },
  }
}

/** A fault that has passed the concealment: only this form of it may be sent to the client. */
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
