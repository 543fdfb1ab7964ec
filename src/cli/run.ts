import { asFault, Fault, isFault, KINDS } from '../base/fault.ts'
import { oneLine } from '../base/visible.ts'
import { type CatalogueEntry, findTool } from '../protocol/catalogue.ts'
import type { Spec } from '../protocol/spec.ts'
import { askKey } from './ask-key.ts'
import type { Command } from './command.ts'
import { type Cleanup, type Context, openToolClient, SERVICES, type Services, workspaceOf } from './context.ts'
import type { Io } from './io.ts'
import { printAnswer, printFault, printJson, printRemark, printText } from './output/print.ts'
import { fill, flagsFor, type Given, readArgs } from './parse/args.ts'
import { type Globals, globalFlags, globalsOf } from './parse/globals.ts'
import { type CommandForm, type Grammar, grammarOf } from './parse/grammar.ts'
import { STANDARD_INPUT, withStandardInput } from './parse/standard-input.ts'
import { Stopping } from './stopping.ts'
import { COMMANDS, toolFor, unknownCommand, VERBS } from './verbs.ts'

/** What the word after `timewarp` does. */
interface Action {
  readonly form: CommandForm
  readonly alwaysJson: boolean
  readonly run: (context: Context, input: Record<string, unknown>) => Promise<number>
}

/** A command line that was parsed. */
interface Plan {
  readonly globals: Globals
  readonly run: (context: Context) => Promise<number>
}

/** A command line that cannot be parsed, and whether the fault is to be printed as JSON. */
interface Misunderstood {
  readonly fault: Fault
  readonly json: boolean
}

/**
 * Runs one command line and returns its exit code. Never throws, and reaches the process only through `io`. It prints
 * the answer before it settles the store; the store is closed when this returns.
 */
export async function runCli(argv: readonly string[], io: Io, rooms: Services = SERVICES): Promise<number> {
  const leavings: Cleanup[] = []
  const stopping = new Stopping(io)
  try {
    return await Promise.race([work(argv, io, rooms, leavings, stopping), io.interrupted, stopping.idle])
  } finally {
    for (const leaving of leavings.reverse()) closeOne(leaving, io)
  }
}

function closeOne(leaving: Cleanup, io: Io): void {
  try {
    leaving.close()
  } catch (error) {
    remarkOn(io, asFault(error))
  }
}

async function work(
  argv: readonly string[],
  io: Io,
  rooms: Services,
  leavings: Cleanup[],
  stopping: Stopping,
): Promise<number> {
  const code = await answer(argv, io, rooms, leavings, stopping)
  if (io.stop?.aborted) return stopping.end(code)
  for (const leaving of leavings) await leaving.settle?.().catch((error: unknown) => remarkOn(io, asFault(error)))
  return code
}

const remarkOn = (io: Io, fault: Fault): void =>
  printRemark(io, `Warning: Tidying up afterwards failed: ${oneLine(fault.message)}`)

async function answer(
  argv: readonly string[],
  io: Io,
  rooms: Services,
  leavings: Cleanup[],
  stopping: Stopping,
): Promise<number> {
  const plan = await planFor(argv, io)
  if ('fault' in plan) return printFault(io, plan.fault, plan.json)
  const { globals, run } = plan
  try {
    const leave = (leaving: Cleanup): void => void leavings.push(leaving)
    return await run({ io, globals, rooms, verbs: VERBS, leave, during: (call) => stopping.during(call) })
  } catch (error) {
    return printFault(io, asFault(error), globals.json)
  }
}

/** The tool that a command line calls; undefined when it calls none, or cannot be parsed. */
export async function toolOf(argv: readonly string[]): Promise<Spec | undefined> {
  const { rest, tail } = readArgs(argv, globalFlags, 'at the first word')
  const [word = '', ...others] = [...rest, ...tail]
  // These commands only call a tool.
  if (word === 'statusline') return findTool('session_list')?.load()
  if (word === 'call') return findTool(others.find((other) => !other.startsWith('-')) ?? '')?.load()
  return COMMANDS.has(word) ? undefined : toolFor(word)?.load()
}

function planFor(argv: readonly string[], io: Io): Promise<Plan | Misunderstood> {
  const json = argv.slice(0, [...argv, '--'].indexOf('--')).includes('--json')
  return understood(json, async () => {
    const before = readArgs(argv, globalFlags, 'at the first word')
    const [word, ...rest] = [...before.rest, ...before.tail]
    if (word === undefined) return planForNone(globalsOf(before.given, io))
    const action = await actionFor(word)
    const plan = () => naming(word, () => planForAction(word, action, before.given, rest, io))
    return understood(json || action.alwaysJson, plan)
  })
}

