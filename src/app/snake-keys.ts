import { z } from 'zod'

/**
 * Accepts field names in camel case, at any depth: `dryRun` stands for `dry_run`. Where the schema is open, as for the
 * input of another program's tool, keys stay as they are. A key that matches no field stays, too, so that the refusal
 * names it as given.
 */
export function snakeKeys(input: unknown, schema: z.ZodType): unknown {
  const bare = peel(schema)
  if (Array.isArray(input)) return bare instanceof z.ZodArray ? each(input, bare.element as z.ZodType) : input
  const shapes = shapesOf(bare)
  if (typeof input !== 'object' || input === null || shapes.length === 0) return input
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => {
      const name = fieldFor(key, shapes)
      const field = shapes.find((shape) => Object.hasOwn(shape, name))?.[name]
      return [name, field === undefined ? value : snakeKeys(value, field)]
    }),
  )
}

const each = (all: readonly unknown[], element: z.ZodType): unknown[] => all.map((one) => snakeKeys(one, element))

type Shape = Readonly<Record<string, z.ZodType>>

/** The shapes that an object may have: one per member of a union. */
function shapesOf(schema: z.ZodType): Shape[] {
  if (schema instanceof z.ZodObject) return [schema.shape as Shape]
  return schema instanceof z.ZodUnion ? schema.options.flatMap((option) => shapesOf(peel(option as z.ZodType))) : []
}

function fieldFor(key: string, shapes: readonly Shape[]): string {
  const isField = (name: string): boolean => shapes.some((shape) => Object.hasOwn(shape, name))
  if (isField(key)) return key
  const snake = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return isField(snake) ? snake : key
}

/** Unwraps optional, default and nullable schemas. */
function peel(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return peel(schema.unwrap() as z.ZodType)
  return schema
}
