import { join } from 'node:path'
import { lstat, readNames } from '../host/files/fs.ts'
import { newHash, toHex } from '../host/hash.ts'
import { point } from '../host/points.ts'
import type { GitCall, GitKeepRecord, KeptRepository } from '../records/git-keeps.ts'
import { encodeNote } from '../records/notes.ts'
import { makeId } from '../schema/ids.ts'
import { type Entry, KIND } from '../store/tree.ts'
import type { CaptureContext } from '../timeline/scan/context.ts'
import { gitFacts } from '../timeline/workspace/git-facts.ts'
import type { Workspace } from '../timeline/workspace/workspace.ts'
import { parseRefs, parseStashes, refsListing, stagedDigest, stashListing } from './ask-git.ts'
import { GitSink, type TakenFiles, takeFiles } from './files.ts'
import { type GitFolders, gitFoldersOf, LARGE_EXTRAS, type RepositoryFolders } from './git-folders.ts'
import { KeptParts, numberOf, PART, partsOrNone } from './kept.ts'
import { isRemote, type Packed, type PackedBefore, packObjects } from './pack.ts'
import { gitSignature, type Signature } from './signature.ts'

export interface KeptGit {
  readonly keep: GitKeepRecord
  /** False when the newest keep already holds exactly this state. */
  readonly created: boolean
}

export interface KeepOptions {
  /** How long git may take to pack the objects of one repository. */
  readonly timeoutMs?: number
  /** Calls that are over: what changed since the last keep is the work of the first of them. */
  readonly ended?: readonly GitCall[]
  /** A call that is about to begin. */
  readonly begins?: GitCall
}

const TRIES = 3
const PATIENCE_MS = 120_000

/**
 * Keeps the state of git in a workspace: refs, HEAD, index, settings, hooks, reflogs and stashes byte for byte, and the
 * objects that no remote-tracking ref leads to, of the repository and of its submodules.
 *
 * Changes nothing in the repository and contacts no remote. If nothing changed since the last keep, it compares file
 * times and does not run git. Undefined when the workspace is in no repository, or `git.protect` is off. When it
 * returns, the keep survives the death of this process; `store.sync()` makes it survive a crash of the machine. What
 * could not be kept is in `keep.repositories[].problem` and `keep.warnings`; it throws only when the store or the disk
 * fails. It may be called at any time, by any number of processes at once.
 */
export async function keepGit(
  ctx: CaptureContext,
  workspace: Pick<Workspace, 'id' | 'root' | 'config'>,
  why: string,
  options: KeepOptions = {},
): Promise<KeptGit | undefined> {
  const place = workspace.config.git.protect ? gitFoldersOf(workspace.root) : undefined
  if (place === undefined) return undefined
  for (let attempt = 1; ; attempt++) {
    const signature = gitSignature(place, Date.now())
    const last = ctx.records.gitKeeps.newest(workspace.id)
    if (last && last.signature === signature.text) return noted(ctx, { keep: last.keep, created: false }, options)
    const kept = await attemptKeep({
      ctx,
      workspace,
      place,
      signature,
      last: last?.keep,
      why,
      isLast: attempt >= TRIES,
      ended: options.ended ?? [],
      timeoutMs: options.timeoutMs ?? PATIENCE_MS,
    })
    if (kept) return noted(ctx, kept, options)
  }
}

/** A call that started longer ago without a reported end is taken to be over. */
const LOST_AFTER_MS = 30 * 60_000

/** The calls that may be under way since the newest keep. */
export const underWay = (newest: GitKeepRecord | undefined, now: number): readonly GitCall[] =>
  (newest?.expects ?? []).filter(({ at }) => now - at < LOST_AFTER_MS)

const isSame = (a: GitCall, b: GitCall): boolean => a.session_id === b.session_id && a.call_id === b.call_id

/** Records which calls are under way from this state on, if that differs from what is recorded. */
function noted(ctx: CaptureContext, kept: KeptGit, { ended = [], begins }: KeepOptions): KeptGit {
  if (ended.length === 0 && begins === undefined) return kept
  ctx.records.db.write(() => {
    const before = ctx.records.gitKeeps.get(kept.keep.id)?.expects ?? []
    const over = [...ended, ...(begins ? [begins] : [])]
    const rest = before.filter((one) => !over.some((call) => isSame(one, call)))
    const expects = [...rest, ...(begins ? [begins] : [])]
    if (expects.length + before.length > 0) ctx.records.gitKeeps.expect(kept.keep.id, expects)
  })
  return kept
}

