import { type Arg, textOf } from './options.ts'
import { isKnown } from './paths.ts'
import type { Run } from './run.ts'

/**
 * Text that a program may run as commands, but that is not parsed as such here: code of another language, or the input
 * of a shell. It is only searched for words: the name of our program, and one of its commands that removes history or
 * weakens protection.
 */

/** The text among a program's words and input that it may run; null means any text of the whole command. */
export function textRunBy(run: Run): string | null | undefined {
  const name = run.name.slice(run.name.lastIndexOf('/') + 1)
  if (!RUNS_WORDS.has(name) && !RUNS_TEXT.test(name)) return undefined
  const words = run.args.map(textOf)
  if (name === 'alias') return words.length > 0 ? null : undefined
  if (name === 'source' || name === '.') return words[0]?.startsWith('/dev/') ? null : undefined
  if (name === 'eval') return words.every(isKnown) ? undefined : null
  if (name === 'parallel' || name === 'sudo') return words.every((word) => word.startsWith('-')) ? null : undefined
  if (SHELLS.has(name)) return textOfShell(words, run.stdin)
  if (run.stdin === undefined && words.every((word) => word.startsWith('-'))) return null
  const text = [...words, run.stdin ?? ''].join(' ')
  return !CODE.test(name) || STARTS.test(text) ? text : undefined
}

/** The text after `-c` is parsed as a script, where it is known. */
function textOfShell(words: readonly string[], stdin: string | undefined): string | null | undefined {
  if (words.some((word) => /^-\w*c$/.test(word))) return words.every(isKnown) ? undefined : null
  const script = words.find((word) => !word.startsWith('-'))
  if (script?.startsWith('/dev/')) return null
  if (script !== undefined && !words.includes('-s')) return undefined
  return stdin ?? null
}

const SHELLS = new Set('sh bash dash zsh ksh ash fish'.split(' '))
const RUNS_WORDS = new Set([...SHELLS, ...'alias source . eval parallel sudo'.split(' ')])
const RUNS_TEXT =
  /^(python[\d.]*|pypy\d*|node|nodejs|deno|bun|tsx|perl|ruby|php|lua|osascript|tclsh|expect|[gmn]?awk|script|su|runuser|ssh|mosh|flock|tmux|screen|at|batch|crontab)$/

/** Languages whose code contains texts; those are commands only where the code starts a program or loads ours. */
const CODE = /^(python[\d.]*|pypy\d*|node|nodejs|deno|bun|tsx|perl|ruby|php|lua|[gmn]?awk)$/
const STARTS =
  /system|exec|spawn|popen|subprocess|fork|child_process|`|\bqx|%x|\bpty\b|getattr|eval|import_|argv|runpy|\||\$\(/i

/** Whether a program with an unknown name may be ours and do harm, judging by its other words. */
export function mayBeOwn(args: readonly Arg[]): 'yes' | 'ask the whole command' | 'no' {
  const words = args.map(textOf)
  const isNamed = words.some((word) => VERB.test(word))
  if (isNamed && words.includes('--yes')) return 'yes'
  return isNamed || words.length === 0 || !words.every(isKnown) ? 'ask the whole command' : 'no'
}

export const speaksOfHarm = (text: string): boolean => PROGRAM.test(text) && (VERBS.test(text) || SETS.test(text))

const HARMS = 'forget|prune|gc|unpin|trust|uninstall|git[-_]rescue|mirror'
const VERB = new RegExp(`^(${HARMS}|config)$`)
const VERBS = new RegExp(String.raw`(?<![\w.]|\w-|--)(${HARMS})(?![\w-])`)
const PROGRAM = /(?<![\w.-])(timewarp|tw|(main|client|daemon)\.cjs)(?![\w-]|\.\w)/
/** `config` with a key and a value. */
const SETS = /(?<![\w.-])config["',\s]+(--?\w[\w-]*["',\s]+)*[\w.-]+["',\s]+\w/
