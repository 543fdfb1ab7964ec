import { join } from 'node:path'
import { size } from '../base/text.ts'
import { lstat, readNames } from '../host/fs.ts'
import type { Chunk } from '../store/chunk-list.ts'
import { CHUNK, CHUNKED_ABOVE, cutAt } from '../store/chunker.ts'
import { newHash, toHex } from '../store/hash.ts'
import { type Entry, KIND } from '../store/tree.ts'
import { isHeldBy, present, type Ref, streamFrom } from './git-ask.ts'
import type { GitSink } from './git-files.ts'
import type { RepositoryPlace } from './git-place.ts'

/**
 * Stores the objects that no remote has: all that refs, reflogs, stashes, the index and operations under way
 * lead to, except what the remote-tracking refs lead to. What an earlier keep has stored is not stored again;
 * its packs become packs of this one.
 */

export interface PackRequest {
  readonly place: RepositoryPlace
  readonly refs: readonly Ref[]
  /** Objects that reflogs and other files speak of. */
  readonly mentioned: ReadonlySet<string>
  readonly before: PackedBefore | undefined
  readonly maxBytes: number
  readonly timeoutMs: number
}

/** What the last keep of the same repository stored. */
export interface PackedBefore {
  readonly tips: ReadonlySet<string>
  readonly remoteTips: readonly string[]
  readonly packs: readonly Entry[]
  /** Its own objects were over the limit. */
  readonly outgrown: boolean
}

export interface Packed {
  readonly packs: readonly Entry[]
  /** Objects that are spoken of and not there. */
  readonly absent: readonly string[]
  readonly problem: string | null
  readonly outgrown: boolean
  /** Whether another try may do better although nothing has changed. */
  readonly passing: boolean
}

/** A rescue takes longer with each pack; beyond this many everything is packed anew. */
const MOST_PACKS = 100

export const isRemote = ({ name }: Ref): boolean => name.startsWith('refs/remotes/')

export async function packObjects(sink: GitSink, request: PackRequest): Promise<Packed> {
  const { place, refs, mentioned, before } = request
  const remotes = [...new Set(refs.filter(isRemote).map(({ id }) => id))]
  const wanted = new Set([...refs.filter((ref) => !isRemote(ref)).map(({ id }) => id), ...mentioned])
  const there = present(place.gitDir, [
    ...wanted,
    ...remotes,
    ...(before ? [...before.tips, ...before.remoteTips] : []),
  ])
  const tips = [...wanted].filter((id) => there.has(id))
  const absent = [...wanted].filter((id) => !there.has(id))
  const holders = remotes.filter((id) => there.has(id))
  const base = before && buildsOn(place, before, holders, there) ? before : undefined
  const known = [...holders, ...(base?.tips ?? [])].filter((id) => there.has(id))
  const packs = base?.packs ?? []
  const made = await makePack(sink, request, tips, known)
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
 * Whether only what is new has to be stored. Not so when a remote lost what it had: the last keep relied on it.
 */
function buildsOn(
  place: RepositoryPlace,
  before: PackedBefore,
  holders: readonly string[],
  there: ReadonlySet<string>,
): boolean {
  if (before.packs.length >= MOST_PACKS) return false
  const gone = before.remoteTips.filter((id) => !holders.includes(id))
  return gone.length === 0 || (gone.every((id) => there.has(id)) && isHeldBy(place.gitDir, gone, holders))
}

interface Made {
  readonly pack?: Entry
  readonly problem: string | null
  readonly passing: boolean
  readonly outgrown: boolean
}

async function makePack(
  sink: GitSink,
  { place, refs, maxBytes, timeoutMs }: PackRequest,
  tips: readonly string[],
  known: readonly string[],
): Promise<Made> {
  const partial = isPartial(place.dir) ? ['--exclude-promisor-objects'] : []
  const options = [...partial, '--reflog', '--indexed-objects']
  const first = await tryPack(sink, place, { tips, known, options, maxBytes, timeoutMs })
  if (first.problem === null || first.cut) return first
  // A reflog may lead to history of which parts are gone: then at least what the refs lead to.
  const named = new Set(refs.map(({ id }) => id))
  const second = await tryPack(sink, place, {
    tips: tips.filter((id) => named.has(id)),
    known,
    options: ['--missing=allow-any'],
    maxBytes,
    timeoutMs,
  })
  const problem = second.problem ?? `some of what reflogs lead to is not kept (${first.problem})`
  return { ...second, problem }
}

/** Whether it was cloned without some objects, which only its remote has. */
function isPartial(dir: string): boolean {
  const packs = join(dir, 'objects', 'pack')
  return lstat(packs)?.isDirectory() === true && readNames(packs).some((name) => name.endsWith('.promisor'))
}

interface PackTry {
  readonly tips: readonly string[]
  readonly known: readonly string[]
  readonly options: readonly string[]
  readonly maxBytes: number
  readonly timeoutMs: number
}

type Tried = Made & { readonly cut: boolean }

const tryPack = (sink: GitSink, place: RepositoryPlace, t: PackTry): Promise<Tried> =>
  sink.attempt(
    (own) => packInto(own, place, t),
    ({ problem }) => problem === null,
  )

async function packInto(sink: GitSink, place: RepositoryPlace, t: PackTry): Promise<Tried> {
  const intake = new Intake(sink, t.maxBytes)
  const lines = [...t.tips, '--not', ...t.known]
  const { status, err, cut } = await streamFrom(
    place.gitDir,
    ['pack-objects', '--revs', '--stdout', '-q', '--delta-base-offset', ...t.options],
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
  ...{ passing: false, outgrown: false, cut: false },
  ...how,
  problem,
})

const HEADER = 12

/** Cuts a pack into chunks as it comes. */
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

  /** False when it is too much. */
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

  /** Cuts as long as a whole chunk is sure to be there. */
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

  /** Undefined when there is nothing in the pack. */
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
