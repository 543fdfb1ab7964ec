import { type Arg, hasAny, readOptions, takesOf, textOf } from '../options.ts'
import { ANY, DEEP } from '../paths.ts'
import { findRoots } from '../programs/each.ts'
import type { Scope } from '../scope.ts'

/** Programs that print lines of their input. */
const PASSING = new Set('sort uniq head tail tac cat tee shuf'.split(' '))

/** Makes `find` print something other than paths. */
const PRINTS_OTHER = /^-(printf|ls|exec|execdir|ok|okdir)$/

/** The paths that a command prints, one per line; undefined when unknown. */
export function namesFrom(
  [first, ...args]: readonly Arg[],
  scope: Scope,
  given: readonly string[] | undefined,
): readonly string[] | undefined {
  const name = textOf(first)
  if (name === 'find') return args.some((arg) => PRINTS_OTHER.test(textOf(arg))) ? undefined : below(findRoots(args))
  if (name === 'grep' || name === 'rg' || name === 'egrep') {
    const options = readOptions(args, takesOf('e f g t A B C m --include --exclude --exclude-dir --glob --type'))
    const rest = hasAny(options, '-e -f') ? options.operands : options.operands.slice(1)
    if (rest.length === 0 && given !== undefined && !hasAny(options, '-r -R -l --recursive')) return given
    if (hasAny(options, '-l -L --files-with-matches --files'))
      return below(rest.length > 0 ? rest : scope.cwd.map((at) => [at]))
    return undefined
  }
  if (
    name === 'ls' &&
    args.every((arg) => !textOf(arg).startsWith('-')) &&
    args.some((arg) => textOf(arg).includes('\uE000'))
  )
    return args.flat()
  if (PASSING.has(name) && given !== undefined) return given
  return undefined
}

const below = (roots: readonly Arg[]): string[] =>
  roots.flatMap((root) => root.map((path) => (path === ANY ? ANY : `${path}/${DEEP}`)))
