import { lookUp } from '../../base/look-up.ts'
import type { Arg } from '../options.ts'
import type { Host } from '../run.ts'
import type { Scope } from '../scope.ts'

/** Variables that hold a command which other programs run. */
const COMMANDS = new Set(['GIT_EXTERNAL_DIFF', 'GIT_PAGER', 'PAGER', 'MANPAGER', 'GIT_SSH_COMMAND'])

/** Variables by which other code is loaded into a program, with the values that do. */
const LOADS: Readonly<Record<string, RegExp>> = {
  NODE_OPTIONS: /(^|\s)(-r|--require|--import|--loader|--experimental-loader)\b/,
  LD_PRELOAD: /./,
  DYLD_INSERT_LIBRARIES: /./,
  BASH_ENV: /./,
  PERL5OPT: /./,
  RUBYOPT: /-r/,
}

/** What a variable that is set for a program makes that program run. */
export function setFor(host: Host, name: string, values: Arg, scope: Scope): void {
  if (COMMANDS.has(name)) for (const value of values) host.text(value, scope)
  if (values.some((value) => lookUp(LOADS, name)?.test(value))) host.add({ do: 'anything', by: name })
}
