import { lookUp } from '../../base/look-up.ts'
import type { CallRecord } from '../../records/calls.ts'
import type { Snapshots } from '../../records/snapshots.ts'
import type { Candidate, Cause, Certainty, Sighting, Source } from '../../schema/cause.ts'
import { isWithin, type RelPath } from '../../schema/path.ts'
import type { TreeDifference } from '../../store/compare-trees.ts'
import { KIND } from '../../store/tree.ts'
import { type Before, fitOf } from './fits.ts'
import type { Ending, Share } from './share.ts'
import { movesIn, type Seen, type SeenAt } from './sightings.ts'

/** What is known when changes were found that somebody made. */
export interface Evidence {
  /** Every call that may have made them: all that are under way, the ending one among them. */
  readonly calls: readonly CallRecord[]
  /** The call that ends now, and what its share is called. */
  readonly ending?: Ending | undefined
  /** Of the calls, those that were told or seen to have ended, and not to have failed. */
  readonly ended?: ReadonlySet<number> | undefined
  /** Who without a call was seen at a path around this time. Asked only where it matters. */
  readonly seenAt: SeenAt
  readonly before: Before
  /** Nobody is looked for before this. */
  readonly since: number
  readonly now: number
}

/** The same with what the changes tell of each other. */
interface Case extends Evidence {
  /** Where each file went that was renamed. */
  readonly movedTo: ReadonlyMap<RelPath, RelPath>
}

/** So many calls are looked at. */
const LOOKED_AT = 300

/**
 * Changes that calls were given because they ran at that time, at paths that somebody without a call was at just after:
 * it may have been them before, too.
 */
export function doubtful(
  snapshots: Snapshots,
  workspace: string,
  paths: ReadonlySet<RelPath>,
  since: number,
): { readonly id: string; readonly paths: RelPath[] }[] {
  return snapshots
    .ofInterval(workspace, since, LOOKED_AT)
    .map(({ id, seq }) => ({
      id,
      paths: snapshots.changesOf(seq).flatMap(({ path }) => (paths.has(path) ? [path] : [])),
    }))
    .filter((one) => one.paths.length > 0)
}

type KnownBy = NonNullable<Cause['known_by']>

type Owner =
  | { readonly of: 'nobody' }
  | {
      readonly of: 'call'
      readonly call: CallRecord
      readonly certainty: Certainty
      readonly by: KnownBy
      readonly seen?: Sighting | undefined
    }
  | {
      readonly of: 'several'
      readonly candidates: readonly CallRecord[]
      /** Whether it may have been somebody without a call. */
      readonly orOther: boolean
      readonly seen: Sighting | undefined
    }

/**
 * Who made the change at one path, and how sure that is. Pure; never a guess.
 *
 * Whoever is known to make just this content made it. An edit names its path: it wins, unless others name it too. What nobody
 * names and looks like its draft is its, too. A command gets what it can touch, unless another call could have made it, or
 * somebody without a call was seen at this very path: see `otherAt`.
 */
function ownerOf(change: TreeDifference, isFolder: boolean, evidence: Case): Owner {
  const { path } = change
  const [maker, another] = evidence.calls.filter((call) => isOfKnownMake(call, path) && makes(call, change))
  if (maker !== undefined && another === undefined)
    return { of: 'call', call: maker, certainty: 'certain', by: 'content' }
  const able = evidence.calls.filter((call) => canTouch(call, path))
  const naming = able.filter(({ paths }) => paths !== null)
  const drafting = isFolder || naming.length > 0 ? [] : evidence.calls.filter((call) => mayDraft(call, path))
  const isEdited = naming.some(({ kind }) => kind === 'edit')
  const wins = [isEdited ? naming : [], drafting].find(({ length }) => length > 0) ?? able
  const [first] = wins
  if (first === undefined) return { of: 'nobody' }
  const other = otherAt(change, wins, evidence)
  if (wins.length > 1 || other.isPossible)
    return { of: 'several', candidates: wins, orOther: other.isPossible, seen: other.seen }
  const isAlone = able.every((call) => wins.includes(call))
  return { of: 'call', call: first, ...sureness(first, change, isAlone, other.seen, evidence), seen: other.seen }
}

const canTouch = ({ paths }: CallRecord, path: RelPath): boolean =>
  paths === null || paths.some((able) => isWithin(path, able))

/** An edit tool writes a draft beside its file and renames it; somebody else’s look may come in between. */
const mayDraft = ({ kind, paths }: CallRecord, path: RelPath): boolean =>
  kind === 'edit' && paths !== null && paths.some((file) => isDraftOf(path, file))

const isDraftOf = (path: RelPath, file: RelPath): boolean =>
  path.startsWith(file) && /^\.tmp(\.[^/]*)?$/.test(path.slice(file.length))

