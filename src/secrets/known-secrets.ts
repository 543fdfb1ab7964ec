import { join } from 'node:path'
import { lstat, readFile, readNames } from '../host/files/fs.ts'
import { strengthOf } from './rules/names.ts'
import { isPlain, isRandom } from './rules/values.ts'

/** Such files are few and small; a larger one is something else. */
const MOST_BYTES = 256 * 1024
const MOST_FILES = 50
const MOST_FOLDERS = 300
const NOT_LOOKED_INTO = new Set([
  'node_modules',
  '.git',
  '.timewarp',
  'dist',
  'build',
  'target',
  '.venv',
  'venv',
  'vendor',
])
const ENV = /^\.env(?:rc)?(?:\..+)?$|\.env$/i
const SAMPLE = /example|sample|template|dist$/i

/**
 * The secret values in the `.env` files of a workspace, in its top folder and the two levels below; pass them to
 * `redact` as `known`. Ignores a file that cannot be read.
 */
export function knownSecrets(root: string): string[] {
  const values = new Set<string>()
  for (const file of envFiles(root)) for (const value of secretsIn(contentOf(file))) values.add(value)
  return [...values]
}

function envFiles(root: string): string[] {
  const files: string[] = []
  let folders = [root]
  for (let depth = 0, seen = 0; depth < 3; depth++) {
    const below: string[] = []
    for (const folder of folders) {
      if (++seen > MOST_FOLDERS || files.length >= MOST_FILES) return files
      for (const name of namesIn(folder)) {
        const path = join(folder, name)
        if (ENV.test(name) && !SAMPLE.test(name)) files.push(path)
        else if (depth < 2 && !name.startsWith('.') && !NOT_LOOKED_INTO.has(name) && isFolder(path)) below.push(path)
      }
    }
    folders = below
  }
  return files
}

const isFolder = (path: string): boolean => quietly(() => lstat(path)?.isDirectory() ?? false, false)
const namesIn = (folder: string): string[] => quietly(() => readNames(folder), [])

const contentOf = (file: string): string =>
  quietly(() => {
    const stat = lstat(file)
    return stat?.isFile() && stat.size <= MOST_BYTES ? (readFile(file)?.toString() ?? '') : ''
  }, '')

/** A file or folder that cannot be read contributes nothing. */
function quietly<T>(look: () => T, otherwise: T): T {
  try {
    return look()
  } catch {
    return otherwise
  }
}

const LINE =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*[=:][ \t]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|`([^`]*)`|([^\r\n]*))/gm

/** The secrets in the text of an `.env` file. */
export function secretsIn(text: string): string[] {
  return [...text.matchAll(LINE)].flatMap(([, name = '', double, single, back, bare]) => {
    const value = double ?? single ?? back ?? withoutRemark(bare ?? '')
    return partsOf(name, value.trim())
  })
}

const withoutRemark = (value: string): string => value.replace(/[ \t]+#.*$/, () => '').trim()

/** Values that name or locate something are not secret by themselves. */
const TELLING =
  /(?:^|_)(?:REGION|HOST|HOSTNAME|NAME|ENV|MODE|LEVEL|PORT|ZONE|VERSION|LOCALE|LANG|TZ|TIMEZONE|DIR|PATH|FILE|USER|USERNAME|EMAIL|FROM|TO|IMAGE|TAG|MODEL|BRANCH|BUCKET|ORIGINS?|DOMAIN|URL|URI|ENDPOINT|FORMAT|DATE)$/i

function partsOf(name: string, value: string): string[] {
  const password = /^[a-z][\w+.-]*:\/\/[^\s/@]*:([^\s/]+)@/i.exec(value)?.[1]
  if (password !== undefined) return password.length >= 6 && !isPlain(password) ? [value, password] : [value]
  if (value.includes('\n')) return value.split('\n').filter((line) => line.length >= 16 && !line.startsWith('-----'))
  return isWorthHiding(name, value) ? [value] : []
}

function isWorthHiding(name: string, value: string): boolean {
  if (value.length < 6 || isPlain(value) || /^[\d.,:-]+$/.test(value) || /\$\{?\w+/.test(value)) return false
  const strength = strengthOf(name)
  if (strength === 'sure' || strength === 'likely') return true
  if (isRandom(value)) return true
  if (
    value.length < 8 ||
    TELLING.test(name) ||
    /^(?:https?:\/\/|\.{0,2}\/|~\/|[\w.-]+@[\w.-]+$|[\w-]+(?:\.[\w-]+)+(?::\d+)?$)/.test(value)
  )
    return false
  return /\d/.test(value) && /[A-Za-z]/.test(value) && !/\s/.test(value)
}
