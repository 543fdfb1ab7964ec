import { join } from 'node:path'
import { z } from 'zod'
import { Fault } from '../base/fault.ts'
import { translateError } from '../host/faults.ts'
import { errorCode, readFile, stat } from '../host/fs.ts'
import { type Config, type ConfigFile, configFileSchema, mergeConfig } from '../schema/config.ts'

/** The settings of a workspace: its file over the home's over the defaults. */
export function loadSettings(home: string, root: string | undefined): Config {
  return mergeConfig(settingFiles(home, root).map(readSettings))
}

export const settingFiles = (home: string, root: string | undefined): string[] => [
  join(home, 'config.json'),
  ...(root === undefined ? [] : [join(root, '.timewarp', 'config.json')]),
]

/** What the file says; nothing when there is none. A wrong key or value is named. */
export function readSettings(file: string): ConfigFile {
  const bytes = readSetting(file)
  return bytes === undefined ? {} : parseSettings(file, bytes.toString())
}

/** The bytes of a file of settings; undefined when there is none. */
export function readSetting(file: string): Buffer | undefined {
  try {
    // Most have none, and are asked often: to look for a file costs less than the error of one that is not there.
    return stat(file) && readFile(file)
  } catch (error) {
    if (errorCode(error) === 'EISDIR') throw new Fault('CONFIG_BAD', { file, problem: 'it is a folder' })
    throw translateError(error, file)
  }
}

export function parseSettings(file: string, text: string): ConfigFile {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new Fault('CONFIG_BAD', { file, problem: `it is not JSON (${(error as Error).message})` })
  }
  const parsed = configFileSchema().safeParse(json)
  if (parsed.success) return parsed.data
  throw new Fault('CONFIG_BAD', { file, problem: problemOf(parsed.error) })
}

function problemOf(error: z.ZodError): string {
  return error.issues
    .map((issue) => {
      const at = issue.path.join('.')
      if (issue.code === 'unrecognized_keys')
        return `unknown key ${issue.keys.map((key) => `"${[...issue.path, key].join('.')}"`).join(', ')}`
      return `"${at}": ${issue.message}`
    })
    .join('; ')
}