/** Whether a call says what it makes of this file, or that nobody knows. */
const isOfKnownMake = ({ makes: hash, paths }: CallRecord, path: RelPath): boolean =>
  hash !== null && (paths?.includes(path) ?? false)

const makes = ({ makes: hash }: CallRecord, { new: now }: TreeDifference): boolean =>
  now !== undefined && Buffer.from(now.hash).toString('hex') === hash

/** Whether it is known to make something else of this file, or that nobody knows what. */
const isNotAsMade = (call: CallRecord, change: TreeDifference): boolean =>
  isOfKnownMake(call, change.path) && !makes(call, change)

/** Whose beginning was not seen may have found it changed already; who makes something else and was not seen to end may not have made this. */
const isDoubtful = (call: CallRecord, change: TreeDifference, { ended }: Evidence): boolean =>
  call.half_seen || (isNotAsMade(call, change) && !ended?.has(call.seq))

/** In a call that takes longer, somebody may have changed one of its files meanwhile without having been seen before. */
const SHORT_MS = 2000

const isShort = ({ started_at }: CallRecord, { now }: Evidence): boolean => now - started_at <= SHORT_MS

/**
 * How sure it is that the only call that could have made a change made it. `isAlone`: no other call was near. An edit that is
 * known to make something else is not sure, nor a command that says something else of itself, failed, or was not told to
 * have ended.
 */
function sureness(
  call: CallRecord,
  change: TreeDifference,
  isAlone: boolean,
  seen: Sighting | undefined,
  evidence: Case,
): { certainty: Certainty; by: KnownBy } {
  const isNear = isAlone && isShort(call, evidence)
  if (call.kind === 'edit') {
    if (isNotAsMade(call, change)) return { certainty: 'likely', by: 'interval' }
    return { certainty: isNear && seen === undefined ? 'certain' : 'likely', by: 'path' }
  }
  const isSaid = fitOf(call, change, evidence.before) === 'sure' && evidence.ended?.has(call.seq) === true
  // Who was at it before may have saved it once more; that does not make a file go away.
  const isSure = isNear && isSaid && (seen === undefined || change.new === undefined)
  return isSure ? { certainty: 'certain', by: 'path' } : { certainty: 'likely', by: 'interval' }
}

interface Other {
  readonly isPossible: boolean
  readonly seen?: Sighting | undefined
}

/** Whether somebody without a call may have made the change rather than one of `able`. */
function otherAt(change: TreeDifference, able: readonly CallRecord[], evidence: Case): Other {
  const { path } = change
  const sound = able.filter((call) => !isDoubtful(call, change, evidence))
  if (sound.length === 0) return { isPossible: true }
  // Whoever types commands in a guarded shell is the person who edits files beside it.
  if (able.every(({ client }) => client === 'shell')) return { isPossible: false }
  const found = evidence.seenAt(path)
  const began = Math.min(...able.map(({ started_at }) => started_at))
  const seen = found && sightingOf(found, change, began, evidence)
  // An edit names its path, and is over in a moment: whoever was at it before did not write what it wrote.
  const isWritten = (call: CallRecord): boolean =>
    call.kind === 'edit' && canTouch(call, path) && isShort(call, evidence) && !isNotAsMade(call, change)
  if (sound.some(isWritten)) return { isPossible: false, seen }
  if (found && !(isBefore(found, began) && isUndoubted(change, able, evidence))) return { isPossible: true, seen }
  // A program left running in the background that may touch anything is never the only one who could.
  return { isPossible: able.every((one) => one.paths === null && one.background), seen }
}

/** What was there when a call began is in the capture before it. Whose file is open in an editor is still there. */
const isBefore = ({ at, isOpen }: Seen, began: number): boolean => isOpen !== true && at <= began

/**
 * Whether a change is a call's though somebody was at the path before it. What they wrote is captured, so a file that is gone
 * lacks nothing of theirs; and a command that says just this of itself, and is over in a moment, did it.
 */
function isUndoubted(change: TreeDifference, able: readonly CallRecord[], evidence: Case): boolean {
  const [only, ...others] = able
  if (only === undefined || others.length > 0 || only.kind === 'edit') return false
  const fit = fitOf(only, change, evidence.before)
  if (change.new === undefined) return fit !== 'no' || !evidence.movedTo.has(change.path)
  return fit !== 'no' && isShort(only, evidence)
}

function sightingOf(seen: Seen, { path, old }: TreeDifference, began: number, { since }: Evidence): Sighting {
  const { by, path: where = path } = seen
  const found = { path: where, by, ...(where === path ? {} : { renamed_to: path }) }
  if (!isBefore(seen, began)) return { ...found, seconds_before: 0 }
  // A capture finds a change later than it was made; its file knows better.
  const saved = where === path && old !== undefined ? old.mtime / 1000 : 0
  const at = by === 'change' && saved >= since ? Math.min(saved, seen.at) : seen.at
  return { ...found, seconds_before: Math.max(1, Math.round((began - at) / 1000)) }
}

