import { textOf } from './judge-options.ts'
import type { Run } from './judge-run.ts'

const BINS =
  /^(\/bin|\/usr\/bin|\/usr\/local\/bin|\/sbin|\/usr\/sbin|\/opt\/homebrew\/bin|.*node_modules\/\.bin|.*\.?venv\/bin)\/([^/]+)$/

/** A program of the system goes by its own name; `python3.12` is Python. */
export function programName(name: string): string {
  const base = BINS.exec(name)?.[2] ?? name
  return /^(python|pip)3?\.\d+$/.test(base) ? base.replace(/3?\.\d+$/, '3') : base
}

const INTERPRETERS = new Set(['bash', 'sh', 'zsh', 'dash', 'ksh', 'python', 'python3', 'node', 'perl', 'awk', 'sed'])

/** `--help` and `--version` are all that a program then does; behind a script of its own they are the script's. */
export function asksForHelp({ name, args }: Run): boolean {
  const own = args.map(textOf)
  const end = own.indexOf('--')
  const words = end === -1 ? own : own.slice(0, end)
  if (words.length === 1 && /^(-h|-V|-version|-help)$/.test(words[0] ?? '')) return true
  const asks = words.findIndex((word) => word === '--help' || word === '--version')
  if (asks === -1) return false
  return asks === 0 || !INTERPRETERS.has(name) || !words.slice(0, asks).some((word) => /^-\w*[ceEpim]/.test(word))
}
