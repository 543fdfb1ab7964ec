import { join, relative } from 'node:path'
import { nameFromBytes } from '../base/quote.ts'
import { readFile } from '../host/files/fs.ts'
import type { GitCall, GitKeepRecord } from '../records/git-keeps.ts'
import type { ObjectReader } from '../store/object-reader.ts'
import { underWay } from './keep.ts'
import { KeptParts } from './kept.ts'
import { type GitNow, isOwn, type LostRef, type LostStash, whereaboutsOf } from './losses.ts'
import { type Staged, stagedIn, textOf, treeOf } from './staged.ts'

/** What the calls of one prompt did to git, derived from the keeps before and after them. */

export interface GitDeed {
  /** As `revert` names it: `prompt:ID`, `session:ID` without prompts, `call:ID` for a command in a guarded shell. */
  readonly what: string
  readonly calls: readonly GitCall[]
  /** The oldest first: the keep before its first change, those during it, the last that it made. */
  readonly states: readonly GitKeepRecord[]
  /** Whether the end of one of its calls is not known: then what differs at present is its work, too. */
  readonly isOpen: boolean
}

export const deedOf = ({ client, prompt_id, session_id, call_id }: GitCall): string =>
  client === 'shell' ? `call:${call_id}` : prompt_id === null ? `session:${session_id}` : `prompt:${prompt_id}`

/** `keeps` are the newest first, and so are the deeds. */
export function gitDeeds(keeps: readonly GitKeepRecord[], now: number): GitDeed[] {
  const found = new Map<string, { calls: GitCall[]; newest: number; oldest: number; isOpen: boolean }>()
  for (const call of underWay(keeps[0], now)) {
    const group = found.get(deedOf(call)) ?? { calls: [], newest: 0, oldest: -1, isOpen: true }
    found.set(deedOf(call), { ...group, calls: [...group.calls, call] })
  }
  for (const [at, { by }] of keeps.entries()) {
    if (by === undefined || keeps[at + 1] === undefined) continue
    const group = found.get(deedOf(by)) ?? { calls: [], newest: at, oldest: at, isOpen: false }
    found.set(deedOf(by), { ...group, oldest: at, calls: [by, ...group.calls] })
  }
  return [...found].map(([what, { calls, newest, oldest, isOpen }]) => ({
    what,
    calls,
    isOpen,
    states: keeps.slice(newest, oldest + 2).toReversed(),
  }))
}

/** What a deed took away of what existed before it. */
export interface GitHit {
  readonly before: GitKeepRecord
  /** As the deed left them: these can be restored. */
  readonly refs: readonly LostRef[]
  readonly stashes: readonly LostStash[]
  readonly head: { readonly was: string; readonly now: string } | null
  /** `lost`: as the deed left it, so it can be restored. `changed`: something else changed it since. */
  readonly index: 'same' | 'lost' | 'changed'
  /** Refs that something else moved, before or after: these stay. `from`: a keep that has the lost value. */
  readonly left: readonly (LostRef & { readonly from: string })[]
}

export const isHit = ({ refs, stashes, head, index }: GitHit): boolean =>
  refs.length + stashes.length > 0 || head !== null || index === 'lost'

/** Values by ref name, `stash ID`, HEAD and INDEX. */
type Facts = ReadonlyMap<string, string>
const [HEAD, INDEX, STASH] = ['HEAD', 'INDEX', 'stash ']

