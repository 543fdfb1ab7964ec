import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import type { z } from 'zod'
import { recordedInput, recordedText } from '../../app/tool-input.ts'
import { realPath } from '../../host/files/fs.ts'
import type { RecordEvent } from '../../protocol/record-event.ts'
import type { CallKind, CallRecord, NewCall } from '../../records/calls.ts'
import type { Cause } from '../../schema/cause.ts'
import { isRelPath, MAX_PATH_BYTES, type RelPath } from '../../schema/path.ts'
import { type JudgeContext, type Judgement, judge } from '../../shell/judge.ts'
import type { Named } from '../../shell/named.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'
import { captureForEvent, type EventCapture, type EventContext, gap, isAsCaptured, UNCHANGED } from './capture-event.ts'
import { sessionsAbove } from './prompt-id.ts'

export type EventInput = z.output<typeof RecordEvent.input>

/** What a call may change; undefined when it changes nothing, so that no capture is needed. */
interface Reach {
  readonly kind: CallKind
  readonly paths: readonly RelPath[] | null
  /** The paths that a command names, and what it does to them. */
  readonly named?: readonly Named[]
  readonly judgement?: Judgement
  /** Whether the call would delete from the store, or weaken its protection. */
  readonly harmsStore: boolean
}

/** How long a call may stay open without any report of its session: a client that died reports no end. */
const LOST_AFTER_MS = { foreground: 30 * 60_000, background: 12 * 3_600_000 }
const TITLE = 200

export function reachOf(told: EventInput, workspace: Workspace, home: string): Reach | undefined {
  if (told.kind === 'read' || told.kind === 'delegate') return undefined
  if (told.kind === 'edit') {
    const paths = told.paths.flatMap((path) => inside(workspace, told, path))
    return { kind: 'edit', paths, harmsStore: told.paths.some((path) => isOfStore(home, workspace, told, path)) }
  }
  if (told.kind === 'other') return { kind: 'other', paths: null, harmsStore: false }
  const { root } = workspace
  const where = { cwd: told.cwd ?? root, workspace: root, home: homedir(), store: home }
  const judgement = judgedOnce(told.command ?? '', where)
  const named = judgement.modifies ? judgement.named.flatMap((one) => throughLinks(root, one)) : []
  const paths = judgement.modifies ? judgedPaths(judgement, named) : []
  return { kind: 'shell', paths, named, judgement, harmsStore: judgement.deletes_store }
}

/** Null (any path) when one of the paths is not relative to the workspace. */
function judgedPaths({ paths }: Judgement, named: readonly Named[]): readonly RelPath[] | null {
  const all = paths && [...new Set([...paths, ...named.map(({ path }) => path)])]
  return all?.every(isRelPath) ? all : null
}

/**
 * The path that a command names and, where a link in the workspace leads elsewhere in it, the path that it changes.
 * Removing a link does not follow it.
 */
function throughLinks(root: string, named: Named): Named[] {
  const at = join(root, named.path)
  const real = named.does === 'remove' ? join(realPathOf(dirname(at)), basename(at)) : realPathOf(at)
  const path = relative(root, real)
  const isElsewhere = named.path === '' || path === named.path || !isRelPath(path)
  return isElsewhere ? [named] : [named, { ...named, path }]
}

/** Recent judgements, by command and context. */
const judged = new Map<string, Judgement>()
const JUDGED = 32

/**
 * A command is reported when it starts and when it ends, and parsing a long one takes a while: the judgement is cached.
 */
function judgedOnce(command: string, where: JudgeContext): Judgement {
  const key = JSON.stringify([command, where])
  const judgement = judged.get(key) ?? judge(command, where)
  judged.delete(key)
  judged.set(key, judgement)
  const [oldest] = judged.keys()
  if (judged.size > JUDGED && oldest !== undefined) judged.delete(oldest)
  return judgement
}

/** A path within the workspace, relative to its root, and the one that links lead to; empty for a path outside. */
function inside({ root }: Workspace, { cwd }: EventInput, path: string): RelPath[] {
  const named = isAbsolute(path) ? path : resolve(cwd ?? root, path)
  const found = [named, realPathOf(named)].map((one) => relative(root, one))
  return [...new Set(found)].filter((one) => one !== '' && !isAbsolute(one)).filter(isRelPath)
}

/**
 * Whether a path is a file of the store, its settings included; folders of the store that may be workspaces do not
 * count.
 */
function isOfStore(home: string, { root }: Workspace, { cwd }: EventInput, path: string): boolean {
  const named = isAbsolute(path) ? path : resolve(cwd ?? root, path)
  if (!named.startsWith('/')) return false
  return [named, realPathOf(named)].some((one) => {
    const [first = '..'] = relative(home, one).split('/')
    return !['..', '', 'logs', 'workshop', 'notebooks'].includes(first)
  })
}

