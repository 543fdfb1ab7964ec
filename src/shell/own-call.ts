import { isKnown } from './paths.ts'

/** The tool of a `timewarp call`, with its input as text. */
export interface OwnToolCall {
  readonly tool: string
  readonly json: string
}

/** Parses the words after `call`: operands in order, or flags in any order. */
export function callOf(words: readonly string[]): OwnToolCall {
  const named = new Map<string, string>()
  const operands: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    const [, flag, inline] = /^(--name|--input|--home|-C)(?:=([^]*))?$/.exec(word) ?? []
    if (flag !== undefined) named.set(flag, inline ?? words[++at] ?? '')
    else if (word === '-' || !word.startsWith('-')) operands.push(word)
  }
  const tool = named.get('--name') ?? operands.shift() ?? ''
  return { tool, json: named.get('--input') ?? operands.shift() ?? '{}' }
}

/**
 * The fields of an input by name, each with the values of all its spellings (`dryRun` is `dry_run`); undefined when the
 * text does not contain all fields.
 */
export function fieldsOf(json: string): ReadonlyMap<string, readonly unknown[]> | undefined {
  const value = isKnown(json) ? parsed(json) : undefined
  if (typeof value !== 'object' || value === null) return undefined
  const fields = new Map<string, unknown[]>()
  for (const [key, one] of Object.entries(value)) {
    const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    fields.set(name, [...(fields.get(name) ?? []), one])
  }
  return fields
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
