import { type Arg, hasAny, textOf, valuesOf } from '../options.ts'
import { ANY, ATOM, absolute, DEEP, WORDS } from '../paths.ts'
import type { Run } from '../run.ts'

/** Programs that run a command for each of many files. */
type Special = (run: Run) => void

const find: Special = (run) => {
  const roots = findRoots(run.args)
  const below = roots.flatMap((root) => root.map((path) => `${path}/${DEEP}`))
  for (let at = 0; at < run.args.length; at++) {
    const word = textOf(run.args[at])
    if (word === '-delete' || isUnknownTest(run.args, at))
      for (const root of hasTests(run.args) ? [below] : roots) run.touch(root, 'destroy', true)
    if (/^-(fprint0?|fprintf|fls)$/.test(word)) run.deed('all', run.args.slice(at + 1, at + 2))
    if (!/^-(exec|execdir|ok|okdir)$/.test(word)) continue
    const end = run.args.findIndex(
      (arg, i) => i > at && /^[;+]$/.test(textOf(arg)) && (textOf(arg) === ';' || textOf(run.args[i - 1]) === '{}'),
    )
    const command = run.args.slice(at + 1, end === -1 ? undefined : end)
    if (word.endsWith('dir')) inEach(run, command, below)
    else run.host.words(fill(command, '{}', below), run.scope)
    at = end === -1 ? run.args.length : end
  }
}

/** Runs a command in the folder of each found file. */
function inEach(run: Run, command: readonly Arg[], below: readonly string[]): void {
  const folders = run.in(absoluteAll(run, below), run.name, [])
  run.host.words(fill(command, '{}', [`./${ATOM}`]), folders.scope)
}

const absoluteAll = (run: Run, paths: readonly string[]): string[] =>
  paths.flatMap((path) => run.scope.cwd.map((from) => absolute(path, from)))

const hasTests = (args: readonly Arg[]): boolean =>
  args.some((arg) =>
    /^-(i?name|i?path|i?regex|[acm](time|min)|newer\w*|size|user|group|perm|empty|i?wholename)$/.test(textOf(arg)),
  )

/** Tests and actions without a value. */
const PLAIN =
  /^([()!,]|-(a|and|o|or|not|print0?|ls|delete|prune|quit|empty|true|false|depth|d|mount|xdev|follow|daystart|executable|readable|writable|nouser|nogroup|noleaf))$/

/** Whether an unknown word is where an action may be: `find . -name x $ACTION`. */
function isUnknownTest(args: readonly Arg[], at: number): boolean {
  const word = textOf(args[at])
  if (word === WORDS) return true
  if (!word.startsWith(ANY) || word.includes('/')) return false
  const start = args.findIndex((arg) => /^[-(!]/.test(textOf(arg)) && !IS_OWN.test(textOf(arg)))
  const before = textOf(args[at - 1])
  return start !== -1 && at > start && (PLAIN.test(before) || !before.startsWith('-'))
}

const IS_OWN = /^-([HLP]|O\d|D)$/

/** The folders to search: the words before the first test. */
export function findRoots(args: readonly Arg[]): readonly Arg[] {
  const rest = args.filter((arg) => !IS_OWN.test(textOf(arg)))
  const end = rest.findIndex((arg) => /^[-(!]/.test(textOf(arg)))
  const roots = rest.slice(0, end === -1 ? undefined : end)
  return roots.length > 0 ? roots : [['.']]
}

/** Replaces placeholders in words. */
function fill(words: readonly Arg[], place: string | RegExp, values: readonly string[]): Arg[] {
  return words.map((arg) =>
    arg.some((text) => text.split(place).length > 1)
      ? arg.flatMap((text) => values.map((value) => text.split(place).join(value)))
      : arg,
  )
}

/** The placeholder of a file, or of a part of its name: `{}`, `{.}`, `{/}`, `{2}`. */
const PLACE = /\{\d*(?:\/\/|\/\.|[./#%])?\}/

const hasPlace = (words: readonly Arg[]): boolean => words.some((arg) => arg.some((text) => PLACE.test(text)))

const fd: Special = (run) => {
  const at = run.args.findIndex((arg) => /^(-[A-Za-z0]*[xX]|--exec|--exec-batch)$/.test(textOf(arg)))
  if (at === -1) return
  const command = run.args.slice(at + 1)
  run.host.words(hasPlace(command) ? fill(command, PLACE, [ANY]) : [...command, [ANY]], run.scope)
}

const xargs: Special = (run) => {
  const options = run.options(
    'I n P L s d E a i? J --replace? --max-args --max-procs --max-lines --delimiter --arg-file',
    { stopsEarly: true },
  )
  const names = hasAny(options, '-a --arg-file') ? [ANY] : (run.scope.names ?? [ANY])
  const place =
    valuesOf(options, '-I --replace -i -J').map(textOf)[0] ?? (hasAny(options, '-i --replace') ? '{}' : undefined)
  const command = options.operands
  if (command.length === 0) return
  run.host.words(place === undefined ? [...command, names] : fill(command, place, names), run.scope)
}

const parallel: Special = (run) => {
  const options = run.options('j I n N --jobs --colsep --joblog --results', { stopsEarly: true })
  run.deed('deep', valuesOf(options, '--joblog --results'))
  const { operands } = options
  const end = operands.findIndex((arg) => textOf(arg).startsWith(':::'))
  const [command, given] = end === -1 ? [operands, []] : [operands.slice(0, end), operands.slice(end + 1)]
  if (command.length === 0) return run.anything()
  const words = hasPlace(command) ? fill(command, PLACE, [ANY]) : [...command, ...(given.length > 0 ? given : [[ANY]])]
  // A shell interprets the text.
  if (command.some((arg) => /[<>|&;\s]/.test(textOf(arg)))) run.host.text(words.map(textOf).join(' '), run.scope)
  else run.host.words(words, run.scope)
}

export const FOR_EACH: readonly (readonly [name: string, run: Special])[] = [
  ['find', find],
  ['gfind', find],
  ['fd', fd],
  ['fdfind', fd],
  ['xargs', xargs],
  ['gxargs', xargs],
  ['parallel', parallel],
]
