import { join } from 'node:path'
import { size } from '../base/text.ts'
import { lstat, readNames } from '../host/files/fs.ts'
import { newHash, toHex } from '../host/hash.ts'
import type { Chunk } from '../store/chunk-list.ts'
import { CHUNK, CHUNKED_ABOVE, cutAt } from '../store/chunker.ts'
import { type Entry, KIND } from '../store/tree.ts'
import { gitFacts } from '../timeline/workspace/git-facts.ts'
import { askGit, isHeldBy, present, type Ref, stagedIds, streamFrom } from './ask-git.ts'
import type { GitSink, TakenFiles } from './files.ts'
import { linkedDirs, type RepositoryFolders } from './git-folders.ts'

/**
 * Stores the objects that no remote has: all that is reachable from refs, reflogs, stashes, the index and operations
 * under way, except what is reachable from remote-tracking refs. Objects that an earlier keep has stored are not stored
 * again; its packs become packs of this keep.
 */

export interface PackRequest {
  readonly place: RepositoryFolders
  readonly refs: readonly Ref[]
  readonly files: TakenFiles
  readonly before: PackedBefore | undefined
  readonly maxBytes: number
  readonly timeoutMs: number
}

/** What the last keep of the same repository stored. */
export interface PackedBefore {
  readonly tips: ReadonlySet<string>
  readonly remoteTips: readonly string[]
  readonly indexes: ReadonlyMap<string, string>
  readonly packs: readonly Entry[]
  /** Its own objects exceeded the limit. */
  readonly outgrown: boolean
}

export interface Packed {
  readonly packs: readonly Entry[]
  /** Objects that are mentioned and do not exist. */
  readonly absent: readonly string[]
  readonly problem: string | null
  readonly outgrown: boolean
  /** Whether another attempt may do better although nothing has changed. */
  readonly passing: boolean
}

/** A rescue takes longer with each pack; beyond this many, everything is packed anew. */
const MOST_PACKS = 100

export const isRemote = ({ name }: Ref): boolean => name.startsWith('refs/remotes/')

export async function packObjects(sink: GitSink, request: PackRequest): Promise<Packed> {
  const { place, refs, files, before } = request
  const remotes = [...new Set(refs.filter(isRemote).map(({ id }) => id))]
  const wanted = new Set([...refs.filter((ref) => !isRemote(ref)).map(({ id }) => id), ...files.mentioned])
  const there = await present(place.gitDir, [
    ...wanted,
    ...remotes,
    ...(before ? [...before.tips, ...before.remoteTips] : []),
  ])
  const tips = [...wanted].filter((id) => there.has(id))
  const absent = [...wanted].filter((id) => !there.has(id))
  const holders = remotes.filter((id) => there.has(id))
  const base = before && (await buildsOn(place, before, holders, there)) ? before : undefined
  const known = new Set([...holders, ...(base?.tips ?? [])].filter((id) => there.has(id)))
  const packs = base?.packs ?? []
  const staged = await stagedNow(place, files, base)
  const made = await makePack(sink, request, {
    tips: [...tips, ...staged.ids],
    known: [...known, ...(await knownTrees(place, known))],
    all: ['--reflog', ...staged.options],
  })
  const outgrown = made.outgrown || (base?.outgrown ?? false)
  return {
    packs: made.pack ? [...packs, made.pack] : packs,
    absent,
    problem:
      made.problem ?? (outgrown ? `objects of earlier keeps are more than git.max_bytes; newer ones are kept` : null),
    outgrown,
    passing: made.passing,
  }
}

/**
 * Whether only new objects have to be stored. Not when a remote-tracking ref lost what it had: the last keep relied on
 * it.
 */
async function buildsOn(
  place: RepositoryFolders,
  before: PackedBefore,
  holders: readonly string[],
  there: ReadonlySet<string>,
): Promise<boolean> {
  if (before.packs.length >= MOST_PACKS) return false
  const gone = before.remoteTips.filter((id) => !holders.includes(id))
  return gone.length === 0 || (gone.every((id) => there.has(id)) && (await isHeldBy(place.gitDir, gone, holders)))
}

interface Made {
  readonly pack?: Entry
  readonly problem: string | null
  readonly passing: boolean
  readonly outgrown: boolean
}

/**
 * What has been staged since the last keep. Git's own option includes the index of every work tree each time, so where
 * there are several, only those that changed are queried, one by one.
 */
async function stagedNow(
  { dir, gitDir }: RepositoryFolders,
  { indexes }: TakenFiles,
  base: PackedBefore | undefined,
): Promise<{ ids: readonly string[]; options: readonly string[] }> {
  const changed = [...indexes].filter(([path, hash]) => base?.indexes.get(path) !== hash)
  if (changed.length === 0) return { ids: [], options: [] }
  if (base === undefined || indexes.size === 1) return { ids: [], options: ['--indexed-objects'] }
  const ids = new Set<string>()
  for (const [path] of changed) for (const id of await stagedIds(join(dir, path, '..'))) ids.add(id)
  return { ids: [...(await present(gitDir, ids))], options: [] }
}

/**
 * Only what is staged and not committed is stored. Git would also pack everything else that an index names, unless the
 * trees of the commits that the indexes are based on are excluded.
 */
async function knownTrees({ dir, gitDir }: RepositoryFolders, known: ReadonlySet<string>): Promise<string[]> {
  const heads = new Set([gitDir, dir, ...linkedDirs(dir)].flatMap((at) => gitFacts(at)?.head ?? []))
  const trees: string[] = []
  for (const head of heads)
    if (known.has(head) || (known.size > 0 && (await isHeldBy(gitDir, [head], [...known]))))
      trees.push(`${head}^{tree}`)
  return trees
}