/** The changes as shares: one for each call and certainty, one for each set of candidates. What is left is somebody else's. */
export function sharesFor(changes: readonly TreeDifference[], known: Evidence): Share[] {
  const movedTo = movesIn(changes)
  const evidence: Case = { ...known, movedTo }
  const shares = new Map<string, { owner: Exclude<Owner, { of: 'nobody' }>; paths: Set<RelPath>; seen: Sighting[] }>()
  for (const change of changes) {
    const { path, old, new: now } = change
    const isFolder = (now ?? old)?.kind === KIND.directory
    if (isFolder && !evidence.calls.some((call) => canTouch(call, path))) continue
    const owner = ownerOf(change, isFolder, evidence)
    if (owner.of === 'nobody') continue
    const key = keyOf(owner)
    const found = shares.get(key) ?? { owner, paths: new Set<RelPath>(), seen: [] }
    shares.set(key, found)
    found.paths.add(path)
    if (owner.seen && found.seen.length < SEEN_LISTED) found.seen.push(owner.seen)
  }
  return [...shares.values()]
    .map(({ owner, paths, seen }) => ({
      paths,
      ...(owner.of === 'call' ? ofCall(owner, seen) : ofSeveral(owner, seen)),
    }))
    .map((share) => named(share, evidence))
    .sort((a, b) => rank(a, evidence) - rank(b, evidence))
}

const SEEN_LISTED = 20

const isEnding = ({ cause }: Share, { ending }: Evidence): boolean =>
  ending !== undefined && cause.call_id === ending.call.id && cause.session_id === ending.call.session_id

/** The ending call's comes last, what it surely made behind the rest: the state after it is the present. */
const rank = (share: Share, evidence: Evidence): number =>
  (isEnding(share, evidence) ? 2 : 0) + (share.cause.certainty === 'shared' ? 0 : 1)

const named = (share: Share, evidence: Evidence): Share =>
  evidence.ending?.label && isEnding(share, evidence) ? { ...share, label: evidence.ending.label } : share

const keyOf = (owner: Exclude<Owner, { of: 'nobody' }>): string =>
  owner.of === 'call'
    ? `${owner.call.seq} ${owner.certainty} ${owner.by}`
    : `${owner.candidates.map(({ seq }) => seq).join(',')}${owner.orOther ? '?' : ''}`

/** What is said of a change that one call made. */
function ofCall({ call, certainty, by }: Owner & { of: 'call' }, seen: Sighting[]): Omit<Share, 'paths'> {
  const cause: Cause = { ...causeOf(call), certainty, known_by: by, ...(seen.length > 0 ? { seen } : {}) }
  return { cause, source: sourceOf(call.client), ...(call.title === null ? {} : { description: call.title }) }
}

const causeOf = (call: CallRecord): Cause => ({
  role: 'change',
  tool: call.tool,
  ...(call.input === undefined ? {} : { tool_input: call.input }),
  session_id: call.session_id,
  call_id: call.id,
  ...(call.prompt_id === null ? {} : { prompt_id: call.prompt_id }),
})

/** What is said when nobody can tell which of several: what they have in common, and who they are. */
function ofSeveral({ candidates, orOther }: Owner & { of: 'several' }, seen: Sighting[]): Omit<Share, 'paths'> {
  const [only, ...others] = candidates
  const common = <K extends 'session_id' | 'prompt_id' | 'tool'>(key: K): Pick<Cause, K> | undefined => {
    const all = new Set(candidates.map((call) => call[key]))
    const [value] = all
    return all.size === 1 && value !== null ? ({ [key]: value } as Pick<Cause, K>) : undefined
  }
  const shared: Candidate[] = candidates.map(({ session_id, id, prompt_id, title }) => ({
    session_id,
    call_id: id,
    prompt_id,
    title,
  }))
  if (orOther) shared.push({ session_id: null, call_id: null, prompt_id: null })
  const cause: Cause = {
    ...(only && others.length === 0
      ? causeOf(only)
      : { role: 'change', ...common('tool'), ...common('session_id'), ...common('prompt_id') }),
    certainty: 'shared',
    known_by: 'interval',
    shared,
    ...(seen.length > 0 ? { seen } : {}),
  }
  const description = only && others.length === 0 ? only.title : null
  return { cause, source: sourceOf(only?.client ?? 'generic'), ...(description === null ? {} : { description }) }
}

const SOURCE_OF: Readonly<Record<string, Source>> = {
  claude: 'claude-guard',
  opencode: 'opencode-guard',
  codex: 'codex-guard',
  gemini: 'gemini-guard',
  shell: 'shell-guard',
}
export const sourceOf = (client: string): Source => lookUp(SOURCE_OF, client) ?? 'generic-guard'
