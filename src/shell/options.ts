import { ANY, LOOSE, WORDS } from './paths.ts'

/** One word of a command, as its possible texts. Nearly always one. */
export type Arg = readonly string[]

export const textOf = (arg: Arg | undefined): string => arg?.[0] ?? ''

/** The words of a command, classified. */
export interface Options {
  /**
   * Every option as typed: without its value (`-r`, `--recursive`) and with it (`--color=never`); and every letter that
   * may be an option.
   */
  readonly flags: ReadonlySet<string>
  /** The options that were certainly given. */
  readonly sure: ReadonlySet<string>
  readonly values: ReadonlyMap<string, readonly Arg[]>
  readonly operands: readonly Arg[]
  /** How many operands came before `--`; undefined without `--`. */
  readonly split: number | undefined
  /** The words may contain unknown options: `$FLAGS`. */
  readonly isLoose: boolean
}

/**
 * How an option takes its value: as the next word or attached, only attached, attached digits only, or as the next word
 * after which no more options follow.
 */
type Taking = 'next' | 'attached' | 'digits' | 'last'

/** The options with a value: `n o --lines i? 0# m!`; without a sign it is `next`. */
export type Takes = ReadonlyMap<string, Taking>

const SIGNS: Readonly<Record<string, Taking>> = { '?': 'attached', '#': 'digits', '!': 'last' }

const TAKES = new Map<string, Takes>()

/** Rows have it as text; each text is parsed once. */
export function takesOf(text: string): Takes {
  const known = TAKES.get(text)
  if (known) return known
  const words = text.split(/\s+/).filter(Boolean)
  const read = new Map(
    words.map((word) => {
      const taking = SIGNS[word.at(-1) ?? '']
      const name = taking === undefined ? word : word.slice(0, -1)
      return [name.startsWith('-') ? name : `-${name}`, taking ?? 'next'] as const
    }),
  )
  TAKES.set(text, read)
  return read
}

/**
 * Parses options as getopt does, with operands in between. `stopsEarly`: the first operand ends the options, as for
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
  readonly #sure = new Set<string>()
  readonly #values = new Map<string, Arg[]>()
  readonly #operands: Arg[] = []
  readonly #takes: Takes
  readonly #style: Style
  #isOver = false

  constructor(takes: Takes, style: Style) {
    this.#takes = takes
    this.#style = style
  }

  read(args: readonly Arg[]): Options {
    let split: number | undefined
    for (let at = 0; at < args.length; at++) {
      const arg = args[at] as Arg
      const text = textOf(arg)
      if (text === '--' && split === undefined && !this.#isOver) {
        split = this.#operands.length
        this.#operands.push(...args.slice(at + 1))
        break
      }
      if (this.#isOver || !text.startsWith('-') || text === '-') {
        if (this.#isOver || this.#style.stopsEarly) {
          this.#operands.push(...args.slice(at))
          break
        }
        this.#operands.push(arg)
      } else if (this.#option(arg, text, args[at + 1])) at++
    }
    return {
      flags: this.#flags,
      sure: this.#sure,
      values: this.#values,
      operands: this.#operands,
      split,
      isLoose: this.#isLoose(split),
    }
  }

  /** Options usually precede operands: a variable before a known operand may contain options. */
  #isLoose(split: number | undefined): boolean {
    const open = this.#operands.slice(0, split)
    const last = open.findLastIndex((arg) => !textOf(arg).startsWith(ANY))
    return open.some((arg, at) => textOf(arg) === WORDS || (textOf(arg) === LOOSE && at < last))
  }

  /** Returns whether it took the next word as its value. */
  #option(arg: Arg, text: string, next: Arg | undefined): boolean {
    if (!text.startsWith('--') && !this.#style.longOnly) return this.#cluster(arg, text, next)
    const equals = text.indexOf('=')
    const name = equals === -1 ? text : text.slice(0, equals)
    this.#note(name, true)
    if (equals === -1) return this.#takeNext(name, next)
    this.#give(
      name,
      arg.map((one) => one.slice(equals + 1)),
    )
    return false
  }

  #cluster(arg: Arg, text: string, next: Arg | undefined): boolean {
    const isSure = isCluster(text)
    for (let at = 1; at < text.length; at++) {
      const name = `-${text[at]}`
      const takes = this.#takes.get(name)
      this.#note(name, isSure)
      if (takes === undefined) continue
      if (takes === 'digits') {
        at += /^(x[\da-f]+|\d+)?/i.exec(text.slice(at + 1))?.[0].length ?? 0
        continue
      }
      this.#sure.add(name)
      if (takes === 'last') this.#isOver = true
      if (at + 1 === text.length) return this.#takeNext(name, next)
      this.#give(
        name,
        arg.map((one) => one.slice(at + 1)),
      )
      return false
    }
    return false
  }

  #takeNext(name: string, next: Arg | undefined): boolean {
    const takes = this.#takes.get(name)
    if (takes === 'last') this.#isOver = true
    return (takes === 'next' || takes === 'last') && next !== undefined && this.#give(name, next)
  }

  #note(name: string, isSure: boolean): void {
    this.#flags.add(name)
    if (isSure) this.#sure.add(name)
  }

  #give(name: string, value: Arg): true {
    if (value.length === 1) this.#note(`${name}=${textOf(value)}`, true)
    this.#values.set(name, [...(this.#values.get(name) ?? []), value])
    return true
  }
}

/**
 * Whether a word looks like a cluster of one-letter options, not like a name or value after one dash: only letters and,
 * if there are many, no letter twice.
 */
const isCluster = (word: string): boolean =>
  word.length <= 4 ? /^-\w+$/.test(word) : /^-[a-z0-9]+$/i.test(word) && new Set(word).size === word.length

/**
 * Whether one of these flags may have been given; for flags that make a program write. `--check+--no-cache` means both.
 */
export const hasAny = (options: Options, flags: string): boolean =>
  flags.split(' ').some((flag) => flag.split('+').every((one) => options.flags.has(one)))

/** Whether one of these flags was certainly given; for flags that keep a program from writing. */
export const surelyHas = (options: Options, flags: string): boolean =>
  flags.split(' ').some((flag) => flag.split('+').every((one) => options.sure.has(one)))

/** The values of these options. */
export const valuesOf = (options: Options, names: string): Arg[] =>
  names.split(' ').flatMap((name) => options.values.get(name) ?? [])
