import { lookUp } from '../base/look-up.ts'
import { type Arg, textOf } from './options.ts'
import { callOf, fieldsOf, type OwnToolCall } from './own-call.ts'
import { isKnown } from './paths.ts'
import type { Run } from './run.ts'

/**
 * What a command of Timewarp itself does. `history`: it removes history or weakens protection; a person may run it, but
 * for an agent it counts as deleting the store. `store`: it changes the store or stops the daemon, and removes nothing.
 * `unknown`: its words do not show which command it is.
 */
export function ownDeed(run: Run): 'history' | 'store' | 'unknown' | undefined {
  const words = ownArgs(run)
  if (words === undefined || isSure(words, '--help', '-h', '--version')) return undefined
  const [at, verb] = verbIn(words)
  if (!isKnown(verb)) return words.some((word) => word === '--yes' || isHarmVerb(word)) ? 'history' : 'unknown'
  const rest = words.slice(at + 1)
  if (verb === 'call') return byCall(callOf(rest))
  if (verb === 'mcp') return 'unknown'
  return byWords(nameOf(verb), rest)
}

/** The words after the name of our program, however it is started; undefined for another program. */
function ownArgs({ name, args }: Run): readonly string[] | undefined {
  if (isOwnFile(name)) return wordsOf(args)
  if (!STARTERS.has(baseOf(name))) return undefined
  const words = wordsOf(args)
  const at = words.findIndex(isOwnFile)
  return at === -1 ? undefined : words.slice(at + 1)
}

const wordsOf = (args: readonly Arg[]): string[] => args.map((arg) => textOf(arg))

const STARTERS = new Set('node nodejs bun deno tsx ts-node electron sh bash dash zsh ksh ash fish'.split(' '))
const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

const OWN_FILES = /^(timewarp|tw|timewarp-hook|(main|client|daemon)\.cjs)$/

const isOwnFile = (path: string): boolean =>
  OWN_FILES.test(baseOf(path)) || /(^|\/)src\/bin\/(main|client|daemon)\.ts$/.test(path)

/** Flags that take the next word as their value. */
const TAKES: readonly string[] = ['-C', '--home', '--session-id', '--confirm']

/** Flags without a value, of every command that can do harm. After any other flag, a word may be its value. */
const SWITCHES = new Set(
  `--yes --dry-run --json --no-daemon --everything --gc --no-gc --merge-only --revoke --store --restore-refs
   --forget-all --unset --schema --back --verify --help -h --version`.split(/\s+/),
)

const isOperand = (word: string): boolean => word === '-' || !word.startsWith('-')

function verbIn(words: readonly string[]): [at: number, verb: string] {
  const at = words.findIndex((word, i) => isOperand(word) && !['-C', '--home'].includes(words[i - 1] ?? ''))
  return [at, words[at] ?? '']
}

const nameOf = (verb: string): string => verb.replaceAll('_', '-')

/** The later of two flags wins, so after a flag that reverts another, neither counts as certain. */
const TAKES_BACK = /^--(no-)?(dry-run|revoke|help|version)=|^--no-(dry-run|revoke|help|version)$|^-h./

/** Whether a flag that makes a command harmless is really a flag, and not the value of the flag before it. */
function isSure(words: readonly string[], ...flags: readonly string[]): boolean {
  const end = words.indexOf('--')
  const open = end === -1 ? words : words.slice(0, end)
  if (open.some((word) => TAKES_BACK.test(word))) return false
  return open.some((word, i) => flags.includes(word) && !mayTake(open[i - 1] ?? ''))
}

const mayTake = (word: string): boolean => !isKnown(word) || (/^(-\w|--[^=]+)$/.test(word) && !SWITCHES.has(word))

/** The input of a command, from words or from JSON. */
interface Given {
  /** The number of operands; for `config`, key and value. */
  readonly operands: number
  /** Whether one of these flags may be given; for flags that make a command harmful. */
  readonly may: (...flags: readonly string[]) => boolean
  /** Whether one of these flags is certainly given; for flags that make it harmless. */
  readonly sure: (...flags: readonly string[]) => boolean
}

function byWords(verb: string, words: readonly string[]): 'history' | 'store' | undefined {
  // For `config`, --home is its own flag, without a value.
  const takes = verb === 'config' ? TAKES.filter((flag) => flag !== '--home') : TAKES
  const operands = words.filter((word, i) => isOperand(word) && !takes.includes(words[i - 1] ?? ''))
  const may = (...flags: readonly string[]): boolean =>
    words.some((word) => flags.includes(word.split('=', 1)[0] ?? ''))
  const given: Given = { operands: operands.length, may, sure: (...flags) => isSure(words, ...flags) }
  if (lookUp(HARMS, verb)?.(given)) return 'history'
  const isChange = (verb === 'daemon' && !isLooking(operands[0])) || (verb === 'fsck' && may('--repair', '--rebuild'))
  return isChange ? 'store' : undefined
}

const isLooking = (action = 'status'): boolean => action === 'status' || action === 'logs'

const unlessDry = ({ sure }: Given): boolean => !sure('--dry-run')

/** The input that makes each command harmful. */
const HARMS: Readonly<Record<string, (given: Given) => boolean>> = {
  forget: unlessDry,
  prune: unlessDry,
  gc: unlessDry,
  unpin: () => true,
  trust: ({ sure }) => !sure('--dry-run', '--revoke'),
  uninstall: ({ may, sure }) => may('--store') && !sure('--dry-run'),
  'git-rescue': ({ may, sure }) => may('--forget', '--forget-all') && !sure('--dry-run'),
  config: ({ operands, may }) => operands > 1 || may('--unset', '--value'),
  mirror: ({ may }) => may('--back'),
}

const isHarmVerb = (word: string): boolean => lookUp(HARMS, nameOf(word)) !== undefined

/** The same for JSON input. Unknown input, such as standard input, counts as if it contained everything. */
function byCall({ tool, json }: OwnToolCall): 'history' | 'store' | 'unknown' | undefined {
  if (!isKnown(tool)) return /"yes"|\\u/.test(json) ? 'history' : 'unknown'
  const fields = fieldsOf(json)
  const flagged = (flag: string): readonly unknown[] | undefined => fields?.get(flag.slice(2).replaceAll('-', '_'))
  const may: Given['may'] = (...flags) => fields === undefined || flags.some((flag) => flagged(flag) !== undefined)
  const sure: Given['sure'] = (...flags) => flags.some((flag) => flagged(flag)?.every((value) => value === true))
  if (lookUp(HARMS, nameOf(tool))?.({ operands: 0, may, sure })) return 'history'
  return tool === 'fsck' && may('--repair', '--rebuild') ? 'store' : undefined
}

/** Whether code for an interpreter mentions the store together with removing or changing something. */
export function isCodeAgainst(command: string, by: string, places: readonly string[]): boolean {
  if (!INTERPRETERS.test(by) || !CHANGES.test(command)) return false
  return places.some((place) => command.includes(place))
}

const INTERPRETERS = /^(python[\d.]*|pypy\d*|node|deno|bun|perl|ruby|php|lua|osascript|tclsh)\b/
const CHANGES =
  /rmtree|unlink|rmdir|remove|rename|\brm\b|rmSync|truncate|chmod|chown|move|write|delete|system|exec|['"]w[b+]?['"]/
