import { textOf } from './judge-options.ts'
import type { Run } from './judge-run.ts'

const BINS =
  /^(\/bin|\/usr\/bin|\/usr\/local\/bin|\/sbin|\/usr\/sbin|\/opt\/homebrew\/bin|.*node_modules\/\.bin|.*\.?venv\/bin)\/([^/]+)$/

/** A program of the system goes by its own name; `python3.12` is Python. */
export function programName(name: string): string {
  const base = BINS.exec(name)?.[2] ?? name
  return /^(python|pip)3?\.\d+$/.test(base) ? base.replace(/3?\.\d+$/, '3') : base
}

/** Programs that run a script: what stands behind its name is for the script. */
const RUN_SCRIPTS = new Set(
  'bash sh zsh dash ksh ash python python2 python3 py node nodejs perl ruby php awk sed yarn pnpm bun deno'.split(' '),
)

/** Letters that ask for help or a version with nearly every program, with the programs where they do not. */
const LETTERS: Readonly<Record<string, readonly string[]>> = {
  '-h': [],
  '-help': [],
  '-version': [],
  '-V': ['ctest'],
}

/**
 * `--help` and `--version` are all that a program then does. Behind a script they are the script's; and with a value
 * behind it, `--version` says which one to install.
 */
export function asksForHelp({ name, args }: Run): boolean {
  const own = args.map(textOf)
  const end = own.indexOf('--')
  const words = end === -1 ? own : own.slice(0, end)
  if (words.length === 1 && LETTERS[words[0] ?? '']?.includes(name) === false) return true
  const asks = words.findIndex(
    (word, at) => word === '--help' || (word === '--version' && /^(-|$)/.test(own[at + 1] ?? '')),
  )
  if (asks === -1) return false
  const isOwn = (word: string): boolean => word.startsWith('-') && !/^-\w*[ceEpim]/.test(word)
  return !RUN_SCRIPTS.has(name) || words.slice(0, asks).every(isOwn)
}
