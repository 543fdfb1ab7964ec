import {
  type AndOr,
  type Assignment,
  type Command,
  type CommandNode,
  type CompoundList,
  type ParsedScript,
  type Pipeline,
  type PipelineNode,
  parse,
  type Redirection,
  type Script,
  type Statement,
} from 'unbash'
import type { Effect } from '../effects.ts'
import { type Arg, textOf } from '../options.ts'
import { speaksOfHarm } from '../own-text.ts'
import { ANY, isKnown } from '../paths.ts'
import { type Host, Run } from '../run.ts'
import { type Body, doubt, merge, type Scope, subshell, union } from '../scope.ts'
import { alternatives } from './alternatives.ts'
import { runProgram, runUnknown } from './dispatch.ts'
import { isDescriptor, isEnd, SUCCEEDS, sameSet } from './ends.ts'
import { setFor } from './environment.ts'
import { programName } from './help.ts'
import { Maybe, runsForEach } from './maybe.ts'
import { namesFrom } from './names.ts'
import { expand, expandOne, visitScripts } from './words.ts'

const DEEPEST = 24

/** Interprets a command as the shell would, and records what each part may do. Runs nothing. */
export class Walker implements Host {
  readonly effects: Effect[] = []
  /** What could not be parsed, if anything. */
  broken: string | undefined
  /** Folders that exist: a `cd` to them cannot fail. */
  readonly #sure: ReadonlySet<string>
  #depth = 0
  readonly #maybeRuns = new Maybe()
  /** The functions being interpreted. */
  readonly #running = new Set<Body>()
  #steps = 0
  /** The most programs and loop rounds to interpret: functions and loops can grow without end. */
  readonly #most: number
  /** The values of variables set for the current command: `DESTDIR=/srv make install`. */
  #assigned: readonly Arg[] = []
  /** Scripts that run at the end: see `later`. */
  readonly #traps: { readonly script: string; readonly scope: Scope; readonly cwd: readonly string[] }[] = []

  /** The whole command, as typed. */
  readonly #whole: string
  #isWholeRun = false

  constructor(command: string, sure: Iterable<string>, most: number) {
    this.#whole = command
    this.#sure = new Set(sure)
    this.#most = most
  }

