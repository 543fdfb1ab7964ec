import type { Arg } from '../options.ts'

const MOST = 64

/**
 * The possible commands when words have several values, so that each is interpreted separately: `git $c` is `git
 * status` or `git pull`. If they are too many, only words that may be options or sub-commands are distinguished;
 * undefined when even these are too many.
 */
export function alternatives(argv: readonly Arg[]): readonly (readonly Arg[])[] | undefined {
  if (argv.every((arg) => arg.length === 1)) return [argv]
  return product(argv, () => true) ?? product(argv, (arg, at) => at < 3 || arg.some((text) => text.startsWith('-')))
}

function product(
  argv: readonly Arg[],
  isSplit: (arg: Arg, at: number) => boolean,
): readonly (readonly Arg[])[] | undefined {
  let found: readonly (readonly Arg[])[] = [[]]
  for (const [at, arg] of argv.entries()) {
    const values: readonly Arg[] = isSplit(arg, at) ? arg.map((text) => [text]) : [arg]
    if (found.length * values.length > MOST) return undefined
    // An unquoted variable that may be empty produces no word then.
    const isMissing = (value: Arg): boolean => arg.length > 1 && value.length === 1 && value[0] === ''
    found = found.flatMap((before) => values.map((value) => (isMissing(value) ? before : [...before, value])))
  }
  return found
}
