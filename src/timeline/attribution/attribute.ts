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

/** The evidence about the changes that a capture found. */
export interface Evidence {
  /** Every call that may have made them: all calls under way, and the ending one. */
  readonly calls: readonly CallRecord[]
  /** The call that ends with this capture, and the label of its share. */
  readonly ending?: Ending | undefined
  /** Those of the calls that were reported or observed to have ended, and not to have failed. */
  readonly ended?: ReadonlySet<number> | undefined
  /** Returns the last sighting at a path around this time. Called only where it matters. */
  readonly seenAt: SeenAt
  readonly before: Before
  /** The start of the time window: earlier sightings do not count. */
  readonly since: number
  readonly now: number
}

/** The evidence, with what the changes show about each other. */
interface Case extends Evidence {
  /** For each file that was renamed, its new path. */
  readonly movedTo: ReadonlyMap<RelPath, RelPath>
}

/** At most this many snapshots are checked. */
const LOOKED_AT = 300

/**
 * Earlier changes that were attributed to calls only because those ran at the time, at paths that were changed outside
 * every call just after. The same person or process may have made the earlier changes, too.
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
      /** Whether a person or process without a call may have made the change. */
      readonly orOther: boolean
      readonly seen: Sighting | undefined
    }

/**
 * Decides which call made the change at one path, and how certain that is. Pure; never a guess.
 *
 * A call known to make exactly this content made the change. An edit names its path: it wins, unless other calls name
 * the path, too. A path that no call names and that looks like the draft of an edit belongs to that edit. A command
 * gets what it can touch, unless another call could have made it, or there is a sighting at this path: see `otherAt`.
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

/** An edit tool writes a draft beside its file and renames it; another process's scan may run in between. */
const mayDraft = ({ kind, paths }: CallRecord, path: RelPath): boolean =>
  kind === 'edit' && paths !== null && paths.some((file) => isDraftOf(path, file))

const isDraftOf = (path: RelPath, file: RelPath): boolean =>
  path.startsWith(file) && /^\.tmp(\.[^/]*)?$/.test(path.slice(file.length))

/**
 * Whether the call edits this file and `makes` is recorded: the hash of the result, or empty when the result is not
 * known.
 */
const isOfKnownMake = ({ makes: hash, paths }: CallRecord, path: RelPath): boolean =>
  hash !== null && (paths?.includes(path) ?? false)

const makes = ({ makes: hash }: CallRecord, { new: now }: TreeDifference): boolean =>
  now !== undefined && Buffer.from(now.hash).toString('hex') === hash

/** Whether the call edits this file and is to make other content of it, or its result is not known. */
const isNotAsMade = (call: CallRecord, change: TreeDifference): boolean =>
  isOfKnownMake(call, change.path) && !makes(call, change)

/**
 * A call whose start was not captured may have found the change already made. A call that is to make other content, and
 * was not observed to end, may not have made this change.
 */
const isDoubtful = (call: CallRecord, change: TreeDifference, { ended }: Evidence): boolean =>
  call.half_seen || (isNotAsMade(call, change) && !ended?.has(call.seq))

/** During a longer call, another person or process may have changed one of its files without an earlier sighting. */
const SHORT_MS = 2000

const isShort = ({ started_at }: CallRecord, { now }: Evidence): boolean => now - started_at <= SHORT_MS

/**
 * How certain it is that the only call that could have made a change made it. `isAlone`: no other call could touch the
 * path. It is not certain for an edit that is known to make other content, nor for a command that names something else,
 * failed, or was not reported to have ended.
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
  // A person seen at the file before may have saved it once more; but that does not delete a file.
  const isSure = isNear && isSaid && (seen === undefined || change.new === undefined)
  return isSure ? { certainty: 'certain', by: 'path' } : { certainty: 'likely', by: 'interval' }
}

interface Other {
  readonly isPossible: boolean
  readonly seen?: Sighting | undefined
}

/** Whether a person or process without a call may have made the change instead of one of `able`. */
function otherAt(change: TreeDifference, able: readonly CallRecord[], evidence: Case): Other {
  const { path } = change
  const sound = able.filter((call) => !isDoubtful(call, change, evidence))
  if (sound.length === 0) return { isPossible: true }
  // The person who types commands in a guarded shell is the one who edits files beside it.
  if (able.every(({ client }) => client === 'shell')) return { isPossible: false }
  const found = evidence.seenAt(path)
  const began = Math.min(...able.map(({ started_at }) => started_at))
  const seen = found && sightingOf(found, change, began, evidence)
  // A short edit names its path: a person seen there before did not write what the edit wrote.
  const isWritten = (call: CallRecord): boolean =>
    call.kind === 'edit' && canTouch(call, path) && isShort(call, evidence) && !isNotAsMade(call, change)
  if (sound.some(isWritten)) return { isPossible: false, seen }
  if (found && !(isBefore(found, began) && isUndoubted(change, able, evidence))) return { isPossible: true, seen }
  // A background program that may touch anything is never the only possible maker.
  return { isPossible: able.every((one) => one.paths === null && one.background), seen }
}

/**
 * Whether a sighting was over when the call began: then its change is in the capture before the call. An open editor is
 * not over.
 */
const isBefore = ({ at, isOpen }: Seen, began: number): boolean => isOpen !== true && at <= began

/**
 * Whether a change is the call's despite an earlier sighting at the path. What was written there before is captured, so
 * a deleted file lacks none of it. And a short command that names exactly this change made it.
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
  // A capture finds a change later than it was made; the file's own time is more exact.
  const saved = where === path && old !== undefined ? old.mtime / 1000 : 0
  const at = by === 'change' && saved >= since ? Math.min(saved, seen.at) : seen.at
  return { ...found, seconds_before: Math.max(1, Math.round((began - at) / 1000)) }
}

/**
 * The changes as shares: one for each call and certainty, one for each set of candidates. Changes in no share were made
 * outside every call.
 */
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

/**
 * The ending call's shares come last, the certain and likely ones after the shared: the state after them is the
 * present.
 */
const rank = (share: Share, evidence: Evidence): number =>
  (isEnding(share, evidence) ? 2 : 0) + (share.cause.certainty === 'shared' ? 0 : 1)

const named = (share: Share, evidence: Evidence): Share =>
  evidence.ending?.label && isEnding(share, evidence) ? { ...share, label: evidence.ending.label } : share

const keyOf = (owner: Exclude<Owner, { of: 'nobody' }>): string =>
  owner.of === 'call'
    ? `${owner.call.seq} ${owner.certainty} ${owner.by}`
    : `${owner.candidates.map(({ seq }) => seq).join(',')}${owner.orOther ? '?' : ''}`

/** The cause of a change that one call made. */
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

/**
 * The cause of a change that one of several may have made: what the candidates have in common, and the list of them.
 */
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
