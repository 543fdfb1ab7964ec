import { type Arg, textOf } from './judge-options.ts'
import type { Run } from './judge-run.ts'

/**
 * Commands of Timewarp itself that remove history or weaken its protection. A person may run them; for an agent they
 * are what deleting the store would be.
 */
export function isOwnHarm(run: Run): boolean {
  const args = ownArgs(run)
  return args !== undefined && harms(args)
}

/** The words behind the name of our program, however it is started; undefined for another program. */
function ownArgs({ name, args }: Run): readonly string[] | undefined {
  if (OWN_NAMES.has(name) || OWN_FILES.test(name)) return wordsOf(args)
  if (!STARTERS.has(name)) return undefined
  const words = wordsOf(args)
  const at = words.findIndex((word) => !word.startsWith('-'))
  return OWN_FILES.test(words[at] ?? '') ? words.slice(at + 1) : undefined
}

const wordsOf = (args: readonly Arg[]): string[] => args.map((arg) => textOf(arg))

const OWN_NAMES = new Set(['timewarp', 'tw'])
const STARTERS = new Set(['node', 'bun', 'deno', 'sh', 'bash', 'dash', 'zsh'])
const OWN_FILES = /(^|\/)(\.?bin\/(timewarp|tw)|dist\/(client|main)\.cjs|src\/bin\/main\.ts)$/

/** Flags of every command that take a value. */
const TAKES: readonly string[] = ['-C', '--home']

const isOperand = (word: string): boolean => word === '-' || !word.startsWith('-')

function verbIn(words: readonly string[]): [at: number, verb: string] {
  const at = words.findIndex((word, i) => isOperand(word) && !TAKES.includes(words[i - 1] ?? ''))
  return [at, words[at] ?? '']
}

function harms(words: readonly string[]): boolean {
  const [at, verb] = verbIn(words)
  // Of `config`, --home is a flag of its own, without a value.
  const takes = verb === 'config' ? ['-C'] : TAKES
  const rest = words.filter((word, i) => i > at && isOperand(word) && !takes.includes(words[i - 1] ?? ''))
  const has = (...flags: readonly string[]): boolean => flags.some((flag) => words.includes(flag))
  if (verb === 'call') return harmsByCall(rest[0] ?? '', rest.slice(1).join(' '))
  return HARMS[verb.replaceAll('_', '-')]?.({ rest, has }) ?? false
}

interface OwnWords {
  readonly rest: readonly string[]
  readonly has: (...flags: readonly string[]) => boolean
}

const unlessDry = ({ has }: OwnWords): boolean => !has('--dry-run')

/** What each command has to be given to do harm. */
const HARMS: Readonly<Record<string, (words: OwnWords) => boolean>> = {
  forget: unlessDry,
  prune: unlessDry,
  gc: unlessDry,
  unpin: () => true,
  trust: ({ has }) => !has('--dry-run', '--revoke'),
  uninstall: ({ has }) => has('--store') && !has('--dry-run'),
  'git-rescue': ({ has }) => has('--forget', '--forget-all') && !has('--dry-run'),
  config: ({ rest, has }) => rest.length > 1 || has('--unset'),
}

/** The same with JSON for words. What is read from standard input is not known, and counts as everything. */
function harmsByCall(tool: string, json: string): boolean {
  const says = (field: string): boolean => json.trim() === '-' || json.includes(`"${field}"`)
  const flags = [...(says('store') ? ['--store'] : []), ...(says('forget_all') ? ['--forget-all'] : [])]
  if (says('unset')) flags.push('--unset')
  if (/"(dry_run|dryRun)"\s*:\s*true/.test(json)) flags.push('--dry-run')
  if (/"revoke"\s*:\s*true/.test(json)) flags.push('--revoke')
  return harms([tool, ...(says('value') ? ['key', 'value'] : []), ...flags])
}

/** Code that is given to an interpreter and speaks of the store and of removing or changing something. */
export function isCodeAgainst(command: string, by: string, places: readonly string[]): boolean {
  if (!INTERPRETERS.test(by) || !CHANGES.test(command)) return false
  return places.some((place) => command.includes(place))
}

const INTERPRETERS = /^(python[\d.]*|pypy\d*|node|deno|bun|perl|ruby|php|lua|osascript|tclsh)\b/
const CHANGES =
  /rmtree|unlink|rmdir|remove|rename|\brm\b|rmSync|truncate|chmod|chown|move|write|delete|system|exec|['"]w[b+]?['"]/
