import { type Arg, hasAny, textOf, valuesOf } from '../options.ts'
import { ANY, absolute, isKnown } from '../paths.ts'
import type { Run } from '../run.ts'

/** The shell's builtins: they change the working directory, set variables, and run commands. */

/** Changes the working directory. The walker decides whether that may fail; see interpret/walk.ts. */
function go(run: Run, target: Arg): void {
  const { scope } = run
  const next = target.flatMap((path) => (path === '-' ? scope.before : scope.cwd.map((from) => absolute(path, from))))
  scope.before = scope.cwd
  scope.cwd = [...new Set(next)]
}

const cd = (run: Run): void => {
  const { operands } = run.options('')
  go(run, textOf(run.args[0]) === '-' ? ['-'] : (operands[0] ?? [run.scope.home ?? ANY]))
}

/** Pushes the working directory on the stack; without an operand it swaps the two topmost. */
const pushd = (run: Run): void => {
  const { scope } = run
  const [target] = run.options('').operands
  const from = scope.cwd
  if (target) go(run, target)
  else popd(run)
  if (scope.stack) scope.stack = [...scope.stack, from]
}

/** Returns to the folder on top of the stack; stays when the stack is empty. */
const popd = ({ scope }: Run): void => {
  const back = scope.stack === undefined ? [ANY] : scope.stack.at(-1)
  if (back === undefined) return
  scope.before = scope.cwd
  scope.cwd = back
  scope.stack = scope.stack?.slice(0, -1)
}

const assigns = (run: Run): void => {
  for (const arg of run.args) {
    const found = /^(\w+)=([^]*)$/.exec(textOf(arg))
    if (found) run.scope.vars.set(found[1] as string, [found[2] as string])
  }
}

const reads = (run: Run): void => {
  const { operands } = run.options('p d n N t u i a')
  for (const name of operands) run.scope.vars.set(textOf(name), run.scope.names ?? [ANY])
}

const env = (run: Run): void => {
  const options = run.options('u C S --unset --chdir --split-string', { stopsEarly: true })
  const [text] = valuesOf(options, '-S --split-string')
  if (text) return run.host.text([text, ...options.operands].map(textOf).join(' '), run.scope)
  const at = options.operands.findIndex((arg) => !/^\w+=/.test(textOf(arg)))
  const [folder] = valuesOf(options, '-C --chdir')
  const cwd = folder ? folder.flatMap((path) => run.scope.cwd.map((from) => absolute(path, from))) : run.scope.cwd
  if (at !== -1) run.host.words(options.operands.slice(at), folder ? { ...run.scope, cwd } : run.scope, run.stdin)
}

const evaluates = (run: Run): void => {
  const text = run.args.map(textOf).join(' ')
  if (isKnown(text) && run.args.every((arg) => arg.length === 1)) run.host.text(text, run.scope)
  else if (text !== '') run.anything()
}

const command = (run: Run): void => {
  const options = run.options('', { stopsEarly: true })
  if (!hasAny(options, '-v -V')) run.host.words(options.operands, run.scope, run.stdin)
}

/** `set -e` and `set +e`, and their long names. */
const sets = (run: Run): void => {
  for (const [at, arg] of run.args.entries()) {
    const text = textOf(arg)
    const [sign] =
      /^[-+](?=\w*e)/.exec(text) ?? (text === 'errexit' ? /^[-+](?=o$)/.exec(textOf(run.args[at - 1])) : null) ?? []
    if (sign) run.scope.strict = sign === '-'
  }
}

const trap = (run: Run): void => {
  if (run.args.length > 1 && textOf(run.args[0]) !== '-') run.host.later(textOf(run.args[0]), run.scope)
}

export const BUILTINS: ReadonlyMap<string, (run: Run) => void> = new Map<string, (run: Run) => void>([
  ['cd', cd],
  ['chdir', cd],
  ['pushd', pushd],
  ['popd', popd],
  ['export', assigns],
  ['declare', assigns],
  ['typeset', assigns],
  ['readonly', assigns],
  ['local', assigns],
  ['read', reads],
  ['mapfile', (run) => run.args.forEach((arg) => run.scope.vars.set(textOf(arg), run.scope.names ?? [ANY]))],
  ['readarray', (run) => run.args.forEach((arg) => run.scope.vars.set(textOf(arg), run.scope.names ?? [ANY]))],
  ['env', env],
  ['eval', evaluates],
  ['command', command],
  ['set', sets],
  ['trap', trap],
])
