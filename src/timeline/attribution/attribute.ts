import { lookUp } from '../../base/look-up.ts'
import type { CallRecord } from '../../records/calls.ts'
import type { Snapshots } from '../../records/snapshots.ts'
import type { Candidate, Cause, Certainty, Sighting, Source } from '../../schema/cause.ts'
import { isWithin, type RelPath } from '../../schema/path.ts'
import type { Difference } from '../../store/compare-trees.ts'
import { KIND } from '../../store/tree.ts'
import type { Share } from './share.ts'
import type { SeenAt } from './sightings.ts'

/** What is known when changes were found that somebody made. */
export interface Evidence {
  /** Every call that may have made them: all that are under way, the ending one among them. */
  readonly calls: readonly CallRecord[]
  /** The call that ends now, and what its share is called. */
  readonly ending?: { readonly call: CallRecord; readonly label?: string | undefined } | undefined
  /** Who without a call was seen at a path around this time. Asked only where it matters. */
  readonly seenAt: SeenAt
  readonly now: number
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
 * somebody without a call was seen at this very path.
 */
function ownerOf(change: Difference, isFolder: boolean, evidence: Evidence): Owner {
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
  const isAlone = other.seen === undefined && able.every((call) => wins.includes(call))
  return { of: 'call', call: first, ...sureness(first, change, isAlone, evidence), seen: other.seen }
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

const makes = ({ makes: hash }: CallRecord, { new: now }: Difference): boolean =>
  now !== undefined && Buffer.from(now.hash).toString('hex') === hash

/** Whose beginning was not seen may have found it changed already; who makes something else may not have made this. */
const isDoubtful = (call: CallRecord, change: Difference): boolean =>
  call.half_seen || (isOfKnownMake(call, change.path) && !makes(call, change))

/** In a call that takes longer, somebody may have changed one of its files meanwhile without having been seen before. */
const SHORT_MS = 2000

const isShort = ({ started_at }: CallRecord, { now }: Evidence): boolean => now - started_at <= SHORT_MS

/** How sure it is that the only call that could have made a change made it. `isAlone`: nobody else was near. */
function sureness(
  call: CallRecord,
  change: Difference,
  isAlone: boolean,
  evidence: Evidence,
): { certainty: Certainty; by: KnownBy } {
  const isEdit = call.kind === 'edit'
  const isSure = isAlone && isShort(call, evidence) && (isEdit || isNamed(call, change))
  if (isSure) return { certainty: 'certain', by: 'path' }
  return { certainty: 'likely', by: isEdit ? 'path' : 'interval' }
}

/** Whether a command says that it does this. What it finds in a folder that it names it can delete; what it makes there is not said. */
const isNamed = ({ paths }: CallRecord, { path, new: now }: Difference): boolean =>
  paths !== null && (now === undefined || paths.includes(path))

interface Other {
  readonly isPossible: boolean
  readonly seen?: Sighting | undefined
}

/** Whether somebody without a call may have made the change rather than one of `able`. */
function otherAt(change: Difference, able: readonly CallRecord[], evidence: Evidence): Other {
  const { path } = change
  const sound = able.filter((call) => !isDoubtful(call, change))
  if (sound.length === 0) return { isPossible: true }
  // Whoever types commands in a guarded shell is the person who edits files beside it.
  if (able.every(({ client }) => client === 'shell')) return { isPossible: false }
  const seen = sightingAt(path, able, evidence)
  // An edit names its path, and is over in a moment: whoever was at it before did not write what it wrote.
  if (sound.some((call) => call.kind === 'edit' && canTouch(call, path) && isShort(call, evidence)))
    return { isPossible: false, seen }
  // A program left running in the background that may touch anything is never the only one who could.
  return { isPossible: seen !== undefined || able.every((one) => one.paths === null && one.background), seen }
}

function sightingAt(path: RelPath, able: readonly CallRecord[], { seenAt }: Evidence): Sighting | undefined {
  const seen = seenAt(path)
  if (seen === undefined) return undefined
  const began = Math.min(...able.map(({ started_at }) => started_at))
  return { path, by: seen.by, seconds_before: Math.max(0, Math.round((began - seen.at) / 1000)) }
}

/** The changes as shares: one for each call and certainty, one for each set of candidates. What is left is somebody else's. */
export function sharesFor(changes: readonly Difference[], evidence: Evidence): Share[] {
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
    ...{ session_id, call_id: id, prompt_id, title },
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
