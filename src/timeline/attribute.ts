import { lookUp } from '../base/look-up.ts'
import type { CallRecord } from '../records/calls.ts'
import type { Snapshots } from '../records/snapshots.ts'
import type { Candidate, Cause, Source } from '../schema/cause.ts'
import { isWithin, type RelPath } from '../schema/path.ts'
import { KIND } from '../store/tree.ts'
import type { Difference } from './compare.ts'
import type { Share } from './publish.ts'

/** What is known when changes were found that somebody made. */
export interface Evidence {
  /** Every call that may have made them: all that are under way, the ending one among them. */
  readonly calls: readonly CallRecord[]
  /** The call that ends now, and what its share is called. */
  readonly ending?: { readonly call: CallRecord; readonly label?: string | undefined } | undefined
  /** Asked only where it matters. */
  readonly others: () => Others
}

interface Others {
  /** Paths that somebody without a call changed a moment ago: they may be at it again. */
  readonly otherPaths: ReadonlySet<RelPath>
  /** Somebody without a call changed something just now: who knows what else. */
  readonly isOtherActive: boolean
}

/** How long somebody who changed a file may still be at it, and at others. */
const AT_FILE_MS = 5 * 60_000
const AT_WORK_MS = 30_000
/** So many of their snapshots are looked at. */
const LOOKED_AT = 300

/** Who without a call has been at work here lately. */
export function othersAtWork(snapshots: Snapshots, workspace: string, now: number): Others {
  const lately = snapshots
    .ofNobody(workspace, now - AT_FILE_MS, LOOKED_AT)
    .filter(({ cause, base }) => isNobodys(cause) && base)
  return {
    otherPaths: new Set(snapshots.changedIn(lately.map(({ seq }) => seq))),
    isOtherActive: lately.some(({ created_at, changed }) => created_at >= now - AT_WORK_MS && changed > 0),
  }
}

/**
 * Changes that calls were given because they ran at that time, at paths that somebody without a call was at just after:
 * it may have been them before, too.
 */
export function doubtful(
  snapshots: Snapshots,
  workspace: string,
  paths: ReadonlySet<RelPath>,
  now: number,
): { readonly id: string; readonly paths: RelPath[] }[] {
  return snapshots
    .ofInterval(workspace, now - AT_FILE_MS, LOOKED_AT)
    .map(({ id, seq }) => ({
      id,
      paths: snapshots.changesOf(seq).flatMap(({ path }) => (paths.has(path) ? [path] : [])),
    }))
    .filter((one) => one.paths.length > 0)
}

/** Whether nobody said who made it: a person, or a process nobody told of. */
export const isNobodys = ({ role, tool, session_id, shared }: Cause): boolean =>
  role === 'change' && !tool && !session_id && !shared

type Owner =
  | { readonly of: 'nobody' }
  | { readonly of: 'call'; readonly call: CallRecord }
  | { readonly of: 'several'; readonly candidates: readonly CallRecord[]; readonly orOther: boolean }

/**
 * Who made the change at one path. Pure; never a guess.
 *
 * An edit names its path: it wins, unless others name it too. What nobody names and looks like its draft is its, too. A
 * shell command gets what it can touch, unless others can too: another session's command, or somebody without a call who was at this file a moment
 * ago. If the command may touch anything, that somebody need only be at work anywhere. Whoever is known to make just this made it.
 */
