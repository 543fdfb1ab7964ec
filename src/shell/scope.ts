import type { CompoundCommand, CompoundList, Redirected } from 'unbash'
import type { Arg } from './options.ts'
import { ANY, ATOM } from './paths.ts'

/** The body of a function. */
export type Body = CompoundCommand | Redirected | CompoundList

/** The state of a shell at one point of a command, as far as it is known without running it. */
export interface Scope {
  /** The possible working directories; nearly always one. */
  cwd: readonly string[]
  /** The working directories before the last `cd`. */
  before: readonly string[]
  /** The stack of `pushd`, the top last; undefined when unknown. */
  stack: readonly (readonly string[])[] | undefined
  /** The possible values of variables. */
  readonly vars: Map<string, readonly string[]>
  /** The possible bodies of a function; several where a part that may not have run defines it again. */
  readonly functions: Map<string, readonly Body[]>
  /** The arguments of the running function; undefined outside of one. */
  args: readonly Arg[] | undefined
  /** `set -e`: any failure ends the script. */
  strict: boolean
  /** The paths on standard input, one per line, where they are known. */
  names: readonly string[] | undefined
  readonly home: string | undefined
}

export const subshell = (scope: Scope): Scope => ({
  ...scope,
  vars: new Map(scope.vars),
  functions: new Map(scope.functions),
})

const MOST = 64

/** The possible values of both. */
export function union(a: readonly string[], b: readonly string[]): readonly string[] {
  const both = [...new Set([...a, ...b])]
  return both.length > MOST ? [ANY] : both
}

/** The state after a part that may or may not have run. */
export function merge(scope: Scope, maybe: Scope): void {
  scope.cwd = union(scope.cwd, maybe.cwd)
  scope.before = union(scope.before, maybe.before)
  if (!isSameStack(scope.stack, maybe.stack)) scope.stack = undefined
  scope.strict &&= maybe.strict
  for (const [name, values] of maybe.vars)
    scope.vars.set(name, scope.vars.get(name) === values ? values : union(scope.vars.get(name) ?? [ANY], values))
  for (const [name, bodies] of maybe.functions)
    scope.functions.set(name, [...new Set([...(scope.functions.get(name) ?? []), ...bodies])])
}

const isSameStack = (a: Scope['stack'], b: Scope['stack']): boolean =>
  a === b || (a !== undefined && b !== undefined && a.length === b.length && a.every((one, at) => one === b[at]))

/** Assignments since `before` may not have happened. */
export function doubt(scope: Scope, before: Scope['vars']): void {
  for (const [name, values] of scope.vars)
    if (before.get(name) !== values) scope.vars.set(name, union(before.get(name) ?? [ANY], values))
}

const WORDS = new Set(
  '$ ? # ! - 0 RANDOM SECONDS UID EUID PPID LINENO HOSTNAME USER LOGNAME SHLVL BASHPID EPOCHSECONDS'.split(' '),
)

/** The possible values of a variable. */
export function valueOf(name: string, scope: Scope): readonly string[] {
  const known = scope.vars.get(name)
  if (known) return known
  if (name === 'PWD') return scope.cwd
  if (name === 'OLDPWD') return scope.before
  if (name === 'HOME') return [scope.home ?? ANY]
  if (name === 'TMPDIR') return ['/tmp']
  if (/^\d+$/.test(name) && name !== '0') return scope.args?.[Number(name) - 1] ?? [scope.args ? '' : ANY]
  return [WORDS.has(name) ? ATOM : ANY]
}