export async function hitOf(reader: ObjectReader, deed: GitDeed, now: GitNow): Promise<GitHit> {
  const looking = new Looking(reader, now)
  const [before] = deed.states as [GitKeepRecord]
  const present = await looking.present(before)
  const steps = await Promise.all(deed.states.map((keep) => looking.kept(keep)))
  const own = deed.states.map(({ by }) => by !== undefined && deedOf(by) === deed.what)
  if (deed.isOpen) {
    steps.push(present)
    own.push(true)
  }
  const courses = [...coursesOf(steps, own)].filter(([name, { was }]) => present.get(name) !== was)
  const lost = new Map<string, Course>()
  for (const [name, course] of courses) if (await isLost(now, name, course, present)) lost.set(name, course)
  const refs = await lostRefs(now, lost, present)
  // Nothing else changed it, neither before the deed did nor since.
  const isOurs = (name: string, { was, left }: Course): boolean =>
    steps[0]?.get(name) === was && left === present.get(name)
  const stays = ({ name }: LostRef): boolean => !isOurs(name, lost.get(name) as Course)
  const left = refs.filter(stays).map((ref) => ({ ...ref, from: stateAt(deed, lost.get(ref.name)?.at).id }))
  const head = lost.get(HEAD)
  const hit = {
    before,
    left,
    refs: refs.filter((ref) => !stays(ref)),
    stashes: await lostStashes(now, lost),
    head: head && isOurs(HEAD, head) ? headsOf(head) : null,
  }
  return { ...hit, index: await indexOf(looking, hit, steps, own, present) }
}

const stateAt = ({ states }: GitDeed, at = 0): GitKeepRecord => states[at] as GitKeepRecord

const headsOf = ({ was, left }: Course) => ({ was, now: left ?? '' })

/** How a deed changed one ref, stash, HEAD or index. */
interface Course {
  /** The value before the deed first changed it, and the index of that state. */
  readonly was: string
  readonly at: number
  /**
   * The value that the deed left; undefined: it deleted it. A change by something else in between leaves a value that
   * equals no other.
   */
  readonly left: string | undefined
}

const INTERRUPTED = '(changed by somebody else in between)'

function coursesOf(steps: readonly Facts[], own: readonly boolean[]): Map<string, Course> {
  const courses = new Map<string, Course>()
  for (const [i, facts] of steps.entries()) {
    const last = steps[i - 1]
    if (last === undefined) continue
    for (const name of new Set([...last.keys(), ...courses.keys()])) {
      const [old, value, course] = [last.get(name), facts.get(name), courses.get(name)]
      if (old === value) continue
      if (!own[i]) {
        if (course) courses.set(name, { ...course, left: INTERRUPTED })
      } else if (course) courses.set(name, course.left === INTERRUPTED ? course : { ...course, left: value })
      else if (old !== undefined) courses.set(name, { was: old, at: i - 1, left: value })
    }
  }
  // A value that the deed itself restored was not changed.
  return new Map([...courses].filter(([, { was, left }]) => was !== left))
}

/** A branch that moved forward is not lost, whatever moved it. The index is compared separately. */
async function isLost(now: GitNow, name: string, { was, left }: Course, present: Facts): Promise<boolean> {
  if (name === INDEX) return false
  if (name.startsWith(STASH)) return left === undefined
  if (name === HEAD && (was.startsWith('ref: ') || left?.startsWith('ref: '))) return left !== undefined
  const goneOn = async (to: string | undefined): Promise<boolean> => to !== undefined && (await now.leadsTo(to, was))
  return !(await goneOn(present.get(name))) && !(left !== INTERRUPTED && (await goneOn(left)))
}

async function lostRefs(now: GitNow, lost: ReadonlyMap<string, Course>, present: Facts): Promise<LostRef[]> {
  const names = [...lost.keys()].filter((name) => name.startsWith('refs/'))
  const ids = names.map((name) => (lost.get(name) as Course).was)
  const object = await whereaboutsOf(now, ids)
  return names.map((name, i) => {
    const [id, is] = [ids[i] as string, present.get(name) ?? null]
    return { name, id, now: is, status: is === null ? 'gone' : 'rewritten', object: object(id) }
  })
}

async function lostStashes(now: GitNow, lost: ReadonlyMap<string, Course>): Promise<LostStash[]> {
  const names = [...lost.keys()].filter((name) => name.startsWith(STASH) && !now.hasStash(name.slice(STASH.length)))
  const object = await whereaboutsOf(
    now,
    names.map((name) => name.slice(STASH.length)),
  )
  return names.map((name) => {
    const id = name.slice(STASH.length)
    return { id, message: (lost.get(name) as Course).was, object: object(id) }
  })
}

/**
 * The index belongs to HEAD: where a deed moved HEAD, or unstaged what was staged, the earlier index is restored with
 * the rest. Not where HEAD stays somewhere else.
 */