async function understood<T>(json: boolean, step: () => Promise<T>): Promise<T | Misunderstood> {
  try {
    return await step()
  } catch (error) {
    return { fault: asFault(error), json }
  }
}

function planForNone(globals: Globals): Plan {
  return { globals, run: (context) => (globals.version ? printVersion(context) : printHelp(context)) }
}

function planForAction(word: string, action: Action, before: Given, rest: readonly string[], io: Io): Plan {
  const grammar = grammarOf(word, action.form)
  // The command's own flags come last and win: `config --home` is not the home of the store.
  const flags = new Map([...globalFlags, ...flagsFor(grammar.fields, grammar.short)])
  const read = readArgs(rest, flags, 'at the end')
  const found = globalsOf(new Map([...before, ...read.given]), io)
  const globals = { ...found, json: found.json || action.alwaysJson }
  if (globals.version) return { globals, run: printVersion }
  if (globals.help) return { globals, run: (context) => printHelp(context, word) }
  fill(grammar, read)
  const input = inputOf(grammar, read.given)
  // After `--` a dash is an ordinary word.
  const verb = rest.slice(0, [...rest, '--'].indexOf('--')).includes(STANDARD_INPUT) ? action.form.verb : undefined
  return {
    globals,
    run: (context) => naming(word, async () => action.run(context, await withStandardInput(context.io, verb, input))),
  }
}

const inputOf = (grammar: Grammar, given: Given): Record<string, unknown> =>
  Object.fromEntries(grammar.fields.filter((field) => given.has(field)).map((field) => [field.name, given.get(field)]))

async function actionFor(word: string): Promise<Action> {
  const load = word === 'help' ? () => import('./output/help.ts').then((m) => m.Help as Command) : COMMANDS.get(word)
  if (load !== undefined) return actionOf(await load())
  const entry = toolFor(word)
  if (entry === undefined) throw unknownCommand(word)
  const run: Action['run'] = (context, input) => runTool(entry, context, input)
  return { form: await entry.load(), alwaysJson: false, run }
}

const actionOf = (command: Command): Action => ({
  form: command,
  alwaysJson: command.alwaysJson ?? false,
  run: (context, input) => command.run(context, command.input.parse(input)),
})

async function runTool(entry: CatalogueEntry, context: Context, input: Record<string, unknown>): Promise<number> {
  const desk = await openToolClient(context)
  const given = { ...workspaceOf(context.globals), ...input }
  const answered = await desk.callTyped(entry.tool, given).catch(async (error: unknown) => {
    const token = await confirm(context, error)
    return token === undefined ? undefined : desk.callTyped(entry.tool, { ...given, confirm: token })
  })
  if (answered === undefined) return decline(context.io)
  return printAnswer(context.io, answered.spec, answered.output, context.globals.json)
}

/** Asks on a terminal whether to run a tool that needs confirmation; returns its token, or undefined when declined. */
async function confirm({ io, globals }: Context, error: unknown): Promise<string | undefined> {
  if (!isFault(error, 'CONFIRM_NEEDED') || globals.json || io.key === undefined) throw error
  printText(io, error.data.would)
  const key = await askKey(io, io.key, `${error.data.question ?? 'Do it?'} [y/N]`)
  return ['y', 'Y'].includes(key) ? error.data.confirm : undefined
}

function decline(io: Io): number {
  printText(io, 'Nothing was changed.')
  return KINDS.conflict.exit
}

/** Adds the command to a BAD_INPUT, so that its hint points to the command's help. */
async function naming<T>(command: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    if (!isFault(error, 'BAD_INPUT') || error.data.command !== undefined) throw error
    throw new Fault('BAD_INPUT', { ...error.data, command }, { cause: error })
  }
}

const printHelp = async (context: Context, word?: string): Promise<number> =>
  (await import('./output/help.ts')).printHelp(context, word)

async function printVersion({ io, globals }: Context): Promise<number> {
  const { default: about } = await import('../../package.json', { with: { type: 'json' } })
  if (globals.json) printJson(io, { version: about.version })
  else printText(io, `timewarp ${about.version}`)
  return 0
}