function ownerOf(change: Difference, isFolder: boolean, evidence: Evidence): Owner {
  const { path } = change
  const [maker, another] = evidence.calls.filter((call) => isOfKnownMake(call, path) && makes(call, change))
  if (maker !== undefined && another === undefined) return { of: 'call', call: maker }
  const able = evidence.calls.filter((call) => canTouch(call, path))
  const naming = able.filter(({ paths }) => paths !== null)
  const drafting = isFolder || naming.length > 0 ? [] : evidence.calls.filter((call) => mayDraft(call, path))
  const isEdited = naming.some(({ kind }) => kind === 'edit')
  const wins = [isEdited ? naming : [], drafting].find(({ length }) => length > 0) ?? able
  const [first] = wins
  if (first === undefined) return { of: 'nobody' }
  const orOther = mayBeOther(change, wins, evidence)
  if (wins.length === 1 && !orOther) return { of: 'call', call: first }
  return { of: 'several', candidates: wins, orOther }
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

function mayBeOther(change: Difference, able: readonly CallRecord[], evidence: Evidence): boolean {
  const { path } = change
  const sound = able.filter((call) => !isDoubtful(call, change))
  if (sound.length === 0) return true
  // An edit names its path; whoever was at it before did not write what it wrote.
  if (sound.some((call) => call.kind === 'edit' && canTouch(call, path))) return false
  const { otherPaths, isOtherActive } = evidence.others()
  if (otherPaths.has(path)) return true
  // A program left running in the background that may touch anything is never the only one who could.
  return able.every(({ paths, background }) => paths === null && (isOtherActive || background))
}

/** The changes as shares: one for each call, one for each set of candidates. What is left is somebody else's. */
export function sharesFor(changes: readonly Difference[], evidence: Evidence): Share[] {
  const shares = new Map<string, { share: Share; paths: Set<RelPath> }>()
  for (const change of changes) {
    const { path, old, new: now } = change
    const isFolder = (now ?? old)?.kind === KIND.directory
    if (isFolder && !evidence.calls.some((call) => canTouch(call, path))) continue
    const owner = ownerOf(change, isFolder, evidence)
    if (owner.of === 'nobody') continue
    const key = owner.of === 'call' ? `${owner.call.seq}` : keyOf(owner)
    let found = shares.get(key)
    if (found === undefined) {
      const paths = new Set<RelPath>()
      shares.set(
        key,
        (found = { paths, share: { paths, ...(owner.of === 'call' ? ofCall(owner.call) : ofSeveral(owner)) } }),
      )
    }
    found.paths.add(path)
  }
  return [...shares.values()]
    .map(({ share }) => named(share, evidence))
    .sort((a, b) => rank(a, evidence) - rank(b, evidence))
}

const isEnding = ({ cause }: Share, { ending }: Evidence): boolean =>
  ending !== undefined && cause.call_id === ending.call.id && cause.session_id === ending.call.session_id

/** The ending call's comes last: the state after it is the present. */
const rank = (share: Share, evidence: Evidence): number => (isEnding(share, evidence) ? 1 : 0)

const named = (share: Share, evidence: Evidence): Share =>
  evidence.ending?.label && isEnding(share, evidence) ? { ...share, label: evidence.ending.label } : share

const keyOf = ({ candidates, orOther }: Owner & { of: 'several' }): string =>
  `${candidates.map(({ seq }) => seq).join(',')}${orOther ? '?' : ''}`

/** What is said of a change that one call made. */
function ofCall(call: CallRecord): Omit<Share, 'paths'> {
  const cause: Cause = {
    role: 'change',
    tool: call.tool,
    ...(call.input === undefined ? {} : { tool_input: call.input }),
    session_id: call.session_id,
    call_id: call.id,
    known_by: call.paths === null ? 'interval' : 'path',
    ...(call.prompt_id === null ? {} : { prompt_id: call.prompt_id }),
  }
  return { cause, source: sourceOf(call.client), ...(call.title === null ? {} : { description: call.title }) }
}

/** What is said when nobody can tell which of several: what they have in common, and who they are. */
function ofSeveral({ candidates, orOther }: Owner & { of: 'several' }): Omit<Share, 'paths'> {
  const common = <T>(pick: (call: CallRecord) => T): T | undefined => {
    const all = new Set(candidates.map(pick))
    return all.size === 1 && !orOther ? [...all][0] : undefined
  }
  const session_id = common((call) => call.session_id)
  const prompt_id = common((call) => call.prompt_id)
  const tool = common((call) => call.tool)
  const shared: Candidate[] = candidates.map(({ session_id: by, id, prompt_id: of }) => ({
    ...{ session_id: by, call_id: id, prompt_id: of },
  }))
  if (orOther) shared.push({ session_id: null, call_id: null, prompt_id: null })
  const cause: Cause = {
    role: 'change',
    ...(tool ? { tool } : {}),
    ...(session_id ? { session_id } : {}),
    ...(prompt_id ? { prompt_id } : {}),
    shared,
  }
  return { cause, source: sourceOf(candidates[0]?.client ?? 'generic'), label: 'shared' }
}

const SOURCE_OF: Readonly<Record<string, Source>> = {
  claude: 'claude-guard',
  opencode: 'opencode-guard',
  codex: 'codex-guard',
  gemini: 'gemini-guard',
  shell: 'shell-guard',
}
export const sourceOf = (client: string): Source => lookUp(SOURCE_OF, client) ?? 'generic-guard'