async function indexOf(
  looking: Looking,
  { before, refs, left, head }: Pick<GitHit, 'before' | 'refs' | 'left' | 'head'>,
  steps: readonly Facts[],
  own: readonly boolean[],
  present: Facts,
): Promise<GitHit['index']> {
  const [was] = steps
  const course = coursesOf(steps, own).get(INDEX)
  if (was === undefined || course === undefined || present.get(INDEX) === course.was) return 'same'
  const branch = branchOf(was)
  if (left.some(({ name }) => name === branch)) return 'same'
  const isBack = head !== null || present.get(HEAD) === was.get(HEAD)
  const isMoved = head !== null || refs.some(({ name }) => name === branch || branch === undefined)
  const isConcerned = isMoved || (await hasUnstaged(looking, before, was, present))
  if (!isBack || !isConcerned) return 'same'
  return course.was === was.get(INDEX) && course.left === present.get(INDEX) ? 'lost' : 'changed'
}

/** The branch that HEAD is on; undefined when it is detached, or its branch is not known. */
const branchOf = (facts: Facts): string | undefined => {
  const name = /^ref: (.+)$/.exec(facts.get(HEAD) ?? '')?.[1]
  return name !== undefined && facts.has(name) ? name : undefined
}

const commitOf = (facts: Facts): string | undefined => {
  const branch = branchOf(facts)
  return branch === undefined ? facts.get(HEAD) : facts.get(branch)
}

/** Whether something was staged before and is no longer, although HEAD is the same. */
async function hasUnstaged(looking: Looking, before: GitKeepRecord, was: Facts, present: Facts): Promise<boolean> {
  const commit = commitOf(was)
  if (commit === undefined || commit !== commitOf(present)) return false
  const [then, now] = [await looking.staged(before), await looking.stagedNow(before)]
  if (then === undefined || now === undefined) return false
  const tree = await treeOf(before.git_dir, commit)
  return [...then].some(([path, row]) => row !== tree.get(path) && now.get(path) === tree.get(path))
}

/** The path in the keep of a file of the work tree's own git folder. */
export const pathOf = ({ git_dir, common_dir }: GitKeepRecord, name: string): string =>
  join(relative(common_dir, git_dir), name)

/** Reads states; each index is read once. */
class Looking {
  readonly #reader: ObjectReader
  readonly #now: GitNow

  constructor(reader: ObjectReader, now: GitNow) {
    this.#reader = reader
    this.#now = now
  }

  async kept(keep: GitKeepRecord): Promise<Facts> {
    const parts = new KeptParts(this.#reader, keep, 0)
    const head = parts.file(pathOf(keep, 'HEAD'))?.bytes ?? new Uint8Array()
    return new Map([
      ...parts.refs.filter(isOwn).map(({ name, id }) => [name, id] as const),
      ...parts.stashes.map(({ id, message }) => [`${STASH}${id}`, message] as const),
      [HEAD, nameFromBytes(head).trim()],
      [INDEX, stagedText(await this.staged(keep), keep.id)],
    ])
  }

  async present(keep: GitKeepRecord): Promise<Facts> {
    const head = readFile(join(keep.git_dir, 'HEAD')) ?? new Uint8Array()
    return new Map([
      ...this.#now.refs.filter(isOwn).map(({ name, id }) => [name, id] as const),
      ...this.#now.stashes.map(({ id, message }) => [`${STASH}${id}`, message] as const),
      [HEAD, nameFromBytes(head).trim()],
      [INDEX, stagedText(await this.stagedNow(keep), 'now')],
    ])
  }

  async staged(keep: GitKeepRecord): Promise<Staged | undefined> {
    const index = new KeptParts(this.#reader, keep, 0).file(pathOf(keep, 'index'))
    return index ? await stagedIn(keep.git_dir, index.bytes) : new Map()
  }

  stagedNow = (keep: GitKeepRecord): Promise<Staged | undefined> => stagedIn(keep.git_dir)
}

/** An index that cannot be read equals no other. */
const stagedText = (staged: Staged | undefined, where: string): string =>
  staged ? textOf(staged) : `unreadable ${where}`
