import { posix } from 'node:path'
import type { Effect } from './effects.ts'
import { Walker } from './interpret/walk.ts'
import { type Named, namedIn } from './named.ts'
import { isCodeAgainst } from './own.ts'
import { ANY, absolute, type Relation, relate, withParents } from './paths.ts'

/** Where the command will run. */
export interface JudgeContext {
  readonly cwd: string
  /** The root of the workspace. */
  readonly workspace: string
  /** The user's home; without it, `~` may be anywhere. */
  readonly home?: string | undefined
  /** Timewarp's home; by default `.timewarp` in the user's. */
  readonly store?: string | undefined
}

/** What a shell command may do to a workspace. */
export interface Judgement {
  /** It may create, change, delete, move or chmod files of the workspace. */
  readonly modifies: boolean
  /** A sentence that names the deciding part of the command. */
  readonly why: string
  /**
   * The paths that it may change, relative to the workspace, each including everything below it; null means any path.
   */
  readonly paths: string[] | null
  /** What its text names explicitly; parts that name nothing are left out. */
  readonly named: readonly Named[]
  /** It changes the git folder, and nothing else of the workspace. */
  readonly git_dir: boolean
  /** A ref, a stash or a reflog may be lost, with the commits that only it refers to. */
  readonly rewrites_refs: boolean
  /** It would delete, move or overwrite the store, remove history from it, or weaken its protection. */
  readonly deletes_store: boolean
  /** The deciding program; null when nothing is changed. */
  readonly program: string | null
}

/**
 * Judges a command by parsing it; runs and reads nothing. Whatever it cannot know counts as a change: an unknown
 * program, a script, a variable in a path. Must not throw.
 */
export function judge(command: string, context: JudgeContext): Judgement {
  try {
    return judged(command, context)
  } catch {
    return summarise([{ do: 'anything', by: 'A command that cannot be read' }], context.workspace, undefined)
  }
}

/**
 * Whether a command changes nothing at all, in the workspace or elsewhere, as far as its text shows. In doubt: false.
 */
export function isHarmless(command: string, context: Pick<JudgeContext, 'cwd' | 'home'>): boolean {
  try {
    return effectsOf(command, { ...context, workspace: context.cwd }).length === 0
  } catch {
    return false
  }
}

/** The most programs to interpret, in addition to one per character of the command. */
const STEPS = 8000

function judged(command: string, context: JudgeContext): Judgement {
  const store = storeOf(context)
  const effects = effectsOf(command, context)
  const said = summarise(effects, posix.resolve(context.workspace), store)
  const isAgainst = effects.some(
    ({ do: does, by }) => does === 'anything' && isCodeAgainst(command, by, namesOf(store, context.home)),
  )
  return isAgainst ? { ...said, deletes_store: true } : said
}

const storeOf = ({ store, home }: JudgeContext): string | undefined => store ?? (home && posix.join(home, '.timewarp'))

/** The ways in which code may name the store. */
function namesOf(store: string | undefined, home: string | undefined): string[] {
  if (store === undefined) return ['TIMEWARP_HOME']
  const own = home !== undefined && store.startsWith(`${home}/`) ? [`~${store.slice(home.length)}`] : []
  return ['TIMEWARP_HOME', store, ...own]
}

function effectsOf(command: string, context: JudgeContext): readonly Effect[] {
  const cwd = posix.resolve(context.cwd)
  const workspace = posix.resolve(context.workspace)
  const store = storeOf(context)
  const sure = ['/', '/tmp', '/var/tmp', cwd, workspace, ...(context.home ? [context.home] : [])]
  const walker = new Walker(command, sure.flatMap(withParents), STEPS + command.length)
  try {
    walker.text(command, {
      cwd: [cwd],
      before: [ANY],
      stack: [],
      // The variable may be set or unset, or have another value.
      vars: new Map(store === undefined ? [] : [['TIMEWARP_HOME', [store, ANY]]]),
      functions: new Map(),
      args: undefined,
      strict: false,
      names: undefined,
      home: context.home,
    })
    walker.end()
  } catch {
    // The effects found before the syntax error count as well.
    walker.add({ do: 'anything', by: 'A command that cannot be read to its end' })
  }
  if (walker.broken !== undefined) walker.add({ do: 'anything', by: `Syntax that cannot be read (${walker.broken})` })
  return walker.effects
}

