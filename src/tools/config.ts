import { dirname } from 'node:path'
import { z } from 'zod'
import { handler, type ToolCall } from '../app/handler.ts'
import { findWorkspace } from '../app/workspace-lookup.ts'
import { Fault } from '../base/fault.ts'
import { resolveSettings, settingFiles } from '../config/settings.ts'
import { parseLeniently, readHomeFile, readWorkspaceFile, type SettingBytes } from '../config/settings-file.ts'
import { readTrust, type TrustFile, writeTrust } from '../config/trust-record.ts'
import { writeWhole } from '../host/files/durable.ts'
import { lstat } from '../host/files/fs.ts'
import { makeDirs } from '../host/files/make-dirs.ts'
import { point } from '../host/points.ts'
import { ConfigTool } from '../protocol/setup.ts'
import { configFileSchema } from '../schema/config.ts'
import { writeOwn } from '../timeline/workspace/own-folders.ts'

export const config = handler(ConfigTool, async (call, input) => {
  if (input.schema)
    return {
      settings: z.toJSONSchema(configFileSchema(), { io: 'input' }) as Record<string, unknown>,
      files: [],
      changed: null,
      warnings: [],
    }
  const root = input.home ? undefined : rootOf(call, input)
  const files = settingFiles(call.app.home, root)
  const file = files.at(-1) as string
  const changing = input.key !== undefined && (input.value !== undefined || input.unset)
  if (changing) {
    const value = input.unset ? undefined : valueOf(input.value ?? '')
    if (root === undefined) putAtHome(file, changed(file, readHomeFile(file), input.key as string, value))
    else changeOwn(call.app.home, root, file, input.key as string, value)
  }
  const { config: settings, warnings } = resolveSettings(call.app.home, root)
  return {
    settings: input.key === undefined ? settings : { [input.key]: valueAfter(settings, input.key, changing) },
    files: files.filter((path) => lstat(path) !== undefined),
    changed: changing ? file : null,
    warnings: [...warnings],
  }
})

function rootOf(call: ToolCall, input: { workspace?: string | undefined }): string | undefined {
  try {
    return findWorkspace(call, input).root
  } catch (error) {
    if (error instanceof Fault && error.code === 'WORKSPACE_UNKNOWN') return undefined
    throw error
  }
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function pick(settings: object, key: string): unknown {
  return key.split('.').reduce<unknown>((at, name) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) throw noSetting(key)
    return (at as Record<string, unknown>)[name]
  }, settings)
}

/** Null for a key that is no setting and was removed. */
function valueAfter(settings: object, key: string, changing: boolean): unknown {
  try {
    return pick(settings, key)
  } catch (error) {
    if (changing) return null
    throw error
  }
}

const noSetting = (key: string): Fault =>
  new Fault('BAD_INPUT', { problem: `There is no setting "${key}".`, command: 'config' })

/**
 * A trusted file stays trusted, since the user changes it here; one that was not trusted still needs `timewarp trust`.
 */
function changeOwn(home: string, root: string, file: string, key: string, value: unknown): void {
  const before = readWorkspaceFile(file)
  const trusted = readTrust(home, root)
  const was = trusted[CONFIG]
  const isTrusted = before.bytes === undefined || was?.equals(before.bytes) === true || asksNothing(before)
  const bytes = changed(file, before, key, value)
  if (!isTrusted) return writeOwn(root, 'config.json', bytes)
  // The trust is recorded first: if the store cannot be written to, the file stays unchanged.
  writeTrust(home, root, { ...trusted, [CONFIG]: bytes })
  try {
    point('config:trusted')
    writeOwn(root, 'config.json', bytes)
  } catch (error) {
    writeTrust(home, root, trusted)
    throw error
  }
}

const CONFIG: TrustFile = '.timewarp/config.json'

const asksNothing = (read: SettingBytes): boolean => Object.keys(parseLeniently(read).file).length === 0

/** The file's new bytes, checked: the change adds no problem. */
function changed(file: string, before: SettingBytes, key: string, value: unknown): Buffer {
  const settings = contentOf(file, before)
  const names = key.split('.')
  // Properties of Object.prototype are no settings, and changing them would change every object.
  if (names.some((name) => name in Object.prototype)) throw noSetting(key)
  const last = names.pop() as string
  let at = settings
  for (const name of names) {
    const inner = (at[name] ??= {})
    if (typeof inner !== 'object' || inner === null)
      throw new Fault('BAD_INPUT', { problem: `"${name}" has no parts.`, command: 'config' })
    at = inner as Record<string, unknown>
  }
  if (value === undefined) delete at[last]
  else at[last] = value
  const bytes = Buffer.from(`${JSON.stringify(settings, undefined, 2)}\n`)
  // Problems that the file had before may stay, so that they can be repaired one by one; the change must not add any.
  const known = new Set(parseLeniently(before).problems)
  const added = parseLeniently({ bytes }).problems.filter((problem) => !known.has(problem) || concerns(problem, key))
  if (added.length > 0) throw new Fault('CONFIG_BAD', { file, problem: added.join(' ') })
  return bytes
}

const concerns = (problem: string, key: string): boolean => problem.includes(`"${key}"`)

/** The settings in the file, valid or not. */
function contentOf(file: string, read: SettingBytes): Record<string, unknown> {
  if (read.bytes === undefined && read.problem === undefined) return {}
  const json = valueOf(read.bytes?.toString() ?? '')
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Record<string, unknown>
  throw new Fault('CONFIG_BAD', { file, problem: parseLeniently(read).problems.join(' ') })
}

function putAtHome(file: string, bytes: Buffer): void {
  makeDirs(dirname(file), 0o700)
  writeWhole(file, bytes)
}
