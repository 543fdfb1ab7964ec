import { z } from 'zod'
import { Fault, isFault, KINDS } from '../../base/fault.ts'
import { count } from '../../base/text.ts'
import { oneLined } from '../../base/visible.ts'
import type { ReverseOp } from '../../protocol/reverse.ts'
import { askKey } from '../ask-key.ts'
import { command } from '../command.ts'
import { type Context, openToolClient, type ToolClient, workspaceOf } from '../context.ts'
import type { Io } from '../io.ts'
import { printAnswer, printFault, printJson, printText } from '../output/print.ts'
import { bringGitBack, canBeBrought, type GitHitReport, gitHit, gitText, isLater, tryGit } from './oops-git.ts'
import { beforeText, deedText, gitDeedText, nextText } from './oops-text.ts'

type Reversal = z.output<(typeof ReverseOp)['output']>
type Deed = NonNullable<Reversal['deed']>
type CallTool = ToolClient['call']

export const Oops = command({
  name: 'oops',
  summary: 'Show what the last prompt or disaster did, and take it back',
  group: 'start',
  input: z.object({
    yes: z.boolean().default(false).describe('Take it back without asking for a key'),
    include_shared: z.boolean().default(false).describe('Take back also what may be somebody else’s'),
    all: z.boolean().default(false).describe('The same as --include-shared'),
    git: z.boolean().default(false).describe('Bring back also what git lost since: branches, stashes, its folder'),
  }),
  verb: { short: { y: 'yes' }, examples: ['timewarp oops', 'timewarp oops --yes', 'timewarp oops --all --git'] },
  run: async (context, input) => {
    const desk = await openToolClient(context)
    const call: CallTool = async (tool, given) => desk.call(tool, { ...workspaceOf(context.globals), ...given })
    const wish: Wish = { yes: input.yes, git: input.git, include_shared: input.include_shared || input.all }
    const would = await lastDeed(call, wish)
    const git = await gitHit(call, would?.deed)
    if (git && (await isLater(call, git, would?.deed))) return gitAlone(context, call, wish, git)
    if (would === undefined) throw new Fault('NOTHING_TO_REVERT', { why: NOTHING })
    return takeOrShow(context, call, wish, would, git)
  },
})

const NOTHING = 'no prompt changed a file and no file was lost, or all of it is back'

interface Wish {
  readonly yes: boolean
  readonly git: boolean
  readonly include_shared: boolean
}

/** What would be undone, by a dry run; undefined when there is nothing. */
async function lastDeed(call: CallTool, { include_shared }: Wish): Promise<Reversal | undefined> {
  try {
    return (await call('reverse_op', { snapshot_id: 'last', include_shared, dry_run: true })).output as Reversal
  } catch (error) {
    if (isFault(error, 'NOTHING_TO_REVERT')) return undefined
    throw error
  }
}

async function takeOrShow(
  context: Context,
  call: CallTool,
  wish: Wish,
  would: Reversal,
  git: GitHitReport | undefined,
): Promise<number> {
  const { io, globals } = context
  if (!globals.json)
    printText(
      io,
      [
        ...deedText(oneLined(would), wish),
        ...gitText(oneLined(git), nextFor(wish)),
        ...beforeText(oneLined(would), wish),
      ].join('\n'),
    )
  const isAsked = !globals.json && io.key !== undefined
  const answer = wish.yes ? wish : isAsked ? await ask(io, call, wish, would, git) : undefined
  if (answer !== undefined) return takeBack(context, call, answer, would, git)
  if (globals.json) printJson(io, report(would, git))
  else printText(io, nextText(would, wish))
  return would.conflicts.length > 0 ? KINDS.conflict.exit : 0
}

/** Once the files are reverted, the last deed is another one: `oops` would not bring git back, `git-rescue` does. */
const nextFor = ({ yes, git }: Wish): 'oops' | 'git-rescue' | undefined =>
  git ? undefined : yes ? 'git-rescue' : 'oops'

/** Asks first about files, then about git. Undefined: declined. */
async function ask(
  io: Io,
  call: CallTool,
  wish: Wish,
  would: Reversal,
  git: GitHitReport | undefined,
): Promise<Wish | undefined> {
  const answer = await askAboutFiles(io, call, wish, would)
  if (answer === undefined || answer.git || git === undefined) return answer
  return { ...answer, git: await isGitWanted(io, false, git) }
}

/** Asks with one key, also about the paths left alone. Undefined: declined. */
async function askAboutFiles(io: Io, call: CallTool, wish: Wish, would: Reversal): Promise<Wish | undefined> {
  const key = io.key as NonNullable<Io['key']>
  const inDoubt = new Set(would.left.flatMap(({ paths }) => paths)).size
  const isSome = would.affected_files.length > 0
  if (!isSome && inDoubt === 0) return undefined
  const all = isSome && inDoubt > 0 ? `, a: with the ${count(inDoubt, 'path')} left alone` : ''
  const question = isSome
    ? `Take it back? [Y/n/d${all}]`
    : `Take back the ${count(inDoubt, 'path')} left alone? [y/N/d]`
  for (;;) {
    const answer = (await askKey(io, key, question)).toLowerCase()
    if (answer === 'd') printText(io, (await diffOf(call, would, !isSome)) || 'No differences.', 'diff')
    else if (answer === 'y' || (answer === 'a' && all !== ''))
      return { ...wish, include_shared: wish.include_shared || answer === 'a' || !isSome }
    else return isSome && ['\r', '\n'].includes(answer) ? wish : undefined
  }
}

