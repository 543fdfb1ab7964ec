import { lookUp } from '../../base/look-up.ts'
import { textOf } from '../options.ts'
import type { Run } from '../run.ts'

const BINS =
  /^(\/bin|\/usr\/bin|\/usr\/local\/bin|\/sbin|\/usr\/sbin|\/opt\/homebrew\/bin|.*node_modules\/\.bin|.*\.?venv\/bin)\/([^/]+)$/

/** The name of a program without the path of a system folder; `python3.12` is Python. */
export function programName(name: string): string {
  const base = BINS.exec(name)?.[2] ?? name
  return /^(python|pip)3?\.\d+$/.test(base) ? base.replace(/3?\.\d+$/, '3') : base
}

const setOf = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Programs that run a script, or code among their words. */
const INTERPRETERS = setOf(
  'bash sh zsh dash ksh ash python python2 python3 py node nodejs perl ruby php awk gawk sed deno',
)

/** Programs that run scripts of a package: the words after a script's name are for the last command in it. */
const PACKAGES = setOf('yarn pnpm bun')

/** Letters that mean help or version in nearly every program, with the exceptions. */
const LETTERS: Readonly<Record<string, readonly string[]>> = {
  '-h': [],
  '-help': [],
  '-version': [],
  '-V': ['ctest'],
}

/**
 * Whether a program only prints its help or version. Among the words of a script `--version` may mean something else,
 * and with a value after it, it selects the version to install.
 */
export function asksForHelp({ name, args }: Run): boolean {
  const own = args.map(textOf)
  const end = own.indexOf('--')
  const words = end === -1 ? own : own.slice(0, end)
  if (words.length === 1 && lookUp(LETTERS, words[0] ?? '')?.includes(name) === false) return true
  const asks = words.findIndex(
    (word, at) => word === '--help' || (word === '--version' && /^(-|$)/.test(own[at + 1] ?? '')),
  )
  if (asks === -1) return false
  const before = words.slice(0, asks)
  const isBare = before.every((word) => word.startsWith('-'))
  if (PACKAGES.has(name)) return isBare
  if (!INTERPRETERS.has(name)) return true
  return !before.some((word) => /^-\w*[ceEpim]/.test(word)) && (isBare || words[asks] === '--help')
}