interface Attempt {
  readonly ctx: CaptureContext
  readonly workspace: Pick<Workspace, 'id' | 'root' | 'config'>
  readonly place: GitFolders
  readonly signature: Signature
  readonly last: GitKeepRecord | undefined
  readonly why: string
  readonly timeoutMs: number
  readonly isLast: boolean
  readonly ended: readonly GitCall[]
}

/** Undefined when git was running meanwhile, or a garbage collection removed an object: then the caller tries again. */
async function attemptKeep(a: Attempt): Promise<KeptGit | undefined> {
  const epoch = a.ctx.store.index.epoch()
  const sink = new GitSink(a.ctx.store)
  try {
    const looked: Looked[] = []
    for (const repository of a.place.repositories) looked.push(await look(sink, repository))
    const state = stateOf(looked)
    if (a.last?.state === state && isSound(a.last)) return sameAgain(a, a.last)
    point('git:looked')
    const made: Made[] = []
    for (const seen of looked) made.push(await pack(a, sink, seen))
    point('git:packed')
    const isMoving = gitSignature(a.place, Date.now()).text !== a.signature.text
    if (isMoving && !a.isLast) return undefined
    const tree = sink.tree([folder(PART.repositories, sink.tree(made.map(({ entry }) => entry)))])
    return record(a, sink, { epoch, state, tree, made, sign: isMoving ? '' : signable(a.signature, made) })
  } finally {
    sink.end()
  }
}

/**
 * No signature when file times might not show a later change, or when another attempt may do better: then the next keep
 * compares everything.
 */
const signable = ({ text, isSure }: Signature, made: readonly Made[]): string =>
  isSure && !made.some(({ packed }) => packed.passing) ? text : ''

/** Whether another attempt would gain nothing. */
export const isSound = ({ repositories }: GitKeepRecord): boolean =>
  repositories.every(({ problem, outgrown }) => problem === null || outgrown)

function sameAgain({ ctx, signature }: Attempt, keep: GitKeepRecord): KeptGit {
  if (signature.isSure) ctx.records.db.write(() => ctx.records.gitKeeps.sign(keep.id, signature.text))
  return { keep, created: false }
}

/** The state of a repository, from its files and from git. */
interface Looked {
  readonly place: RepositoryFolders
  readonly files: TakenFiles
  readonly refs: Buffer
  readonly stashes: Buffer
  readonly staged: Uint8Array
  readonly trouble: string | null
}

async function look(sink: GitSink, place: RepositoryFolders): Promise<Looked> {
  const files = takeFiles(sink, place.dir)
  const refs = await refsListing(place.gitDir)
  const hasStash = refs?.includes(' refs/stash\n') ?? false
  return {
    place,
    files,
    refs: refs ?? Buffer.alloc(0),
    stashes: hasStash ? await stashListing(place.gitDir) : Buffer.alloc(0),
    staged: await stagedDigest(place.gitDir),
    trouble: refs === undefined ? 'git cannot read its refs' : null,
  }
}

function stateOf(looked: readonly Looked[]): string {
  const hash = newHash()
  for (const { place, files, refs, stashes, staged } of looked)
    for (const part of [Buffer.from(`${JSON.stringify(place.path)}\n`), files.digest, refs, stashes, staged])
      hash.update(part)
  return toHex(hash.digest())
}

interface Made {
  readonly entry: Entry
  readonly packed: Packed
  readonly summary: KeptRepository
  readonly warnings: readonly string[]
}