/** The diff of what would change; `withShared`: also of changes whose author is not certain. */
async function diffOf(call: CallTool, would: Reversal, withShared: boolean): Promise<string> {
  if (!withShared) return would.reversed_diff
  const input = { snapshot_id: would.deed?.what, include_shared: true, dry_run: true }
  return ((await call('reverse_op', input)).output as Reversal).reversed_diff
}

async function takeBack(
  { io, globals }: Context,
  call: CallTool,
  { include_shared, git: withGit }: Wish,
  would: Reversal,
  git: GitHitReport | undefined,
): Promise<number> {
  const isWithGit = git !== undefined && withGit && canBeBrought(git)
  // Whatever prevents the rescue of git is found before a file is changed.
  if (isWithGit) await tryGit(call, git)
  const { spec, output } = await call('reverse_op', { snapshot_id: would.deed?.what, include_shared })
  const did = output as Reversal
  if (!globals.json) {
    if (isAsShown(would, did)) printText(io, takenText(oneLined(did)))
    else printAnswer(io, spec, output, false)
  }
  const { rescued, failed } = isWithGit ? await rescue(call, git, would.deed) : NO_RESCUE
  if (globals.json) printJson(io, { ...report({ ...did, deed: would.deed }, git), ...rescueFields(rescued, failed) })
  else for (const one of rescued) printAnswer(io, one.spec, one.output, false)
  if (failed) return globals.json ? KINDS[failed.kind].exit : printFault(io, failed, false)
  return spec.exit?.(output as never) ?? 0
}

interface Rescue {
  readonly rescued: Awaited<ReturnType<typeof bringGitBack>>
  readonly failed: Fault | undefined
}

const NO_RESCUE: Rescue = { rescued: [], failed: undefined }

/** The files are already reverted: a fault of the rescue is returned, not thrown, so that both are reported. */
async function rescue(call: CallTool, git: GitHitReport, deed: Deed | null | undefined): Promise<Rescue> {
  try {
    return { rescued: await bringGitBack(call, git, deed), failed: undefined }
  } catch (error) {
    if (error instanceof Fault) return { rescued: [], failed: error }
    throw error
  }
}

const rescueFields = (rescued: Rescue['rescued'], failed: Fault | undefined) => ({
  git_rescued: rescued.map((one) => one.output),
  ...(failed ? { error: failed } : {}),
})

const isAsShown = (would: Reversal, did: Reversal): boolean =>
  [would, did]
    .map(({ affected_files, left, conflicts }) => JSON.stringify([affected_files, left, conflicts]))
    .every((text, _, [first]) => text === first)

const takenText = ({ message, new_snapshot_id: id, warnings }: Reversal): string =>
  [
    message,
    ...(id ? [`Snapshot: ${id}`, 'Undo with: timewarp undo'] : []),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ].join('\n')

/** The last deed changed git, and no file. */
async function gitAlone({ io, globals }: Context, call: CallTool, wish: Wish, git: GitHitReport): Promise<number> {
  if (!globals.json)
    printText(io, [...aloneText(oneLined(git)), ...gitText(oneLined(git), wish.git ? undefined : 'oops')].join('\n'))
  const isWanted = wish.yes ? wish.git : await isGitWanted(io, globals.json, git)
  const rescued = isWanted && canBeBrought(git) ? await bringGitBack(call, git, undefined) : []
  if (globals.json) printJson(io, { git, git_rescued: rescued.map((one) => one.output) })
  else for (const one of rescued) printAnswer(io, one.spec, one.output, false)
  if (!isWanted && wish.git && !globals.json)
    printText(io, 'Nothing was changed. Bring git back with: timewarp oops --git --yes')
  return isWanted ? 0 : KINDS.missing.exit
}

function aloneText({ by }: GitHitReport): string[] {
  if (by === null) return ['No file is to be taken back.']
  const { prompt, client, calls } = by
  const of = by.of.startsWith('prompt:') ? 'prompt' : 'session'
  return [...gitDeedText({ of, prompt, client, steps: calls }), 'It changed no file, or all of them are back.']
}

/** Asks only on a terminal. */
const isGitWanted = async (io: Io, isJson: boolean, git: GitHitReport): Promise<boolean> =>
  !isJson && io.key !== undefined && canBeBrought(git) && isYes(await askKey(io, io.key, 'Bring git back? [Y/n]'))

const isYes = (key: string): boolean => ['y', 'Y', '\r', '\n'].includes(key)

function report({ deed, ...reversal }: Reversal, git: GitHitReport | undefined) {
  const { steps = [], ...about } = deed ?? {}
  return { ...about, changes: steps.toReversed(), ...reversal, git: git ?? null }
}
