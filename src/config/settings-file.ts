import { z } from 'zod'
import { shellWord } from '../base/shell-word.ts'
import { close, errorCode, lstat, openRead, readFile, readInto, regularSize, stat } from '../host/files/fs.ts'
import { type ConfigFile, configFileSchema } from '../schema/config.ts'

/** Larger settings files are not read. */
const MOST_BYTES = 1024 * 1024

/** The bytes of a file, or why it was not read; neither when it does not exist. */
export interface SettingBytes {
  readonly bytes?: Buffer
  readonly problem?: string
}

/** Reads a file of the home, which may be a link. Never waits on a pipe. */
export const readHomeFile = (file: string): SettingBytes => readBytes(file, true)

/** Reads a file of a workspace. Does not follow a link, because it may lead outside. */
export const readWorkspaceFile = (file: string): SettingBytes => readBytes(file, false)

function readBytes(file: string, follow: boolean): SettingBytes {
  try {
    // Most workspaces have no such file and this is called often: a stat costs less than the exception for a missing
    // file.
    const found = follow ? stat(file) : lstat(file)
    if (found === undefined) return {}
    if (found.isSymbolicLink()) return { problem: 'it is a symbolic link' }
    if (!found.isFile()) return { problem: found.isDirectory() ? 'it is a folder' : 'it is not a regular file' }
    if (found.size > MOST_BYTES) return { problem: 'it is larger than 1 MiB' }
    const bytes = follow ? readFile(file) : readRegular(file)
    return bytes ? { bytes } : {}
  } catch (error) {
    return { problem: `it cannot be read (${errorCode(error) ?? 'unknown error'})` }
  }
}

function readRegular(file: string): Buffer {
  const fd = openRead(file)
  try {
    const buffer = Buffer.alloc(Math.min(regularSize(fd), MOST_BYTES))
    return buffer.subarray(0, readInto(fd, buffer, 0, buffer.length, 0))
  } finally {
    close(fd)
  }
}

/** The usable settings of a file, and the problems of the rest. */
export interface ParsedSettings {
  readonly file: ConfigFile
  readonly problems: readonly string[]
}

const NOTHING: ParsedSettings = { file: {}, problems: [] }

/** Parses what is usable. A wrong key or value is left out and reported; the others apply. */
export function parseLeniently({ bytes, problem }: SettingBytes): ParsedSettings {
  if (problem !== undefined) return { file: {}, problems: [`It is not used: ${problem}`] }
  if (bytes === undefined) return NOTHING
  const json = parseJson(bytes.toString())
  if ('problem' in json) return { file: {}, problems: [`It is not used: ${json.problem}`] }
  const first = configFileSchema().safeParse(json.value)
  if (first.success) return { file: first.data, problems: [] }
  const rest = structuredClone(json.value)
  for (const issue of first.error.issues) leaveOut(rest, issue)
  const second = configFileSchema().safeParse(rest)
  return { file: second.success ? second.data : {}, problems: first.error.issues.flatMap(problemsOf) }
}

function parseJson(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { problem: `it is not JSON (${(error as Error).message})` }
  }
}

/** A setting is a key, or a key in a group; anything deeper is part of its value. */
const SETTING_DEPTH = 2

function leaveOut(json: unknown, issue: z.core.$ZodIssue): void {
  const path = issue.path.slice(0, SETTING_DEPTH)
  // An unknown key inside a value makes the value invalid.
  if (issue.code === 'unrecognized_keys' && issue.path.length < SETTING_DEPTH)
    for (const key of issue.keys) remove(json, [...path, key])
  else if (path.some((key) => typeof key === 'number')) remove(json, path.slice(0, 1))
  else remove(json, path)
}

function remove(json: unknown, path: readonly PropertyKey[]): void {
  const last = path.at(-1)
  const parent = path.slice(0, -1).reduce((at, key) => (isObject(at) ? at[key] : undefined), json)
  if (last !== undefined && isObject(parent)) delete parent[last]
}

const isObject = (value: unknown): value is Record<PropertyKey, unknown> => typeof value === 'object' && value !== null

/** The problems of a setting, and how to fix them. The rest of the file applies. */
function problemsOf(issue: z.core.$ZodIssue): string[] {
  const at = issue.path.slice(0, SETTING_DEPTH).filter((key) => typeof key !== 'number')
  const place = issue.path.join('.')
  if (issue.code === 'unrecognized_keys' && issue.path.length < SETTING_DEPTH)
    return issue.keys.map((key) => {
      const name = [...at, key].join('.')
      return `There is no setting "${name}". Remove it with: timewarp config --unset ${shellWord(name)}`
    })
  if (at.length === 0) return [`It is not used: ${issue.message}`]
  const name = at.join('.')
  const where = place === name ? '' : ` (${place})`
  return [`"${name}" is not used: ${issue.message}${where}. Correct it with: timewarp config ${name} VALUE`]
}