/** What an effect means for this workspace. */
interface Finding {
  readonly by: string
  /** Null means any path. */
  readonly path: string | null
  readonly isGit: boolean
}

function summarise(effects: readonly Effect[], workspace: string, store: string | undefined): Judgement {
  const findings = effects.flatMap((effect) => findingsOf(effect, workspace))
  const gits = effects.filter((effect) => effect.do === 'git').filter(({ at }) => isAround(at, workspace))
  const modifies = findings.length > 0
  const decides = findings.find(({ path }) => path === null) ?? findings[0]
  return {
    modifies,
    why: decides ? because(decides) : gits[0] ? `${gits[0].by} changes only git's own folder` : nothing(effects),
    paths: decides?.path === null ? null : [...new Set(findings.map(({ path }) => path as string))],
    named: namedIn(effects, workspace),
    git_dir: modifies ? findings.every(({ isGit }) => isGit) : gits.length > 0,
    rewrites_refs: gits.some(({ rewrites }) => rewrites) || findings.some(({ isGit }) => isGit),
    program: programOf(decides?.by ?? gits[0]?.by),
    deletes_store: store !== undefined && effects.some((effect) => harms(effect, store)),
  }
}

/** The program in an effect's description: `git checkout`, `> (of cat)`, `./run.sh`. */
function programOf(by: string | undefined): string | null {
  const name = by && posix.basename(/\(of (.+)\)$/.exec(by)?.[1] ?? by.split(' ')[0] ?? '')
  return name && /^[\w.+:@[-]{1,40}$/.test(name) ? name : by === undefined ? null : 'command'
}

const because = ({ by, path }: Finding): string =>
  path === null ? `${by} may change any file` : `${by} may change ${path}`

const nothing = (effects: readonly Effect[]): string =>
  effects.length > 0 ? `${effects[0]?.by} changes something outside the workspace only` : 'It only reads'

function findingsOf(effect: Effect, workspace: string): Finding[] {
  const { by } = effect
  if (effect.do === 'git' || effect.do === 'history' || effect.do === 'store') return []
  if (effect.do === 'anything') return isAnythingOf(effect, workspace) ? [{ by, path: null, isGit: false }] : []
  const lies = relate(effect.path, workspace)
  if (lies.is === 'outside' || (lies.is === 'above' && !effect.deep)) return []
  if (lies.is !== 'inside' || lies.rel === '') return [{ by, path: null, isGit: false }]
  return [{ by, path: lies.rel, isGit: lies.rel.split('/').includes('.git') }]
}

function isAnythingOf({ at, said = [] }: Extract<Effect, { do: 'anything' }>, workspace: string): boolean {
  if (at === undefined || isAround(at, workspace)) return true
  return said.some((arg) => arg.some((text) => placesIn(text).some((path) => isAround(absolute(path, at), workspace))))
}

/** The paths in a word of a command that may lead elsewhere: `-o/a`, `PREFIX=/a`, `/a:/b:ro`, `../a`. */
const placesIn = (text: string): string[] =>
  text.split(/[=:,]|^-[A-Za-z](?=\/)/).filter((part) => /^(\/|\.\.(\/|$))/.test(part))

const isAround = (folder: string, workspace: string): boolean => relate(folder, workspace).is !== 'outside'

/** Files of the store that protect nothing. Its settings do protect: an agent's write there could weaken them. */
const EDITABLE = /^logs(\/.*)?$/
/** Programs that change the permissions or owner of a file. */
const PERMISSIONS = /^(chmod|chown|chgrp|chattr|chflags|setfacl)\b/

/** Whether an effect deletes or overwrites parts of the store. An unknown path does not count. */
function harms(effect: Effect, store: string): boolean {
  if (effect.do === 'history') return true
  if (effect.do !== 'destroy' && effect.do !== 'write') return false
  const lies: Relation = relate(effect.path, store)
  const takesAway = effect.do === 'destroy' || PERMISSIONS.test(effect.by)
  if (lies.is === 'above') return takesAway && effect.deep
  if (lies.is !== 'inside') return false
  if (effect.do === 'destroy') return lies.rel === '' ? effect.deep || !lies.exact : !EDITABLE.test(lies.rel)
  return lies.rel === '' ? takesAway : !EDITABLE.test(lies.rel)
}