async function pack(a: Attempt, sink: GitSink, seen: Looked): Promise<Made> {
  const { place, files } = seen
  const refs = parseRefs(seen.refs)
  const packed: Packed =
    seen.trouble === null
      ? await packObjects(sink, {
          place,
          refs,
          files,
          before: await before(a, place),
          maxBytes: a.workspace.config.git.max_bytes,
          timeoutMs: a.timeoutMs,
        })
      : { packs: [], absent: [], problem: seen.trouble, outgrown: false, passing: true }
  for (const { hash } of packed.packs) sink.rely(hash)
  const file = (name: string, bytes: Uint8Array): Entry => ({
    name,
    kind: KIND.file,
    mode: 0o600,
    size: bytes.length,
    mtime: 0,
    hash: sink.file(bytes),
  })
  const tree = sink.tree([
    folder(PART.files, files.tree),
    folder(PART.packs, sink.tree(packed.packs)),
    file(PART.refs, seen.refs),
    file(PART.stashes, seen.stashes),
    file(PART.absent, Buffer.from(packed.absent.join('\n'))),
  ])
  return {
    entry: folder(numberOf(a.place.repositories.indexOf(place)), tree),
    packed,
    summary: {
      path: place.path,
      ...(gitFacts(place.gitDir) ?? { head: null, branch: null }),
      refs: refs.length,
      stashes: parseStashes(seen.stashes).length,
      bytes: packed.packs.reduce((sum, { size }) => sum + size, 0),
      problem: packed.problem,
      outgrown: packed.outgrown,
    },
    warnings: warningsOf(place, files),
  }
}

const folder = (name: string, hash: Uint8Array): Entry => ({
  name,
  kind: KIND.directory,
  mode: 0o755,
  size: 0,
  mtime: 0,
  hash,
})

function warningsOf({ dir, path }: RepositoryFolders, { tooLarge }: TakenFiles): string[] {
  const at = (name: string): string => (path === '' ? name : `${path}/${name}`)
  const extras = LARGE_EXTRAS.filter(
    (name) => lstat(join(dir, name))?.isDirectory() && readNames(join(dir, name)).length > 0,
  )
  return [
    ...tooLarge.map((name) => `${at(name)} is not kept: it is too large`),
    ...extras.map((name) => `${at(name)} is not kept: contents that git itself does not hold`),
  ]
}

/** What the last keep stored of the same repository; undefined when the new keep cannot build on it. */
async function before(
  { ctx, last, place: { commonDir } }: Attempt,
  { path }: RepositoryFolders,
): Promise<PackedBefore | undefined> {
  const index = last?.repositories.findIndex((repository) => repository.path === path) ?? -1
  const kept = last?.repositories[index]
  if (!last || !kept || last.common_dir !== commonDir || !(kept.problem === null || kept.outgrown)) return undefined
  return await partsOrNone(() => {
    const parts = new KeptParts(ctx.store.reader, last, index)
    const remoteTips = parts.refs.filter(isRemote).map(({ id }) => id)
    const { packs } = parts
    return { tips: parts.tips(), indexes: parts.indexes(), remoteTips, packs, outgrown: kept.outgrown }
  })
}

interface Finished {
  readonly epoch: number
  readonly state: string
  readonly tree: Uint8Array
  readonly made: readonly Made[]
  readonly sign: string
}

/** One transaction: the objects become findable and the keep is recorded, or neither. */
function record(a: Attempt, sink: GitSink, done: Finished): KeptGit | undefined {
  const { ctx, workspace, place } = a
  return ctx.records.db.write(() => {
    const newest = ctx.records.gitKeeps.newest(workspace.id)?.keep
    if (newest?.state === done.state && isSound(newest)) return { keep: newest, created: false }
    sink.publish()
    if (ctx.store.index.epoch() !== done.epoch && sink.isMissing) return undefined
    const now = ctx.clock.now()
    const others = underWay(newest, now)
    const by = a.ended[0] ?? others[0]
    const keep: GitKeepRecord = {
      id: makeId('g', now, () => ctx.clock.random()),
      workspace: workspace.id,
      created_at: now,
      why: a.why.toWellFormed(),
      git_dir: place.gitDir,
      common_dir: place.commonDir,
      link: place.link,
      repositories: done.made.map(({ summary }) => summary),
      warnings: done.made.flatMap(({ warnings }) => warnings),
      state: done.state,
      tree: toHex(done.tree),
      stored_bytes: sink.stored,
      ...(by ? { by } : {}),
    }
    const note = sink.note(encodeNote({ note: 'git_keep', at: now, ...keep }))
    sink.publish()
    ctx.records.notes.add(note, keep.id, 'git_keep')
    ctx.records.gitKeeps.add(keep, done.sign)
    if (others.length > 0) ctx.records.gitKeeps.expect(keep.id, others)
    point('git:recorded')
    return { keep, created: true }
  })
}