/** Where a file really is, or will be once it is created. */
function realPathOf(path: string): string {
  // No file has such a path, and resolving it at each depth would take long.
  if (path.length > MAX_PATH_BYTES || path.includes('\0')) return path
  try {
    return realPath(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(realPathOf(above), basename(path))
  }
}

/** Before a call: captures what changed until now, which is not the call's work. */
export async function beginCall(scene: EventContext, told: EventInput, reach: Reach): Promise<EventCapture> {
  const { records, clock } = scene.call.app
  const record = callOf(scene, told, reach)
  const open = endLost(scene)
  if (records.snapshots.newest(scene.workspace.id) === undefined) {
    const reason = 'the first capture of this workspace is not done yet'
    gap(scene, reason)
    records.calls.begin({ ...record, half_seen: true })
    return { seen: false, reason }
  }
  const label = labelBefore(scene, record)
  const mark = {
    label,
    ...(record.title === null ? {} : { description: record.title }),
    cause: markOf(record),
  } as const
  // An edit changes only its path: if nothing else waits to be captured, no scan is needed.
  const isStill = reach.kind === 'edit' && reach.paths !== null && (await isAsCaptured(scene, open, reach.paths))
  const looked = isStill
    ? UNCHANGED
    : await captureForEvent(scene, { label, ...(reach.kind === 'edit' ? {} : { mark }) })
  // The client waits for this answer, so the call has changed nothing yet: what was captured until now is older.
  records.calls.begin({ ...record, started_at: clock.now(), half_seen: !looked.seen })
  return looked
}

/** The cause of the snapshot that marks a call, for when nothing has changed. */
const markOf = ({ session_id, id, prompt_id }: NewCall): Cause => ({
  role: 'backup',
  session_id,
  call_id: id,
  ...(prompt_id === null ? {} : { prompt_id }),
})

/** After a call: captures what changed since its start, as its work where that is certain enough. */
export async function finishCall(scene: EventContext, told: EventInput, reach: Reach): Promise<EventCapture> {
  const { calls } = scene.call.app.records
  const open = findOpen(scene, told)
  // If the call was already taken to be over, a capture now would attribute others' changes to it.
  if (open === undefined && wasOver(scene, told)) return UNCHANGED
  const call = open ?? unseen(callOf(scene, told, reach))
  if (told.background && open) calls.keepInBackground(open.seq)
  const label = told.failed ? `${scene.client}-error` : undefined
  const looked = await captureForEvent(scene, {
    ending: { call, label },
    ended: told.failed ? undefined : new Set([call.seq]),
    mark: label === undefined ? undefined : { label, cause: markOf(call) },
  })
  if (open === undefined || told.background) return looked
  if (looked.seen) calls.end(open.seq)
  else calls.endUnseen(open.seq)
  return looked
}

/** Ends calls all at once. `seen`: their end was reported or detected, not concluded from a later event. */
export async function finishAll(
  scene: EventContext,
  isOver: (call: CallRecord) => boolean,
  { seen = false } = {},
): Promise<EventCapture> {
  const { calls } = scene.call.app.records
  const over = calls.open(scene.workspace.id).filter(isOver)
  const looked = await captureForEvent(scene, seen ? { ended: new Set(over.map(({ seq }) => seq)) } : {})
  for (const call of over) {
    if (!looked.seen) calls.endUnseen(call.seq)
    else if (call.kind === 'edit') calls.endEarly(call)
    else calls.end(call.seq)
  }
  return looked
}

/**
 * Ends calls of sessions that have not reported anything for long; later captures have recorded what they changed.
 * Returns the calls that are still open.
 */
function endLost({ call, workspace }: EventContext): CallRecord[] {
  const { calls, sessions } = call.app.records
  const now = call.app.clock.now()
  return calls.open(workspace.id).filter(({ seq, session_id, background, started_at }) => {
    const heard = Math.max(started_at, sessions.get(workspace.id, session_id)?.last_at ?? 0)
    const isLost = now - heard > LOST_AFTER_MS[background ? 'background' : 'foreground']
    if (isLost) calls.end(seq)
    return !isLost
  })
}

/** The open call of an event: by its id, or else the newest of this tool. */
function findOpen({ call, workspace, session }: EventContext, told: EventInput): CallRecord | undefined {
  const own = call.app.records.calls.open(workspace.id).filter(({ session_id }) => session_id === session)
  return told.call_id === undefined
    ? own.findLast(({ tool, background }) => tool === told.tool && !background)
    : own.find(({ id }) => id === told.call_id)
}

const wasOver = ({ call, workspace, session }: EventContext, { call_id }: EventInput): boolean =>
  call_id !== undefined && call.app.records.calls.endedEarly(workspace.id, session, call_id)

function callOf(scene: EventContext, told: EventInput, { kind, paths, named = [] }: Reach): NewCall {
  const { app } = scene.call
  const { workspace, session, client } = scene
  return {
    workspace: workspace.id,
    session_id: session,
    id: told.call_id ?? app.newId('c'),
    client,
    tool: told.tool ?? told.kind,
    kind,
    paths,
    named,
    prompt_id: told.prompt_id ?? promptInForce(scene),
    input: told.tool_input === undefined ? undefined : recordedInput(workspace.root, told.tool_input),
    title: titleOf(workspace, told, paths),
    makes: told.makes ?? null,
    started_at: app.clock.now(),
    half_seen: false,
  }
}

/** The prompt in force: a sub-agent works under the prompt of the session that started it. */
export function promptInForce({ call, workspace, session }: EventContext): string | null {
  const { records } = call.app
  for (const id of sessionsAbove(records, workspace.id, session)) {
    const found = records.prompts.newest(workspace.id, id)
    if (found) return found.id
  }
  return null
}

const unseen = (call: NewCall): CallRecord => ({ ...call, seq: -1, half_seen: true, background: false, ended: true })

function titleOf({ root }: Workspace, { kind, command }: EventInput, paths: readonly RelPath[] | null): string | null {
  const text = kind === 'shell' ? recordedText(root, command ?? '') : paths?.join(', ')
  const line = text?.split('\n').find((one) => one.trim() !== '')
  return line ? line.trim().slice(0, TITLE) : null
}

/** `claude-pre-Edit`, `claude-pre-Bash: rm -rf build`; `shell-pre-rm`, whose tool is the program already. */
const labelBefore = ({ client }: EventContext, { kind, tool, title }: NewCall): string =>
  `${client}-pre-${tool}${kind === 'shell' && client !== 'shell' && title ? `: ${title}` : ''}`.slice(0, TITLE)
