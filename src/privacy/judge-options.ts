/** One word of a command: the texts that it may be. Nearly always one. */
export type Arg = readonly string[]

export const textOf = (arg: Arg | undefined): string => arg?.[0] ?? ''

/** The words of a command, sorted. */
export interface Options {
  /** Every option as it was typed, without value: `-r`, `--recursive`; and with it, if it has one: `--color=never`. */
  readonly flags: ReadonlySet<string>
  readonly values: ReadonlyMap<string, readonly Arg[]>
  readonly operands: readonly Arg[]
  /** How many of the operands stood before `--`; undefined when there was none. */
  readonly split: number | undefined
}

/** Which options have a value: `n o --lines`. With `?` behind it the value is optional and sticks to the option: `i?`. */
export type Takes = ReadonlyMap<string, 'next' | 'attached'>

const TAKES = new Map<string, Takes>()

/** Rows write it as text; it is read once. */
export function takesOf(text: string): Takes {
  const known = TAKES.get(text)
  if (known) return known
  const words = text.split(/\s+/).filter(Boolean)
  const read = new Map(
    words.map((word) => {
      const name = word.endsWith('?') ? word.slice(0, -1) : word
      return [name.startsWith('-') ? name : `-${name}`, word.endsWith('?') ? 'attached' : 'next'] as const
    }),
  )
  TAKES.set(text, read)
  return read
}

/**
 * Reads options as getopt does, operands between them. `stopsEarly`: the first operand ends the options, as for
 * programs that run another. `longOnly`: `-name` is one word, not a cluster of letters.
 */
export function readOptions(args: readonly Arg[], takes: Takes, style: Style = {}): Options {
  const reader = new Reader(takes, style)
  return reader.read(args)
}

export interface Style {
  readonly stopsEarly?: boolean
  readonly longOnly?: boolean
}

class Reader {
  readonly #flags = new Set<string>()
  readonly #values = new Map<string, Arg[]>()
  readonly #operands: Arg[] = []
  readonly #takes: Takes
  readonly #style: Style

  constructor(takes: Takes, style: Style) {
    this.#takes = takes
    this.#style = style
  }

  read(args: readonly Arg[]): Options {
    let split: number | undefined
    for (let at = 0; at < args.length; at++) {
      const arg = args[at] as Arg
      const text = textOf(arg)
      if (text === '--' && split === undefined) {
        split = this.#operands.length
        this.#operands.push(...args.slice(at + 1))
        break
      }
      if (!text.startsWith('-') || text === '-') {
        if (this.#style.stopsEarly) {
          this.#operands.push(...args.slice(at))
          break
        }
        this.#operands.push(arg)
      } else if (this.#option(arg, text, args[at + 1])) at++
    }
    return { flags: this.#flags, values: this.#values, operands: this.#operands, split }
  }

  /** Whether it took the next word as its value. */
  #option(arg: Arg, text: string, next: Arg | undefined): boolean {
    const equals = text.indexOf('=')
    if (text.startsWith('--') || this.#style.longOnly) {
      const name = equals === -1 ? text : text.slice(0, equals)
      this.#flags.add(name)
      if (equals !== -1)
        this.#give(
          name,
          arg.map((one) => one.slice(equals + 1)),
        )
      else if (this.#takes.get(name) === 'next' && next) return this.#give(name, next)
      return false
    }
    return this.#cluster(arg, text, next)
  }

  #cluster(arg: Arg, text: string, next: Arg | undefined): boolean {
    for (let at = 1; at < text.length; at++) {
      const name = `-${text[at]}`
      this.#flags.add(name)
      const takes = this.#takes.get(name)
      if (takes === undefined) continue
      if (at + 1 < text.length)
        this.#give(
          name,
          arg.map((one) => one.slice(at + 1)),
        )
      else if (takes === 'next' && next) return this.#give(name, next)
      return false
    }
    return false
  }

  #give(name: string, value: Arg): true {
    if (value.length === 1) this.#flags.add(`${name}=${textOf(value)}`)
    this.#values.set(name, [...(this.#values.get(name) ?? []), value])
    return true
  }
}

/** Whether one of these flags, as rows list them, was given; `--check+--no-cache` is both of them. */
export const hasAny = (options: Options, flags: string): boolean =>
  flags.split(' ').some((flag) => flag.split('+').every((one) => options.flags.has(one)))

/** The values of these options. */
export const valuesOf = (options: Options, names: string): Arg[] =>
  names.split(' ').flatMap((name) => options.values.get(name) ?? [])
