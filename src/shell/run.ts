import { posix } from 'node:path'
import type { Effect } from './effects.ts'
import {
  type Arg,
  hasAny,
  type Options,
  readOptions,
  type Style,
  surelyHas,
  takesOf,
  textOf,
  valuesOf,
} from './options.ts'
import { ANY, absolute, DEEP, isKnown, withParents } from './paths.ts'
import type { Deed, ProgramRow, RowEffect } from './rows.ts'
import { type Scope } from './scope.ts'

/** The operations that a program needs which runs other programs or a script. */
export interface Host {
  add(effect: Effect): void
  /** Records text that a program may run and that is not parsed as a script; null means the whole command. */
  runsText(text: string | null): void
  /** Runs a command made of words. */
  words(argv: readonly Arg[], scope: Scope, stdin?: string): void
  /** Runs a script. */
  text(script: string, scope: Scope): void
  /** Runs a script after everything else has ended. */
  later(script: string, scope: Scope): void
}

/** One run of a program: its name, its words, and its scope. */
export class Run {
  readonly name: string
  readonly args: readonly Arg[]
  readonly scope: Scope
  readonly host: Host
  /** Its standard input, where that is known. */
  readonly stdin: string | undefined

  /** For git: where the repository is, if that is given separately from the files. Its index changes with them. */
  repository: readonly string[] | undefined
  /** All words of the command, including those before a sub-command. */
  readonly said: readonly Arg[]

  constructor(
    host: Host,
    scope: Scope,
    name: string,
    args: readonly Arg[],
    stdin?: string,
    said: readonly Arg[] = args,
  ) {
    this.host = host
    this.scope = scope
    this.name = name
    this.args = args
    this.stdin = stdin
    this.said = said
  }

  /** The same run, in other folders and under another name. */
  in(cwd: readonly string[], name: string, args: readonly Arg[]): Run {
    const scope = cwd === this.scope.cwd ? this.scope : { ...this.scope, cwd }
    const run = new Run(this.host, scope, name, args, this.stdin, this.said)
    run.repository = this.repository
    return run
  }

  options(takes: string, style: Style = {}): Options {
    return readOptions(this.args, takesOf(takes), style)
  }

  /** Applies its row. */
  row(row: ProgramRow): void {
    const options = this.options(takesFor(row), row)
    if (row.out) this.deed('all', valuesOf(options, row.out).map(row.dash ? printed : same))
    const at = row.when?.findIndex(([flags, deed]) => (isHarmless(deed) ? surelyHas : hasAny)(options, flags)) ?? -1
    const decided = row.when?.[at]
    if (options.isLoose) this.#loose(row, options, decided ? at : undefined)
    if (decided) return this.#operands(decided[1], options, row)
    const [first, ...rest] = options.operands
    if (first === undefined) return this.#operands(row.bare ?? row.does, options, row)
    const name = textOf(first)
    // An unknown word may be any of its sub-commands.
    if (row.subs && name.startsWith(ANY) && isHarmless(row.does)) return this.here()
    const sub = row.subs?.get(name)
    if (sub === undefined) return this.#operands(row.does, options, row)
    this.in(this.scope.cwd, `${this.name} ${name}`, behind(this.args, first, rest)).row(sub)
  }

  /** Applies what unknown flags may make it do, unless known flags exclude it. */
  #loose(row: ProgramRow, options: Options, end: number | undefined): void {
    for (const [, deed] of row.when?.slice(0, end) ?? []) if (!isHarmless(deed)) this.#operands(deed, options, row)
  }

  #operands(deed: Deed, options: Options, row: ProgramRow): void {
    const operands = row.dash ? options.operands.map(printed) : options.operands
    this.deed(deed, operands, row.deep !== undefined && hasAny(options, row.deep))
  }

  deed(deed: Deed, operands: readonly Arg[], deep = false): void {
    for (const effect of typeof deed === 'string' ? [deed] : deed) EFFECT[effect](this, operands, deep)
  }

  /** Ignores an address of another machine: it is not a path. */
  touch(arg: Arg, how: 'write' | 'destroy', deep: boolean, sources?: readonly Arg[]): void {
    const texts = arg.filter((text) => !/^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    // A word with several possible paths is certainly none of them.
    const sure = texts.length * this.scope.cwd.length === 1
    for (const path of texts)
      for (const cwd of this.scope.cwd) {
        const from = sources && { from: sources.flatMap((one) => one.map((source) => absolute(source, cwd))) }
        this.host.add({ do: how, path: absolute(path, cwd), deep, by: this.name, sure, ...from })
      }
  }

  /** Runs its operands as a command, given as one word or several. */
  command(): void {
    const [first, ...rest] = this.options('', { stopsEarly: true }).operands
    if (first === undefined) return
    if (rest.length === 0 && isKnown(textOf(first))) this.host.text(textOf(first), this.scope)
    else this.host.words([first, ...rest], this.scope)
  }

  anything(): void {
    this.host.add({ do: 'anything', by: this.name })
  }

  /** Anything in and around its folder, and in the folders that its words name. */
  here(): void {
    for (const at of this.scope.cwd) this.host.add({ do: 'anything', at, said: this.said, by: this.name })
    if (this.repository) this.git(false)
  }

  /** As `here`, where its words name only what it reads. */
  inside(): void {
    for (const at of this.scope.cwd) this.host.add({ do: 'anything', at, by: this.name })
  }

  git(rewrites: boolean): void {
    for (const at of this.repository ?? this.scope.cwd) this.host.add({ do: 'git', at, rewrites, by: this.name })
  }
}

