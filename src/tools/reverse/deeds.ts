import type { Call } from '../../app/handler.ts'
import { outPath } from '../../base/quote.ts'
import type { SnapshotRecord } from '../../records/snapshots.ts'
import type { Cause } from '../../schema/cause.ts'
import { compareTrees } from '../../store/compare-trees.ts'
import { KIND } from '../../store/tree.ts'
import { Trees } from '../../timeline/capture/trees.ts'
import { pathsOf } from '../../timeline/history/listing.ts'
import { type Meant, madeBy, meant } from './revert-target.ts'

/** Changes that belong together, as a person speaks of them: what one prompt did, or what went wrong at once. */
export interface Deed {
  readonly of: 'prompt' | 'session' | 'disaster' | 'change'
  /** How it is named to whoever takes it back. */
  readonly what: string
  readonly meant: Meant
}

/** So many snapshots are looked at. */
const LOOKED_AT = 300

/**
 * What was done lately, the newest first: each prompt, each run of a session without prompts, and each disaster of somebody
 * without a session. What people do besides comes last: whoever takes back what an agent did wants to keep it.
 */
export function* deedsOf(call: Call, workspace: { id: string }, upTo?: SnapshotRecord): Generator<Deed> {
  const changes = changesOf(call, workspace, upTo)
  const done = new Set<string>()
  const others: SnapshotRecord[] = []
  for (const [at, change] of changes.entries()) {
    if (done.has(change.id)) continue
    const deed = isPersons(change) ? disasterOf(call, changes, change) : agentsDeed(call, workspace, changes, at)
    if (deed === undefined) others.push(change)
    else {
      for (const { id } of [...deed.meant.snapshots, ...deed.meant.doubtful]) done.add(id)
      yield deed
    }
  }
  for (const change of others) yield { of: 'change', what: change.id, meant: allOf([change]) }
}

/** Somebody's work that can be taken back, the newest first. The first snapshot of all is nobody's deed. */
const changesOf = (call: Call, workspace: { id: string }, upTo: SnapshotRecord | undefined): SnapshotRecord[] =>
  call.house.records.snapshots
    .list({ workspace: workspace.id }, LOOKED_AT)
    .filter(({ seq }) => upTo === undefined || seq <= upTo.seq)
    .filter(({ cause, base, content }) => cause.role === 'change' && !cause.act && base !== null && content)
    .filter(({ added, modified, deleted }) => added + modified + deleted > 0)

const allOf = (snapshots: readonly SnapshotRecord[]): Meant => ({ snapshots, doubtful: [], doubted: new Map() })

/** Whether no agent is known to have a part in it. Who types commands in a guarded shell is a person. */
const isPersons = ({ cause, source }: SnapshotRecord): boolean =>
  source === 'shell-guard' || ids(cause, 'session_id').length + ids(cause, 'prompt_id').length === 0

const ids = (cause: Cause, key: 'session_id' | 'prompt_id'): string[] =>
  [cause, ...(cause.shared ?? [])].flatMap((maker) => maker[key] ?? [])

/** What a prompt did; without one, the run of changes of the session. */
function agentsDeed(call: Call, workspace: { id: string }, changes: readonly SnapshotRecord[], at: number): Deed {
  const { cause, id } = changes[at] as SnapshotRecord
  const [prompt] = ids(cause, 'prompt_id')
  if (prompt !== undefined)
    return { of: 'prompt', what: `prompt:${prompt}`, meant: meant(call, workspace, `prompt:${prompt}`) }
  const [session] = ids(cause, 'session_id')
  const isOwn = (one: SnapshotRecord): boolean => ids(one.cause, 'session_id').includes(session ?? '')
  const end = changes.findIndex((one, i) => i > at && !isOwn(one))
  const run = changes.slice(at, end === -1 ? undefined : end)
  return { of: 'session', what: `last:${id}`, meant: madeBy(call, run, (maker) => maker.session_id === session) }
}

/** So many files gone at once are a disaster, or all of a folder, or so large a part of everything. */
const MANY = 3
const PART = 1 / 3

/** Undefined when it is none: then it is a person's work. */
function disasterOf(call: Call, changes: readonly SnapshotRecord[], change: SnapshotRecord): Deed | undefined {
  const { cause, id, added, modified, deleted, files } = change
  if (deleted <= added + modified) return undefined
  const isLarge = deleted >= MANY || deleted >= (files + deleted - added) * PART || losesFolder(call, change)
  if (!isLarge) return undefined
  if (cause.call_id === undefined) return { of: 'disaster', what: id, meant: allOf([change]) }
  const ofCall = changes.filter((one) => one.cause.call_id === cause.call_id)
  return { of: 'disaster', what: `last:${id}`, meant: madeBy(call, ofCall, (maker) => maker.call_id === cause.call_id) }
}

function losesFolder(call: Call, change: SnapshotRecord): boolean {
  const { read } = new Trees(call.house.store.reader)
  const base = call.house.records.snapshots.baseOf(change)
  for (const { old, new: now } of compareTrees(read, base?.tree, change.tree))
    if (old?.kind === KIND.directory && now === undefined) return true
  return false
}

const iso = (ms: number): string => new Date(ms).toISOString()

/** A deed as it is told to whoever decides about it. */
export function toldDeed(call: Call, workspace: { id: string }, { of, what, meant: { snapshots, doubtful } }: Deed) {
  const { records, store } = call.house
  const steps = [...snapshots, ...doubtful].sort((a, b) => a.seq - b.seq)
  const [first] = steps
  const causes = steps.map(({ cause }) => cause)
  const [prompt_id] = causes.flatMap((cause) => ids(cause, 'prompt_id'))
  const [session_id] = causes.flatMap((cause) => ids(cause, 'session_id'))
  const prompt = of === 'prompt' && prompt_id !== undefined ? records.prompts.get(workspace.id, prompt_id) : undefined
  const session = session_id === undefined ? undefined : records.sessions.get(workspace.id, session_id)
  const before = first?.base ? records.snapshots.get(first.base) : undefined
  const { read } = new Trees(store.reader)
  return {
    ...{ of, what },
    prompt_id: of === 'prompt' ? (prompt_id ?? null) : null,
    prompt: prompt?.text ?? null,
    session_id: session_id ?? null,
    client: session?.client ?? null,
    began_at: iso(prompt?.at ?? before?.created_at ?? first?.created_at ?? 0),
    steps: steps.map((step) => ({
      snapshot_id: step.id,
      created_at: iso(step.created_at),
      tool: step.cause.tool ?? null,
      title: step.description,
      actor: step.cause.actor ?? null,
      affected_files: pathsOf(records.snapshots, read, step, SHOWN_PATHS).map(outPath),
    })),
  }
}

const SHOWN_PATHS = 1000
