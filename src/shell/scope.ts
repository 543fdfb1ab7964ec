import type { CompoundCommand, CompoundList, Redirected } from 'unbash'
import type { Arg } from './options.ts'
import { ANY, ATOM } from './paths.ts'

/** What a function is made of. */
export type Body = CompoundCommand | Redirected | CompoundList

/** What a shell knows at one point of a command, as far as it can be told without running it. */
export interface Scope {
  /** The folders it may stand in; nearly always one. */
  cwd: readonly string[]
  /** The folders before the last `cd`. */
  before: readonly string[]
  /** The folders that `pushd` has put aside, the last one last; undefined: nobody knows. */
  stack: readonly (readonly string[])[] | undefined
  /** What variables may hold. */
  readonly vars: Map<string, readonly string[]>
  /** What a function may be; several where it was defined again in a part that may not have run. */
  readonly functions: Map<string, readonly Body[]>
  /** The arguments of the function that runs; undefined outside of one. */
  args: readonly Arg[] | undefined
  /** `set -e`: whatever fails ends it. */
  strict: boolean
  /** The paths that come in on standard input, one per line, where that is known. */
  names: readonly string[] | undefined
  readonly home: string | undefined
}

export const subshell = (scope: Scope): Scope => ({
  ...scope,
  vars: new Map(scope.vars),
  functions: new Map(scope.functions),
})

const MOST = 64

/** Both may be so. */
export function union(a: readonly string[], b: readonly string[]): readonly string[] {
  const both = [...new Set([...a, ...b])]
  return both.length > MOST ? [ANY] : both
}

/** What holds after a part that may or may not have run. */
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

/** What was set since may not have been. */
export function doubt(scope: Scope, before: Scope['vars']): void {
  for (const [name, values] of scope.vars)
    if (before.get(name) !== values) scope.vars.set(name, union(before.get(name) ?? [ANY], values))
}

const WORDS = new Set(
  '$ ? # ! - 0 RANDOM SECONDS UID EUID PPID LINENO HOSTNAME USER LOGNAME SHLVL BASHPID EPOCHSECONDS'.split(' '),
)

/** What a variable may hold. */
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
