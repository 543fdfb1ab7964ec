import { Fault } from '../../base/fault.ts'
import { nearest } from '../../base/text.ts'
import type { Field, Grammar } from './grammar.ts'
import { usageOf, wordOf } from './usage.ts'

/** Turns the words of a command line into the values of fields. Every problem is a BAD_INPUT that names the word. */

export type Given = Map<Field, unknown>
/** Flags as they are typed: `--label`, `-m`, `--no-gc`. */
export type Flags = ReadonlyMap<string, Flag>

interface Flag {
  readonly field: Field
  /** The value of a boolean when the flag has none. */
  readonly alone: boolean
}

interface Read {
  readonly given: Given
  readonly words: readonly string[]
  /** The words after `--`. */
  readonly tail: readonly string[]
  /** The words that were not read: from the first one that is no flag, if asked to stop there. */
  readonly rest: readonly string[]
}

const bad = (problem: string): Fault => new Fault('BAD_INPUT', { problem })

/** The flags of some fields; of two with the same spelling, the later one wins. */
export function flagsFor(fields: readonly Field[], short: ReadonlyMap<string, Field> = new Map()): Flags {
  const flags = new Map<string, Flag>()
  for (const field of fields) {
    flags.set(`--${field.flag}`, { field, alone: true })
    if (field.many) flags.set(`--${field.name.replaceAll('_', '-')}`, { field, alone: true })
    if (field.kind === 'boolean') flags.set(`--no-${field.flag}`, { field, alone: false })
  }
  for (const [key, field] of short) flags.set(`-${key}`, { field, alone: true })
  return flags
}

export function readArgs(argv: readonly string[], flags: Flags, stop: 'at the first word' | 'at the end'): Read {
  const given: Given = new Map()
  const words: string[] = []
  const queue = [...argv]
  for (let token = queue.shift(); token !== undefined; token = queue.shift()) {
    if (token === '--') return { given, words, tail: queue, rest: [] }
    if (token.startsWith('-') && token !== '-') readFlag(token, queue, flags, given)
    else if (stop === 'at the first word') return { given, words, tail: [], rest: [token, ...queue] }
    else words.push(token)
  }
  return { given, words, tail: [], rest: [] }
}

function readFlag(token: string, queue: string[], flags: Flags, given: Given): void {
  const { name, inline } = split(token)
  const flag = flags.get(name)
  if (flag === undefined) throw unknownFlag(name, flags)
  if (flag.field.kind === 'boolean') return void given.set(flag.field, switchOf(name, flag, inline))
  const text = inline ?? queue.shift()
  if (text === undefined) throw bad(`${name} needs a value.`)
  give(given, flag.field, valueOf(name, flag.field, text))
}

/** Splits `--label=x` and `-mx` into flag and value. */
function split(token: string): { name: string; inline?: string } {
  if (!token.startsWith('--'))
    return token.length > 2 ? { name: token.slice(0, 2), inline: token.slice(2) } : { name: token }
  const at = token.indexOf('=')
  return at === -1 ? { name: token } : { name: token.slice(0, at), inline: token.slice(at + 1) }
}

function unknownFlag(name: string, flags: Flags): Fault {
  const near = name.startsWith('--') ? nearest(name, flags.keys()) : undefined
  return bad(near === undefined ? `There is no flag ${name} here.` : `There is no flag ${name}; did you mean ${near}?`)
}

function switchOf(name: string, flag: Flag, inline: string | undefined): boolean {
  if (inline === undefined) return flag.alone
  if (inline !== 'true' && inline !== 'false') throw bad(`${name} takes true or false, not "${inline}".`)
  return (inline === 'true') === flag.alone
}

function valueOf(name: string, field: Field, text: string): unknown {
  if (field.kind === 'integer' || field.kind === 'number') return numberOf(name, field.kind, text)
  if (field.choices.length > 0 && !field.choices.includes(text))
    throw bad(`${name} cannot be "${text}", only one of: ${field.choices.join(', ')}`)
  return text
}

function numberOf(name: string, kind: 'integer' | 'number', text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  const good = kind === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value)
  if (!good) throw bad(`${name} wants a ${kind === 'integer' ? 'whole ' : ''}number, not "${text}".`)
  return value
}

function give(given: Given, field: Field, value: unknown): void {
  if (!field.many) given.set(field, value)
  else given.set(field, [...((given.get(field) as unknown[] | undefined) ?? []), value])
}

/** Assigns words and tail to fields as the grammar says, and checks that nothing is missing. */
export function fill(grammar: Grammar, read: Read): void {
  const { given, tail } = read
  const words = grammar.tail === undefined ? [...read.words, ...tail] : [...read.words]
  for (const field of grammar.words.filter((field) => field.many || !given.has(field)))
    for (const word of words.splice(0, field.many ? words.length : 1))
      give(given, field, valueOf(wordOf(field), field, word))
  if (words[0] !== undefined) throw bad(`"${words[0]}" is one word too many: ${usageOf(grammar)}`)
  if (grammar.tail !== undefined) for (const word of tail) give(given, grammar.tail, word)
  const missing = grammar.fields.find((field) => field.required && !given.has(field))
  if (missing !== undefined) throw bad(`${nameOf(missing, grammar)} is missing: ${usageOf(grammar)}`)
}

const nameOf = (field: Field, grammar: Grammar): string =>
  grammar.words.includes(field) ? wordOf(field) : `--${field.flag}`