  runsText(text: string | null): void {
    // Once is enough: a long command may refer to itself many times.
    if (text === null && this.#isWholeRun) return
    this.#isWholeRun ||= text === null
    if (speaksOfHarm(text ?? this.#whole)) this.add({ do: 'history', by: 'A script' })
  }

  add(effect: Effect): void {
    this.effects.push(this.#maybeRuns.mark(effect))
  }

  text(script: string, scope: Scope): void {
    if (!isKnown(script)) this.runsText(null)
    if (!isKnown(script) && !/^[^\uE001]/.test(script)) return this.add({ do: 'anything', by: 'a script' })
    this.#deeper(() => this.#script(parse(script), scope))
  }

  later(script: string, scope: Scope): void {
    this.#traps.push({ script, scope, cwd: scope.cwd })
  }

  /** Runs the scripts of `later`, in the working directories of that moment. */
  end(): void {
    for (const { script, scope, cwd } of this.#traps)
      this.#maybeRuns.within(() => this.text(script, { ...scope, cwd: union(cwd, scope.cwd) }))
  }

  #script(script: ParsedScript, scope: Scope): void {
    const [error] = script.errors ?? []
    if (error) this.broken ??= error.message
    this.#statements(script.commands, scope)
  }

  #deeper(step: () => void): void {
    if (this.#depth >= DEEPEST) return this.add({ do: 'anything', by: 'a script within scripts' })
    this.#depth++
    step()
    this.#depth--
  }

  readonly #visit = (script: ParsedScript, scope: Scope): void => this.#deeper(() => this.#script(script, scope))

  /** Ends the walk when it exceeds the limit. */
  #spend(): void {
    if (++this.#steps > this.#most) throw new Error('a command with very many steps')
  }

  #statements(statements: Script['commands'], scope: Scope): void {
    for (const statement of statements) this.#statement(statement, scope)
  }

  #list(list: CompoundList, scope: Scope): void {
    this.#statements(list.commands, scope)
  }

  #statement(statement: Statement, scope: Scope): void {
    const isLoose = statement.background === true || scope.strict
    this.#maybeRuns.if(isLoose, () => this.#andOr(statement.command, statement.background ? subshell(scope) : scope))
  }

  /** Interprets the parts as far as they may run. Afterwards the working directory may be that of any failed part. */
  #andOr(node: PipelineNode | AndOr, scope: Scope): void {
    const [parts, operators] = node.type === 'AndOr' ? [node.commands, node.operators] : [[node], []]
    let sure: Scope['vars'] | undefined
    let failed: readonly string[] = []
    for (const [at, part] of parts.entries()) {
      if (at === 1) sure = new Map(scope.vars)
      // With `set -e`, only a failure of the last part ends the script.
      const ends = scope.strict && at === parts.length - 1
      const isOther = operators[at - 1] === '||'
      failed = this.#maybeRuns.if(at > 0 && (isOther || failed.length > 0), () =>
        isOther ? this.#otherwise(part, scope, failed, ends) : union(failed, this.#step(part, scope, ends)),
      )
    }
    // Only the first part certainly ran.
    if (sure) doubt(scope, sure)
    if (failed.some((path) => !scope.cwd.includes(path))) scope.cwd = union(scope.cwd, failed)
  }

  /** Interprets a part after `||`; returns the working directories in case it fails, too. */
  #otherwise(part: PipelineNode, scope: Scope, failed: readonly string[], ends: boolean): readonly string[] {
    const otherwise = subshell(scope)
    if (failed.length > 0) otherwise.cwd = failed
    const still = this.#step(part, otherwise, ends)
    if (isEnd(part)) return []
    merge(scope, otherwise)
    return still
  }

  /**
   * Interprets a part; returns the working directories in case it fails: none, if it cannot fail or a failure ends the
   * script.
   */
  #step(part: PipelineNode, scope: Scope, ends: boolean): readonly string[] {
    const before = scope.cwd
    this.#pipeline(part, scope)
    const name = part.type === 'Command' ? (part.name?.value ?? ':') : ''
    if (ends || SUCCEEDS.has(name)) return []
    // For commands with parts of their own the working directories are already known.
    if (scope.cwd === before || name === '' || name === 'eval' || scope.functions.has(name)) return scope.cwd
    return scope.cwd.every((path) => this.#sure.has(path)) ? [] : before
  }

  #pipeline(node: PipelineNode, scope: Scope): void {
    if (node.type !== 'Pipeline') return this.#command(node, scope)
    if (node.commands.length === 1) return this.#command(node.commands[0] as CommandNode, scope)
    this.#pipes(node, scope)
  }

  #pipes(node: Pipeline, scope: Scope): void {
    let names: readonly string[] | undefined
    for (const [at, part] of node.commands.entries()) {
      const inner = subshell(scope)
      inner.names = at === 0 ? scope.names : names
      this.#command(part, inner)
      const words = part.type === 'Command' ? this.#wordsOf(part, inner, () => {}) : []
      names = namesFrom(words, inner, at > 0 ? names : undefined)
    }
  }

  #command(node: CommandNode, scope: Scope): void {
    switch (node.type) {
      case 'Command':
        return this.#simple(node, scope)
      case 'Redirected':
        this.#redirects(node.redirects, scope, 'a redirection')
        return this.#command(node.command, scope)
      case 'Subshell':
        return this.#list(node.body, subshell(scope))
      case 'BraceGroup':
        return this.#list(node.body, scope)
      case 'Function':
        scope.functions.set(node.name.value, [node.body])
        return
      case 'Coproc':
        if (node.body.type !== 'CompoundList') this.#command(node.body, subshell(scope))
        return
      case 'If':
        this.#list(node.clause, scope)
        this.#maybe(
          [node.then, ...node.elif.flatMap((one) => [one.clause, one.then]), ...(node.else ? [node.else] : [])],
          scope,
        )
        return
      case 'Case':
        visitScripts(node.word, scope, this.#visit)
        return this.#maybe(
          node.items.map((item) => item.body),
          scope,
        )
      case 'For':
      case 'Select': {
        const values = node.wordlist?.flatMap((word) => expandOne(word, scope, this.#visit))
        scope.vars.set(node.name.value, values === undefined ? [ANY] : union(values, []))
        return this.#loop(undefined, node.body, scope)
      }
      case 'While':
        return this.#loop(node.clause, node.body, scope)
      case 'ArithmeticFor':
        return this.#loop(undefined, node.body, scope)
      case 'TestCommand':
      case 'ArithmeticCommand':
        return visitScripts(node, scope, this.#visit)
    }
  }

  #maybe(lists: readonly CompoundList[], scope: Scope): void {
    for (const list of lists) {
      const branch = subshell(scope)
      this.#maybeRuns.within(() => this.#list(list, branch))
      merge(scope, branch)
    }
  }

  /** A round may begin in the state in which the previous one ended. */
  #loop(clause: CompoundList | undefined, body: CompoundList, scope: Scope): void {
    const round = (): boolean => {
      this.#spend()
      const [cwd, vars] = [scope.cwd, new Map(scope.vars)]
      if (clause) this.#list(clause, scope)
      this.#maybe([body], scope)
      const isSame = [...scope.vars].every(([name, values]) => sameSet(values, vars.get(name) ?? []))
      return isSame && scope.cwd.every((path) => cwd.includes(path))
    }
    const before = new Map(scope.vars)
    if (round() || round()) return
    scope.cwd = [ANY]
    for (const [name, values] of scope.vars) if (before.get(name) !== values) scope.vars.set(name, [ANY])
    round()
  }

  #simple(node: Command, scope: Scope): void {
    const assignments = node.prefix.filter((part): part is Assignment => part.type === 'Assignment')
    const assigned = assignments.map((one) => this.#assign(one, scope, node.name === undefined))
    for (const [at, one] of assignments.entries()) setFor(this, one.name, assigned[at] ?? [], scope)
    const argv = this.#wordsOf(node, scope, this.#visit)
    const stdin = this.#redirects(node.redirects, scope, textOf(argv[0]))
    if (argv.length === 0) return
    const outer = this.#assigned
    this.#assigned = assigned
    this.words(argv, scope, stdin)
    this.#assigned = outer
  }

  #wordsOf(node: Command, scope: Scope, visit: (script: ParsedScript, scope: Scope) => void): Arg[] {
    if (node.name === undefined) return []
    const args = node.args.flatMap((arg): Arg[] => {
      if (arg.type === 'Word') return expand(arg, scope, visit)
      if (arg.value.type !== 'Word') return [[`${arg.name}=${ANY}`]]
      return expand(arg.value, scope, visit).map((field) => field.map((text) => `${arg.name}=${text}`))
    })
    return [...expand(node.name, scope, visit), ...args]
  }

  /** Returns the possible values. An assignment before a command applies to that command only, and not to its words. */
  #assign(one: Assignment, scope: Scope, stays: boolean): Arg {
    if (one.index) visitScripts(one.index, scope, this.#visit)
    const value = one.value
    const values =
      value.type === 'Word'
        ? expandOne(value, scope, this.#visit)
        : value.elements.flatMap((element) => expandOne(element, scope, this.#visit))
    if (stays) scope.vars.set(one.name, one.append || one.index ? [ANY] : values)
    return values
  }

  /** Records what redirections write; returns the input that they provide, where it is known. */
  #redirects(redirects: readonly Redirection[], scope: Scope, name: string): string | undefined {
    let stdin: string | undefined
    for (const one of redirects) {
      if (one.type === 'HereDoc') {
        visitScripts(one.body, scope, this.#visit)
        stdin = one.body.text
      } else if (one.target !== undefined) {
        const target = expandOne(one.target, scope, this.#visit)
        if (one.type === 'HereString') stdin = textOf(target)
        else if (one.operator.includes('>') && !isDescriptor(one.operator, textOf(target)))
          new Run(this, scope, `${one.operator} (of ${name || 'nothing'})`, []).touch(target, 'write', false)
      }
    }
    return stdin
  }

  words(argv: readonly Arg[], scope: Scope, stdin?: string): void {
    const [only, ...others] = alternatives(argv) ?? [[[ANY]]]
    if (others.length === 0) return this.#run(only as readonly Arg[], scope, stdin)
    const branches = others.map(() => subshell(scope))
    this.#maybeRuns.within(() => {
      for (const [at, one] of others.entries()) this.#run(one, branches[at] as Scope, stdin)
      this.#run(only as readonly Arg[], scope, stdin)
    })
    for (const branch of branches) merge(scope, branch)
  }

  #run(argv: readonly Arg[], scope: Scope, stdin: string | undefined): void {
    const [first, ...args] = argv
    const name = textOf(first)
    if (first === undefined || name === '') return
    if (!isKnown(name)) return runUnknown(this, args)
    this.#spend()
    const bodies = scope.functions.get(name)
    if (bodies) return this.#function(name, bodies, args, scope)
    const said = this.#assigned.length > 0 ? [...args, ...this.#assigned] : args
    const run = new Run(this, scope, programName(name), args, stdin, said)
    this.#maybeRuns.if(runsForEach(run.name), () => runProgram(run))
    this.#maybeRuns.after(run.name)
  }

  #function(name: string, bodies: readonly Body[], args: readonly Arg[], scope: Scope): void {
    if (bodies.some((body) => this.#running.has(body)))
      return this.add({ do: 'anything', by: `${name}, which runs itself` })
    if (bodies.length === 1) return this.#call(bodies[0] as Body, args, scope)
    for (const body of bodies) {
      const branch = subshell(scope)
      this.#maybeRuns.within(() => this.#call(body, args, branch))
      merge(scope, branch)
    }
  }

  #call(body: Body, args: readonly Arg[], scope: Scope): void {
    const outer = scope.args
    scope.args = args
    this.#running.add(body)
    this.#deeper(() => (body.type === 'CompoundList' ? this.#list(body, scope) : this.#command(body, scope)))
    this.#running.delete(body)
    scope.args = outer
  }
}
