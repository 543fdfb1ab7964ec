import { lstat, stat } from '../host/files/fs.ts'
import type { GitKeepRecord } from '../records/git-keeps.ts'
import type { ObjectReader } from '../store/object-reader.ts'
import {
  type GitDir,
  isAncestor,
  parseRefs,
  parseStashes,
  present,
  type Ref,
  refsListing,
  type Stash,
  stashListing,
  unreachable,
} from './ask-git.ts'
import { KeptParts } from './kept.ts'
import { isRemote } from './pack.ts'

/** What a repository has lost since an earlier state of it. */
export interface Losses {
  /** The git folder itself, or the link to it, is gone; then the other fields are empty. */
  readonly gone: boolean
  readonly refs: readonly LostRef[]
  readonly stashes: readonly LostStash[]
  /** Commits that reflogs led to and the repository no longer has. */
  readonly commits: readonly string[]
}

export interface LostRef extends Ref {
  readonly status: 'gone' | 'rewritten'
  /** The present value; null when the ref is gone. */
  readonly now: string | null
  readonly object: Whereabouts
}

export interface LostStash extends Stash {
  readonly object: Whereabouts
}

/** Whether a commit still exists: reachable from a ref, only unreachable in the object database, or missing. */
export type Whereabouts = 'reachable' | 'loose' | 'missing'

/** The present state of a repository. Queried once, however many keeps are compared with it. */
export class GitNow {
  readonly dir: GitDir
  readonly #refs: ReadonlyMap<string, string>
  readonly #stashes: ReadonlySet<string>
  readonly #ancestry = new Map<string, boolean>()
  readonly #there = new Map<string, boolean>()
  readonly #loose = new Map<string, boolean>()

  readonly refs: readonly Ref[]
  readonly stashes: readonly Stash[]

  constructor(dir: GitDir, refs: readonly Ref[], stashes: readonly Stash[]) {
    this.dir = dir
    this.refs = refs
    this.stashes = stashes
    this.#refs = new Map(refs.map(({ name, id }) => [name, id]))
    const top = this.#refs.get('refs/stash')
    // The reflog of the stash may have expired: the newest stash still exists.
    this.#stashes = new Set([...(top === undefined ? [] : [top]), ...stashes.map(({ id }) => id)])
  }

  ref(name: string): string | undefined {
    return this.#refs.get(name)
  }

  hasStash = (id: string): boolean => this.#stashes.has(id)

  /** Whether `old` is in the history of `young`. */
  async leadsTo(young: string, old: string): Promise<boolean> {
    const key = `${old} ${young}`
    const known = this.#ancestry.get(key) ?? (await isAncestor(this.dir, old, young))
    this.#ancestry.set(key, known)
    return known
  }

  /** Those of some objects that the repository has. */
  there = (ids: readonly string[]): Promise<Set<string>> => known(this.#there, ids, (asked) => present(this.dir, asked))

  /** Those of some objects that no ref leads to. */
  loose = (ids: readonly string[]): Promise<Set<string>> =>
    known(this.#loose, ids, (asked) => unreachable(this.dir, asked))
}

/** Queries only ids whose answer is not cached. */
async function known(
  answers: Map<string, boolean>,
  ids: readonly string[],
  ask: (ids: readonly string[]) => Promise<Set<string>>,
): Promise<Set<string>> {
  const asked = ids.filter((id) => !answers.has(id))
  const found = asked.length > 0 ? await ask(asked) : new Set()
  for (const id of asked) answers.set(id, found.has(id))
  return new Set(ids.filter((id) => answers.get(id)))
}

/** The folder or link of the repository that is gone; undefined when all of them exist. */
export function goneOf({ git_dir, common_dir, link }: GitKeepRecord): string | undefined {
  for (const dir of [common_dir, git_dir]) if (!stat(dir)?.isDirectory()) return dir
  return link !== null && lstat(link.path) === undefined ? link.path : undefined
}

/** Undefined when the repository no longer exists. */
export async function gitNow(keep: GitKeepRecord): Promise<GitNow | undefined> {
  const { git_dir } = keep
  const listing = goneOf(keep) === undefined ? await refsListing(git_dir) : undefined
  if (listing === undefined) return undefined
  const refs = parseRefs(listing)
  const hasStash = refs.some(({ name }) => name === 'refs/stash')
  return new GitNow(git_dir, refs, hasStash ? parseStashes(await stashListing(git_dir)) : [])
}

export async function lossesOf(reader: ObjectReader, keep: GitKeepRecord, now: GitNow | undefined): Promise<Losses> {
  if (now === undefined) return { gone: true, refs: [], stashes: [], commits: [] }
  const parts = new KeptParts(reader, keep, 0)
  const { refs, stashes } = await lostNames(parts, now)
  const reflogs = [...parts.logged()]
  const named = new Set([...refs, ...stashes].map(({ id }) => id))
  const there = await now.there([...named, ...reflogs])
  const whereabouts = await whereaboutsOf(now, [...named])
  return {
    gone: false,
    refs: refs.map((ref) => ({ ...ref, object: whereabouts(ref.id) })),
    stashes: stashes.map((stash) => ({ ...stash, object: whereabouts(stash.id) })),
    commits: reflogs.filter((id) => !there.has(id) && !named.has(id)),
  }
}

export async function whereaboutsOf(now: GitNow, ids: readonly string[]): Promise<(id: string) => Whereabouts> {
  const there = await now.there(ids)
  const loose = await now.loose(ids.filter((id) => there.has(id)))
  return (id) => (!there.has(id) ? 'missing' : loose.has(id) ? 'loose' : 'reachable')
}

/** Which refs and stashes are lost, without checking what became of their objects. */
async function lostNames(parts: KeptParts, now: GitNow) {
  return {
    refs: await lostRefs(now, parts.refs),
    stashes: parts.stashes.filter(({ id }) => !now.hasStash(id)),
  }
}

/** The refs and stashes that a keep has and the repository lacks. */
export async function namesLost(reader: ObjectReader, keep: GitKeepRecord, now: GitNow): Promise<Ref[]> {
  const { refs, stashes } = await lostNames(new KeptParts(reader, keep, 0), now)
  return [...refs, ...stashes.map(({ id }) => ({ name: `stash ${id.slice(0, 10)}`, id }))]
}

/** Branches, tags and other refs that are compared by name. */
export const isOwn = (ref: Ref): boolean =>
  !isRemote(ref) && ref.name !== 'refs/stash' && !ref.name.startsWith('refs/timewarp/')

/**
 * A branch that moved forward is not lost. Remote-tracking refs can be fetched again; stashes are compared one by one.
 */
async function lostRefs(now: GitNow, kept: readonly Ref[]): Promise<Omit<LostRef, 'object'>[]> {
  const lost: Omit<LostRef, 'object'>[] = []
  for (const ref of kept) {
    if (!isOwn(ref)) continue
    const id = now.ref(ref.name)
    if (id === undefined) lost.push({ ...ref, status: 'gone', now: null })
    else if (id !== ref.id && !(await now.leadsTo(id, ref.id))) lost.push({ ...ref, status: 'rewritten', now: id })
  }
  return lost
}
