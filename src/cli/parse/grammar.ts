import { z } from 'zod'
import type { Verb } from '../../protocol/spec.ts'

/** The grammar of a command line, derived from the input schema of a tool or command. */

/** One field of the input. */
export interface Field {
  /** As in the input: `dry_run`. */
  readonly name: string
  /** As typed after `--`: `dry-run`. A flag that may be repeated is singular. */
  readonly flag: string
  readonly kind: 'boolean' | 'integer' | 'number' | 'string'
  /** Whether it takes several values. */
  readonly many: boolean
  readonly required: boolean
  readonly choices: readonly string[]
  readonly fallback: unknown
  readonly about: string
  /** Whether `-` fills it from standard input. */
  readonly takesInput?: boolean
}

export interface Grammar {
  /** The word after `timewarp`. */
  readonly command: string
  readonly fields: readonly Field[]
  /** Fields filled by words, in this order; a field that takes several values takes all the rest. */
  readonly words: readonly Field[]
  /** The field filled by the words after `--`; without one, they are ordinary words. */
  readonly tail: Field | undefined
  /** One-letter flags. */
  readonly short: ReadonlyMap<string, Field>
}

/** What a grammar is derived from: every spec has it, and so have the commands that are not tools. */
export interface CommandForm {
  readonly input: z.ZodObject
  readonly verb?: Verb
}

/** Fields of simple types become flags and words; others can be given only through `timewarp call`. */
export function grammarOf(command: string, form: CommandForm): Grammar {
  const takesInput = (name: string): boolean => form.verb?.stdin?.[name] !== undefined
  const fields = fieldsOf(form.input)
    .filter((field) => field.name !== 'workspace')
    .map((field) => ({ ...field, takesInput: takesInput(field.name) }))
  const byName = (name: string): Field[] => fields.filter((field) => field.name === name)
  return {
    command,
    fields,
    words: (form.verb?.words ?? []).flatMap(byName),
    tail: form.verb?.tail === undefined ? undefined : byName(form.verb.tail)[0],
    short: new Map(Object.entries(form.verb?.short ?? {}).flatMap(([key, name]) => byName(name).map((f) => [key, f]))),
  }
}

// Reads the zod schema itself: converting it to JSON Schema would add milliseconds to the start of each command.
const fieldsOf = (input: z.ZodObject): Field[] =>
  Object.entries(input.shape as Record<string, z.ZodType>).flatMap(([name, schema]) => fieldOf(name, schema) ?? [])

function fieldOf(name: string, schema: z.ZodType): Field | undefined {
  const { bare, required, fallback, about } = peel(schema)
  const many = bare instanceof z.ZodArray
  const value: unknown = many ? bare.element : bare
  const kind = kindOf(value)
  if (kind === undefined) return undefined
  const choices = value instanceof z.ZodEnum ? value.options.map(String) : []
  return { name, flag: flagOf(name, many), kind, many, required, choices, fallback, about }
}

interface Peeled extends Pick<Field, 'required' | 'fallback' | 'about'> {
  readonly bare: z.ZodType
}

/** Removes the wrappers that make a field optional. */
function peel(schema: z.ZodType): Peeled {
  const about = schema.description
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    const inner = peel(schema.unwrap() as z.ZodType)
    const fallback = schema instanceof z.ZodDefault ? schema.def.defaultValue : inner.fallback
    return { ...inner, required: false, fallback, about: about ?? inner.about }
  }
  return { bare: schema, required: true, fallback: undefined, about: about ?? '' }
}

function kindOf(value: unknown): Field['kind'] | undefined {
  if (value instanceof z.ZodPipe) return kindOf(value.def.in)
  if (value instanceof z.ZodBoolean) return 'boolean'
  if (value instanceof z.ZodNumber) return value.isInt ? 'integer' : 'number'
  const isText = value instanceof z.ZodString || value instanceof z.ZodStringFormat || value instanceof z.ZodEnum
  return isText ? 'string' : undefined
}

const flagOf = (name: string, many: boolean): string =>
  (many && name.endsWith('s') ? name.slice(0, -1) : name).replaceAll('_', '-')
