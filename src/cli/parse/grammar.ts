import { z } from 'zod'
import type { Verb } from '../../protocol/spec.ts'

/** What is typed on the command line and where it goes, read off the input of a tool or command. */

/** One field of the input. */
export interface Field {
  /** As in the input: `dry_run`. */
  readonly name: string
  /** As typed behind `--`: `dry-run`. A flag that repeats is singular. */
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
  /** The word behind `timewarp`. */
  readonly command: string
  readonly fields: readonly Field[]
  /** Fields filled by words, in this order; one that takes several values takes all the rest. */
  readonly words: readonly Field[]
  /** The field filled by what stands behind `--`; without one, those are words as well. */
  readonly tail: Field | undefined
  /** One-letter flags. */
  readonly short: ReadonlyMap<string, Field>
}

/** What a grammar is read off: every spec has it, and so have the commands that are no tool. */
export interface CommandForm {
  readonly input: z.ZodObject
  readonly verb?: Verb
}

/** Fields of plain type become flags and words; others can be given through `timewarp call` only. */
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

// Walks the schema itself: the way through JSON Schema costs a command some milliseconds of its start.
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

/** Takes off what makes a field optional. */
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
