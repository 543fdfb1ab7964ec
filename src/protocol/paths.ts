import { z } from 'zod'
import { bytesFromName } from '../base/quote.ts'
import {
  MAX_NAME_BYTES,
  MAX_PATH_BYTES,
  parseEditedPath,
  parseFilePath,
  parsePathGlob,
  parseRelPath,
} from '../schema/path.ts'

/**
 * Fields that take a path. A tool receives only checked values from them: a path that leads outside is refused before
 * the tool runs.
 */

/**
 * What a field takes. inside: a path in the workspace, relative to its root. glob: a path or a glob in it. host: a file
 * or folder anywhere on the machine. reported: a path that a client reports, wherever it is; one outside the workspace
 * is ignored.
 */
export type PathTakes = 'inside' | 'glob' | 'host' | 'reported'

/** Every schema that takes a path, so that surfaces and tests can find each such field. */
export const PATH_FIELDS = z.registry<{ readonly takes: PathTakes }>()

/** A file or folder inside the workspace; "." is its root. */
export const insidePath = (about = '') =>
  named(z.string().transform(parseRelPath), about).register(PATH_FIELDS, { takes: 'inside' })

/** A file inside the workspace, to be read: not its root. */
export const filePath = (about: string) =>
  named(z.string().transform(parseFilePath), about).register(PATH_FIELDS, { takes: 'inside' })

/** A path inside the workspace to be edited: not its root, and not in the folders of git or Timewarp. */
export const editedPath = (about: string) =>
  named(z.string().transform(parseEditedPath), about).register(PATH_FIELDS, { takes: 'inside' })

/** A path, a folder or a glob inside the workspace. */
export const pathGlob = (about: string) =>
  named(z.string().min(1).transform(parsePathGlob), about).register(PATH_FIELDS, { takes: 'glob' })

/** A file or folder anywhere on the machine. */
export const hostPath = (about: string) =>
  z
    .string()
    .min(1)
    .refine((text) => !text.includes('\0'), 'must not hold a zero byte')
    .refine((text) => text.isWellFormed(), 'must be Unicode')
    .refine((text) => !isTooLong(text), `must have at most ${MAX_PATH_BYTES} bytes, and each name ${MAX_NAME_BYTES}`)
    .describe(about)
    .register(PATH_FIELDS, { takes: 'host' })

/** A path that a client reports. It is never refused: the rest of the report must not be lost. */
export const reportedPath = (about = '') => named(z.string(), about).register(PATH_FIELDS, { takes: 'reported' })

const named = <S extends z.ZodType>(schema: S, about: string): S => (about === '' ? schema : schema.describe(about))

function isTooLong(text: string): boolean {
  if (text.length * 3 <= MAX_NAME_BYTES) return false
  return (
    bytesFromName(text).length > MAX_PATH_BYTES ||
    text.split('/').some((name) => bytesFromName(name).length > MAX_NAME_BYTES)
  )
}

const hostFields = new WeakMap<z.ZodObject, readonly string[]>()

/** The fields of an input that take a file or folder anywhere on the machine. */
export function hostFieldsOf(input: z.ZodObject): readonly string[] {
  const known = hostFields.get(input)
  if (known) return known
  const shape = input.shape as Shape
  const found = Object.keys(shape).filter((name) => takesOf(shape[name] as z.ZodType) === 'host')
  hostFields.set(input, found)
  return found
}

const takesOf = (schema: z.ZodType): PathTakes | undefined =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? takesOf(schema.unwrap() as z.ZodType)
    : PATH_FIELDS.get(schema)?.takes

/** Whether an input names files or folders of the workspace. */
export const takesPaths = (input: z.ZodObject): boolean =>
  Object.values(input.shape as Shape).some((field) => /^(inside|glob)$/.test(takesOf(elementOf(field)) ?? ''))

const elementOf = (schema: z.ZodType): z.ZodType => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return elementOf(schema.unwrap() as z.ZodType)
  return schema instanceof z.ZodArray ? (schema.element as z.ZodType) : schema
}

/** A value in an input, for a field that takes a path. */
export interface PathValue {
  readonly takes: PathTakes
  readonly text: string
}

/**
 * The input with the text of each path replaced. Values that do not match the schema stay, and the schema refuses them
 * later.
 */
export function mapPaths(schema: z.ZodType, input: unknown, change: (value: PathValue) => string): unknown {
  const takes = PATH_FIELDS.get(schema)?.takes
  if (takes !== undefined) return typeof input === 'string' ? change({ takes, text: input }) : input
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return mapPaths(schema.unwrap() as z.ZodType, input, change)
  if (Array.isArray(input))
    return schema instanceof z.ZodArray ? input.map((one) => mapPaths(schema.element as z.ZodType, one, change)) : input
  if (typeof input !== 'object' || input === null) return input
  const shape = shapeFor(schema, input)
  if (shape === undefined) return input
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      key,
      Object.hasOwn(shape, key) ? mapPaths(shape[key] as z.ZodType, value, change) : value,
    ]),
  )
}

type Shape = Readonly<Record<string, z.ZodType>>

/** The fields of an object; for a union, those of the variant that matches this input. */
function shapeFor(schema: z.ZodType, input: object): Shape | undefined {
  if (schema instanceof z.ZodObject) return schema.shape as Shape
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return undefined
  const { discriminator, options } = schema.def
  const kind = (input as Record<string, unknown>)[discriminator]
  return options
    .map((option) => (option as z.ZodObject).shape as Shape)
    .find((shape) => (shape[discriminator] as z.ZodLiteral | undefined)?.value === kind)
}