async function makePack(
  sink: GitSink,
  { place, refs, maxBytes, timeoutMs }: PackRequest,
  { tips, known, all }: { tips: readonly string[]; known: readonly string[]; all: readonly string[] },
): Promise<Made> {
  const named = new Set(refs.map(({ id }) => id))
  // Parts of the history may be gone, most likely of what only reflogs lead to.
  const ways: { tips: readonly string[]; options: readonly string[] }[] = [
    { tips, options: [...((await hasPromise(place)) ? ['--exclude-promisor-objects'] : []), ...all] },
    { tips, options: ['--missing=allow-any', ...all] },
    { tips: tips.filter((id) => named.has(id)), options: ['--missing=allow-any'] },
  ]
  let problem: string | null = null
  for (const way of ways) {
    const made = await tryPack(sink, place, { ...way, known, maxBytes, timeoutMs })
    if (made.problem === null && problem !== null)
      return { ...made, problem: `not everything that is spoken of is there (${problem})` }
    if (made.problem === null || made.cut) return made
    problem ??= made.problem
  }
  return failed(problem ?? 'git failed', { passing: true })
}

/** Whether the repository is a partial clone that still knows the promisor remote. */
async function hasPromise({ dir, gitDir }: RepositoryFolders): Promise<boolean> {
  const packs = join(dir, 'objects', 'pack')
  if (!lstat(packs)?.isDirectory() || !readNames(packs).some((name) => name.endsWith('.promisor'))) return false
  const { out } = await askGit(gitDir, ['config', '--get-regexp', '^remote\\..*\\.promisor$'])
  return / (true|yes|on|1)$/im.test(out.toString())
}

interface PackTry {
  readonly tips: readonly string[]
  readonly known: readonly string[]
  readonly options: readonly string[]
  readonly maxBytes: number
  readonly timeoutMs: number
}

type Tried = Made & { readonly cut: boolean }

const tryPack = (sink: GitSink, place: RepositoryFolders, t: PackTry): Promise<Tried> =>
  sink.attempt(
    (own) => packInto(own, place, t),
    ({ problem }) => problem === null,
  )

async function packInto(sink: GitSink, place: RepositoryFolders, t: PackTry): Promise<Tried> {
  const intake = new Intake(sink, t.maxBytes)
  const lines = [...t.tips, '--not', ...t.known]
  const { status, err, cut } = await streamFrom(
    place.gitDir,
    ['pack-objects', '--revs', '--stdout', '-q', '--delta-base-offset', '--no-sparse', ...t.options],
    {
      input: Buffer.from(`${lines.join('\n')}\n`),
      onBytes: (bytes) => intake.take(bytes),
      timeoutMs: t.timeoutMs,
    },
  )
  if (cut === 'enough')
    return failed(`its objects are more than git.max_bytes (${size(t.maxBytes)})`, { cut: true, outgrown: true })
  if (cut === 'time')
    return failed(`git took longer than ${Math.round(t.timeoutMs / 1000)} s`, { cut: true, passing: true })
  if (status !== 0) return failed(err.split('\n')[0] || 'git failed', { passing: true })
  const pack = intake.end()
  return { ...(pack ? { pack } : {}), problem: null, passing: false, outgrown: false, cut: false }
}

const failed = (problem: string, how: Partial<Tried>): Tried => ({
  passing: false,
  outgrown: false,
  cut: false,
  ...how,
  problem,
})

const HEADER = 12

/** Cuts a pack into chunks while it is read. */
class Intake {
  readonly #sink: GitSink
  readonly #most: number
  readonly #whole = newHash()
  readonly #chunks: Chunk[] = []
  readonly #head: number[] = []
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #size = 0

  constructor(sink: GitSink, most: number) {
    this.#sink = sink
    this.#most = most
  }

  /** False when the pack exceeds the limit. */
  take(bytes: Buffer): boolean {
    for (let i = 0; this.#head.length < HEADER && i < bytes.length; i++) this.#head.push(bytes[i] as number)
    this.#whole.update(bytes)
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    this.#size += bytes.length
    if (this.#size > this.#most) return false
    if (this.#waitingBytes >= 4 * CHUNK.max) this.#cut(CHUNK.max)
    return true
  }

  /** Cuts chunks as long as enough bytes for a whole chunk are there. */
  #cut(atLeast: number): void {
    let bytes: Buffer = Buffer.concat(this.#waiting)
    while (bytes.length > 0 && bytes.length >= atLeast) {
      const end = cutAt(bytes)
      this.#chunks.push(this.#sink.chunk(bytes.subarray(0, end)))
      bytes = bytes.subarray(end)
    }
    this.#waiting = [bytes]
    this.#waitingBytes = bytes.length
  }

  /** Undefined when the pack is empty. */
  end(): Entry | undefined {
    if (Buffer.from(this.#head).subarray(8).equals(Buffer.alloc(4))) return undefined
    const hash = this.#whole.digest()
    if (this.#size <= CHUNKED_ABOVE) this.#sink.chunk(Buffer.concat(this.#waiting))
    else {
      this.#cut(0)
      this.#sink.list(hash, this.#chunks)
    }
    const name = `pack-${toHex(hash).slice(0, 40)}.pack`
    return { name, kind: KIND.file, mode: 0o444, size: this.#size, mtime: 0, hash }
  }
}
