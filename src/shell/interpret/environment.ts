import { lookUp } from '../../base/look-up.ts'
import type { Arg } from '../options.ts'
import type { Host } from '../run.ts'
import type { Scope } from '../scope.ts'

/** Variables with a command that other programs run. */
const COMMANDS = new Set(['GIT_EXTERNAL_DIFF', 'GIT_PAGER', 'PAGER', 'MANPAGER', 'GIT_SSH_COMMAND'])

/** Variables that load other code into a program, with the values that do so. */
const LOADS: Readonly<Record<string, RegExp>> = {
  NODE_OPTIONS: /(^|\s)(-r|--require|--import|--loader|--experimental-loader)\b/,
  LD_PRELOAD: /./,
  DYLD_INSERT_LIBRARIES: /./,
  BASH_ENV: /./,
  PERL5OPT: /./,
  RUBYOPT: /-r/,
}

/** Applies what a variable makes a program run. */
export function setFor(host: Host, name: string, values: Arg, scope: Scope): void {
  if (COMMANDS.has(name)) for (const value of values) host.text(value, scope)
  if (values.some((value) => lookUp(LOADS, name)?.test(value))) host.add({ do: 'anything', by: name })
}