/** Options that name an output file take a value, too. */
const takesFor = ({ takes = '', out }: ProgramRow): string => (out ? `${out} ${takes}` : takes)

/** Whether an effect leaves the files of a workspace unchanged. */
const isHarmless = (deed: Deed): boolean => deed === 'reads' || deed === 'git' || deed === 'refs' || deed === 'local'

/** The words of a sub-command: all except its name, so that options before it count as well. */
function behind(args: readonly Arg[], name: Arg, rest: readonly Arg[]): readonly Arg[] {
  const at = args.indexOf(name)
  return at === -1 ? rest : args.slice(at + 1)
}

const same = (arg: Arg): Arg => arg

/** `-` means standard output. */
const printed = (arg: Arg): Arg => (textOf(arg) === '-' ? ['/dev/stdout'] : arg)

/** A local folder or package, not a name in a registry. */
const isPath = (arg: Arg): boolean =>
  arg.some((text) => !isKnown(text) || /^([./~]|file:|link:)|\.(tgz|tar\.gz|whl|gem)$/.test(text))

type Do = (run: Run, operands: readonly Arg[], deep: boolean) => void

const writeAll: Do = (run, operands, deep) => operands.forEach((one) => run.touch(one, 'write', deep))

/** What each effect means; see `rows.ts`. */
const EFFECT: Readonly<Record<RowEffect, Do>> = {
  reads: () => {},
  all: writeAll,
  deep: (run, operands) => writeAll(run, operands, true),
  first: (run, operands, deep) => writeAll(run, operands.slice(0, 1), deep),
  second: (run, operands, deep) => writeAll(run, operands.slice(1, 2), deep),
  rest: (run, operands, deep) => writeAll(run, operands.slice(1), deep),
  last: (run, operands, deep) => writeAll(run, operands.slice(-1), deep),
  local: (run, operands) => {
    if (operands.length === 0 || operands.some(isPath)) run.here()
  },
  runs: (run) => run.command(),
  'runs-below': (run) =>
    run
      .in(
        run.scope.cwd.map((at) => `${at}/${DEEP}`),
        run.name,
        run.args,
      )
      .command(),
  removes: (run, operands, deep) => operands.forEach((one) => run.touch(one, 'destroy', deep)),
  moves: (run, operands) => {
    const into = run.args.some((arg) => /^(-t|--target-directory)/.test(textOf(arg)))
    const from = into ? operands : operands.slice(0, -1)
    if (run.args.some((arg) => /^(-b|-S|--backup|--suffix)/.test(textOf(arg)))) run.here()
    from.forEach((one) => run.touch(one, 'destroy', true))
    const target = into ? undefined : operands.at(-1)
    if (target) run.touch(target, 'write', false, from)
  },
  paths: (run, operands) => {
    if (operands.length === 0) return run.here()
    operands.forEach((one) => run.touch(isPattern(one) ? [ANY] : one, 'write', true))
    if (run.repository) run.git(false)
  },
  'go.mod': (run) => {
    const folders = run.scope.cwd.flatMap(withParents)
    for (const name of ['go.mod', 'go.sum'])
      run.touch(
        folders.map((at) => posix.join(at, name)),
        'write',
        false,
      )
  },
  here: (run) => run.here(),
  inside: (run) => run.inside(),
  anything: (run) => run.anything(),
  git: (run) => run.git(false),
  refs: (run) => run.git(true),
}

/** A pattern that the program itself expands, in every folder. */
const isPattern = (arg: Arg): boolean => arg.some((text) => /[*?[]|^:/.test(text))
