import type { Field, Grammar } from './grammar.ts'

/** Describes how a command is written, for the help, for faults and for the reference. */

/** `timewarp restore ID [PATH…] [-- PATH…] [FLAGS]` */
export function usageOf(grammar: Grammar): string {
  const { command, words, tail } = grammar
  const parts = words.map((field) => (field.required ? wordOf(field) : `[${wordOf(field)}]`))
  if (tail !== undefined) parts.push(`[-- ${wordOf(tail)}]`)
  if (flagsOf(grammar).length > 0) parts.push('[FLAGS]')
  return ['timewarp', command, ...parts].join(' ')
}

/** The placeholder of a word: `ID`, `PATH…`. */
export function wordOf(field: Field): string {
  const name = field.name.endsWith('_id') ? 'id' : field.flag.replaceAll('-', '_')
  return `${name.toUpperCase()}${field.many ? '…' : ''}`
}

/** Fields that are given without a flag. */
export const wordsOf = (grammar: Grammar): readonly Field[] => [
  ...new Set([...grammar.words, ...(grammar.tail === undefined ? [] : [grammar.tail])]),
]

/** Fields that are given by flags: the command's own before the one that all tools take. */
export function flagsOf(grammar: Grammar): readonly Field[] {
  const flags = grammar.fields.filter((field) => !wordsOf(grammar).includes(field))
  const isShared = (field: Field): boolean => field.name === 'session_id'
  return [...flags.filter((field) => !isShared(field)), ...flags.filter(isShared)]
}

/** `-m, --label TEXT`, `--[no-]gc`, `--format unified|git|context|json` */
export function spellingOf(field: Field, grammar: Grammar): string {
  const short = [...grammar.short].find(([, target]) => target === field)?.[0]
  const long = field.kind === 'boolean' && field.fallback === true ? `--[no-]${field.flag}` : `--${field.flag}`
  return [short === undefined ? long : `-${short}, ${long}`, valueName(field)].filter(Boolean).join(' ')
}

function valueName(field: Field): string {
  if (field.kind === 'boolean') return ''
  if (field.kind === 'string') return areShort(field.choices) ? field.choices.join('|') : 'TEXT'
  return 'N'
}

const areShort = (choices: readonly string[]): boolean => choices.length > 0 && choices.length <= 4

/** What the field means, which values it takes, and its default. */
export function aboutOf(field: Field): string {
  const choices = field.choices.length > 0 && !areShort(field.choices) ? ` (one of ${field.choices.join(', ')})` : ''
  const fallback = fallbackOf(field)
  const input = field.takesInput ? '; - reads it from standard input' : ''
  return `${field.about}${input}${choices}${fallback === undefined ? '' : ` (default: ${fallback})`}`
}

function fallbackOf(field: Field): string | undefined {
  const { fallback } = field
  if (fallback === undefined || fallback === false) return undefined
  if (fallback === true) return 'on'
  if (Array.isArray(fallback)) return fallback.length === 0 ? undefined : fallback.join(', ')
  return typeof fallback === 'string' ? fallback : JSON.stringify(fallback)
}
