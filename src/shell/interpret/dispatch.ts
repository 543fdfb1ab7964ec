import { lookUp } from '../../base/look-up.ts'
import { type Arg, readOptions, takesOf, textOf, valuesOf } from '../options.ts'
import { ownDeed } from '../own.ts'
import { mayBeOwn, textRunBy } from '../own-text.ts'
import { absolute } from '../paths.ts'
import { BUILTINS } from '../programs/builtins.ts'
import { SPECIAL } from '../programs/special.ts'
import type { Host, Run } from '../run.ts'
import { PROGRAMS, WRAPPERS } from '../tables/programs.ts'
import { TOOLS } from '../tables/tools.ts'
import { asksForHelp } from './help.ts'

/** Finds the rules of a program and applies them. An unknown program may do anything. */
export function runProgram(run: Run): void {
  const text = textRunBy(run)
  if (text !== undefined) run.host.runsText(text)
  const builtin = BUILTINS.get(run.name)
  if (builtin) return builtin(run)
  if (WRAPPERS.has(run.name)) return wrapped(run)
  // `--help` may be the value of a flag, which only the rules for our own program know.
  const deed = ownDeed(run)
  if (deed === 'unknown') run.host.runsText(null)
  else if (deed) run.host.add({ do: deed, by: run.name })
  if (asksForHelp(run)) return
  const special = SPECIAL.get(run.name)
  if (special) return special(run)
  const row = TOOLS.get(run.name) ?? PROGRAMS.get(run.name)
  if (row) return inFolder(run, (inner) => inner.row(row))
  run.anything()
}

/** A program whose name is known only at run time may do anything, and may be ours. */
export function runUnknown(host: Host, args: readonly Arg[]): void {
  const by = 'a program whose name is not known'
  const isOwn = mayBeOwn(args)
  if (isOwn === 'yes') host.add({ do: 'history', by })
  if (isOwn === 'ask the whole command') host.runsText(null)
  host.add({ do: 'anything', by })
}

/**
 * Handles tools that change to a folder first (`make -C sub`, `npm --prefix sub`), and those that run a program of the
 * workspace.
 */
function inFolder(run: Run, step: (run: Run) => void): void {
  const runner = lookUp(RUNNERS, run.name)
  const at = runner === undefined ? -1 : run.args.findIndex((arg) => runner.includes(textOf(arg)))
  if (at !== -1 && run.args.slice(0, at).every((arg) => textOf(arg).startsWith('-')))
    return run.host.words(wrappedBehind(run.args.slice(at + 1)), run.scope)
  const folder = lookUp(FOLDER, run.name)
  const options = folder && readOptions(run.args, takesOf(folder))
  const target = options && folder && valuesOf(options, folder)[0]
  if (!target) return step(run)
  step(
    run.in(
      target.flatMap((path) => run.scope.cwd.map((from) => absolute(path, from))),
      run.name,
      run.args,
    ),
  )
}

function wrapped(run: Run): void {
  const {
    takes,
    out,
    skip = 0,
    assigns,
  } = WRAPPERS.get(run.name) as { takes: string; out?: string; skip?: number; assigns?: true }
  const options = run.options(takes, { stopsEarly: true })
  if (out) run.deed('all', valuesOf(options, out))
  const rest = options.operands.slice(skip)
  const from = assigns ? rest.findIndex((arg) => !/^\w+=/.test(textOf(arg))) : 0
  if (from !== -1 && rest.length > 0) run.host.words(versionless(run.name, rest.slice(from)), run.scope, run.stdin)
}

/** `npx tool@1.2 x` runs `tool`. */
const versionless = (wrapper: string, [first, ...rest]: readonly Arg[]): readonly Arg[] =>
  /^(npx|bunx|pnpx)$/.test(wrapper) ? [[textOf(first).replace(/(?<=.)@[^/]*$/, '')], ...rest] : [first ?? [''], ...rest]

const wrappedBehind = (args: readonly Arg[]): readonly Arg[] => {
  const from = args.findIndex((arg) => !textOf(arg).startsWith('-'))
  return from === -1 ? [] : versionless('npx', args.slice(from))
}

const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  npm: ['exec', 'x'],
  pnpm: ['exec', 'dlx'],
  yarn: ['exec', 'dlx'],
  bun: ['x'],
  bundle: ['exec'],
  poetry: ['run'],
  pipx: ['run'],
}

/** Options that set a tool's working directory. */
const FOLDER: Readonly<Record<string, string>> = {
  make: '-C --directory',
  gmake: '-C --directory',
  npm: '-C --prefix',
  pnpm: '-C --dir',
  yarn: '--cwd',
  ninja: '-C',
  go: '-C',
}
