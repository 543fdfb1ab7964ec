import { lstat } from '../host/fs.ts'
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
} from './git-ask.ts'
import { KeptParts } from './git-kept.ts'
import { isRemote } from './git-pack.ts'

/** What a repository has lost against an earlier state of it. */
export interface Losses {
  /** The git folder itself is gone; then nothing else is told. */
  readonly gone: boolean
  readonly refs: readonly LostRef[]
  readonly stashes: readonly LostStash[]
  /** What reflogs led to and the repository no longer has. */
  readonly commits: readonly string[]
}

export interface LostRef extends Ref {
  readonly status: 'gone' | 'rewritten'
  /** What it is now; null when it is gone. */
  readonly now: string | null
  readonly object: Whereabouts
}

export interface LostStash extends Stash {
  readonly object: Whereabouts
}

/** Whether a commit is still there: reachable by some ref, only lying about, or missing. */
type Whereabouts = 'reachable' | 'loose' | 'missing'

/** The present of a repository. Asked once, however many keeps are compared with it. */
export class GitNow {
  readonly dir: GitDir
  readonly #refs: ReadonlyMap<string, string>
  readonly #stashes: ReadonlySet<string>
  readonly #ancestry = new Map<string, boolean>()

  constructor(dir: GitDir) {
    this.dir = dir
    this.#refs = new Map(parseRefs(refsListing(dir) ?? Buffer.alloc(0)).map(({ name, id }) => [name, id]))
    const top = this.#refs.get('refs/stash')
    const listed = top === undefined ? [] : parseStashes(stashListing(dir)).map(({ id }) => id)
    // Its reflog may have expired: the newest is still there.
    this.#stashes = new Set(top === undefined ? [] : [top, ...listed])
  }

  ref(name: string): string | undefined {
    return this.#refs.get(name)
  }

  hasStash = (id: string): boolean => this.#stashes.has(id)

  /** Whether `old` is in the history of `young`. */
  leadsTo(young: string, old: string): boolean {
    const key = `${old} ${young}`
    let known = this.#ancestry.get(key)
    if (known === undefined) this.#ancestry.set(key, (known = isAncestor(this.dir, old, young)))
    return known
  }
}

/** Undefined when there is no repository any more. */
export const gitNow = ({ git_dir }: GitKeepRecord): GitNow | undefined =>
  lstat(git_dir)?.isDirectory() && refsListing(git_dir) !== undefined ? new GitNow(git_dir) : undefined

export function lossesOf(reader: ObjectReader, keep: GitKeepRecord, now: GitNow | undefined): Losses {
  if (now === undefined) return { gone: true, refs: [], stashes: [], commits: [] }
  const parts = new KeptParts(reader, keep, 0)
  const refs = lostRefs(now, parts.refs)
  const stashes = parts.stashes.filter(({ id }) => !now.hasStash(id))
  const reflogs = [...parts.logged()]
  const there = present(now.dir, [...refs, ...stashes].map(({ id }) => id).concat(reflogs))
  const loose = unreachable(
    now.dir,
    [...refs, ...stashes].map(({ id }) => id).filter((id) => there.has(id)),
  )
  const whereabouts = (id: string): Whereabouts => (!there.has(id) ? 'missing' : loose.has(id) ? 'loose' : 'reachable')
  const named = new Set([...refs, ...stashes].map(({ id }) => id))
  return {
    gone: false,
    refs: refs.map((ref) => ({ ...ref, object: whereabouts(ref.id) })),
    stashes: stashes.map((stash) => ({ ...stash, object: whereabouts(stash.id) })),
    commits: reflogs.filter((id) => !there.has(id) && !named.has(id)),
  }
}

/** A branch that went on is not lost. Remote-tracking refs come back with a fetch; stashes are told one by one. */
function lostRefs(now: GitNow, kept: readonly Ref[]): Omit<LostRef, 'object'>[] {
  return kept.flatMap((ref): Omit<LostRef, 'object'>[] => {
    if (isRemote(ref) || ref.name === 'refs/stash' || ref.name.startsWith('refs/timewarp/')) return []
    const id = now.ref(ref.name)
    if (id === undefined) return [{ ...ref, status: 'gone', now: null }]
    if (id === ref.id || now.leadsTo(id, ref.id)) return []
    return [{ ...ref, status: 'rewritten', now: id }]
  })
}
