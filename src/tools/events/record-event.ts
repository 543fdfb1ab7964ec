import type { z } from 'zod'
import { handler, type ToolCall } from '../../app/handler.ts'
import { writeDown } from '../../app/record-note.ts'
import { recoverFirst, recoverQuickly } from '../../app/recovery.ts'
import { recordedText } from '../../app/tool-input.ts'
import { isRecentlyActive } from '../../app/touch-session.ts'
import { pruneLater } from '../../app/upkeep.ts'
import { requireWorkspace, workspaceOrNew } from '../../app/workspace-lookup.ts'
import { count } from '../../base/text.ts'
import { type AgentEvent, RecordEvent } from '../../protocol/record-event.ts'
import type { CallRecord } from '../../records/calls.ts'
import type { Note } from '../../records/notes.ts'
import type { SessionRecord } from '../../records/sessions.ts'
import { environmentOf } from '../../travel/journeys/environment.ts'
import { writeStateFile } from '../../travel/journeys/state-file.ts'
import { setPin } from '../set-pin.ts'
import { beginCall, type EventInput, finishAll, finishCall, reachOf } from './calls.ts'
import { captureForEvent, type EventCapture, type EventContext, endCall, gap } from './capture-event.ts'
import { endGitCalls, keepGitAfterwards, keepGitFirst, keepGitSoon, mayTouchGit } from './guard-git.ts'
import { promptIdOf } from './prompt-id.ts'

/** The result of an event. */
interface Outcome {
  readonly looked?: EventCapture | undefined
  readonly deny?: string
  readonly note?: string
}

async function take(call: ToolCall, input: EventInput): Promise<z.output<typeof RecordEvent.output>> {
  const workspace =
    input.event === 'session_start' ? workspaceOrNew(call, input).workspace : requireWorkspace(call, input)
  const session = input.session_id ?? call.app.newId('sess')
  const scene: EventContext = {
    call,
    workspace,
    session,
    client: input.client,
    tool: input.tool ?? null,
    waitMs: input.wait_ms,
  }
  await (OFTEN.has(input.event) ? recoverQuickly : recoverFirst)(call, workspace)
  const { parent_session_id: parent, prompt_id } = input
  const told = { ...input, prompt_id: promptIdOf(call.app.records, workspace.id, { session, parent, prompt_id }) }
  const known = meet(scene, told)
  const { looked, deny = null, note = null } = await EVENTS[told.event](scene, told)
  hearOf(scene, known)
  pruneLater(call, workspace)
  return {
    session_id: session,
    covered: looked?.seen ?? true,
    reason: looked?.seen === false ? looked.reason : null,
    snapshot_ids: looked?.seen ? looked.recorded.map(({ id }) => id) : [],
    deny,
    note,
  }
}

export const recordEvent = handler(RecordEvent, take)

/** Frequent events, for most of which a client waits. */
const OFTEN: ReadonlySet<AgentEvent> = new Set(['call_start', 'call_end', 'calls_done'])
/** Events that carry facts about the session itself. */
const TURNS: ReadonlySet<AgentEvent> = new Set(['session_start', 'prompt', 'turn_end'])

/** Records a session, also one whose start was not reported. Returns what was recorded about it before. */
function meet({ call, workspace, session, client }: EventContext, told: EventInput): SessionRecord | undefined {
  const { sessions } = call.app.records
  const [known, at] = [sessions.get(workspace.id, session), call.app.clock.now()]
  // If only a tool's input has named the session so far, its client is not known.
  const isKnown = (known?.client ?? null) !== null
  if (isKnown && !TURNS.has(told.event)) return known
  const { task_hint, transcript } = told
  const meeting = {
    id: session,
    workspace: workspace.id,
    at,
    client,
    parent: told.parent_session_id,
    transcript,
    task_hint: task_hint && recordedText(workspace.root, task_hint),
  }
  if (isKnown && told.event !== 'session_start') sessions.meet(meeting)
  else writeDown(call, () => ({ note: 'session', ...sessions.meet(meeting), at }))
  return known
}

/**
 * Records that the session is active, after the event is handled: the time since its last activity decides which of its
 * calls are lost.
 */
function hearOf({ call, workspace, session: id }: EventContext, known: SessionRecord | undefined): void {
  const { sessions } = call.app.records
  const at = call.app.clock.now()
  if (known === undefined || isRecentlyActive(known, at)) return
  // The event itself may have updated the session, or ended it.
  if (!isRecentlyActive(sessions.get(workspace.id, id), at)) sessions.meet({ id, workspace: workspace.id, at })
}

const EVENTS: Readonly<Record<AgentEvent, (scene: EventContext, told: EventInput) => Promise<Outcome>>> = {
  session_start: startSession,
  prompt: takePrompt,
  call_start: startCall,
  call_end: async (scene, told) => {
    const reach = reachOf(told, scene.workspace, scene.call.app.home)
    if (reach && mayTouchGit(reach, told)) keepGitAfterwards(scene, told)
    if (!reach || !touchesFiles(reach)) return {}
    const looked = await finishCall(scene, told, reach)
    return { looked, ...howToUndo(scene, reach, looked) }
  },
  calls_done: async (scene, { call_ids, overdue }) => {
    const { calls } = scene.call.app.records
    const isOver = ofSession(scene, ({ id, background }) => call_ids.includes(id) && !background)
    const over = calls.open(scene.workspace.id).filter(isOver)
    if (overdue) for (const { seq } of over) calls.doubt(seq)
    return over.length > 0 ? { looked: await finishAll(scene, isOver, { seen: !overdue }) } : {}
  },
  background_end: async (scene, { call_id }) => ({
    looked: await finishAll(
      scene,
      ofSession(scene, ({ id, background }) => (call_id === undefined ? background : id === call_id)),
    ),
  }),
  turn_end: async (scene) => {
    const looked = await finishAll(scene, ofSession(scene, inForeground))
    endGitCalls(scene)
    pinLast(scene, 'turn_end')
    return { looked }
  },
  compact: async (scene) => ({ looked: await captureForEvent(scene) }),
  session_end: endSession,
  gap: async (scene, { error }) => {
    gap(scene, error ?? 'the guard does not know why')
    return {}
  },
}

type IsOver = Parameters<typeof finishAll>[1]
const ofSession =
  ({ session }: EventContext, isOver: IsOver): IsOver =>
  (call) =>
    call.session_id === session && isOver(call)
const inForeground: IsOver = ({ background }) => !background

const touchesFiles = ({ paths }: { paths: readonly string[] | null }): boolean => paths === null || paths.length > 0

async function startSession(scene: EventContext, told: EventInput): Promise<Outcome> {
  const { call, workspace, session, client } = scene
  const { records } = call.app
  for (const { seq, session_id } of records.calls.open(workspace.id)) if (session_id === session) endCall(scene, seq)
  const label = `${client}-session-start`
  const mark = { label, cause: { role: 'backup', session_id: session } } as const
  keepGitSoon(scene, 'session start')
  const facts = {
    env_fingerprint: environmentOf(call.app.home),
    ...(told.task_hint ? { initial_task_hint: told.task_hint } : {}),
  }
  const looked = await captureForEvent(scene, { label, mark, facts }, ({ id }) => {
    records.sessions.setSnapshot(workspace.id, session, id)
    writeStateFile(records, workspace)
  })
  return { looked, note: told.parent_session_id === undefined ? greeting(looked) : '' }
}

const greeting = (looked: EventCapture): string =>
  looked.seen
    ? 'Timewarp records every change in this workspace; anything can be taken back.\n' +
      'See `timewarp log`; take one change back with `timewarp revert ID`, the newest with `timewarp undo`.'
    : `Timewarp is still making its first record of this workspace (${looked.reason}).\nUntil then changes are not covered.`

/**
 * A prompt ends all calls that were interrupted before it. The state at the prompt is the one that people go back to.
 */
async function takePrompt(scene: EventContext, { prompt, prompt_id }: EventInput): Promise<Outcome> {
  const { call, workspace, session } = scene
  const looked = await finishAll(scene, ofSession(scene, inForeground))
  endGitCalls(scene)
  const { prompts, snapshots } = call.app.records
  const asked = {
    id: prompt_id ?? call.app.newId('q'),
    workspace: workspace.id,
    session_id: session,
    at: call.app.clock.now(),
    text: recordedText(workspace.root, prompt ?? ''),
    snapshot_id: snapshots.newest(workspace.id)?.id ?? null,
  }
  const write = (): Note => {
    prompts.add(asked)
    return { note: 'prompt', ...asked }
  }
  writeDown(call, write)
  return { looked }
}

const DENIED =
  'This would delete from the store of Timewarp, or weaken its protection. Only the user can do that, in a terminal of their own.'

async function startCall(scene: EventContext, told: EventInput): Promise<Outcome> {
  const reach = reachOf(told, scene.workspace, scene.call.app.home)
  if (scene.workspace.config.guard.protect_store && reach?.harmsStore) return { deny: DENIED }
  if (reach && mayTouchGit(reach, told)) await keepGitFirst(scene, told)
  const isStale = ofSession(scene, (open) => isCutShort(open, told) || isPastEdit(open, told))
  if (scene.call.app.records.calls.open(scene.workspace.id).some(isStale)) await finishAll(scene, isStale)
  if (reach === undefined || !touchesFiles(reach)) return {}
  return { looked: await beginCall(scene, told, reach) }
}

/** An open call of an earlier prompt was interrupted: its client reports no end, but goes on to the next prompt. */
const isCutShort = ({ background, prompt_id }: CallRecord, told: EventInput): boolean =>
  !background && prompt_id !== null && told.prompt_id !== undefined && prompt_id !== told.prompt_id

/** An edit whose end is still to be reported or detected. Some clients reuse its id for the next edit. */
const isPastEdit = ({ id, kind, makes }: CallRecord, told: EventInput): boolean =>
  told.after_edits && kind === 'edit' && (id !== told.call_id || makes !== (told.makes ?? null))

/** If the settings say so, an agent whose command deleted or overwrote files is given the command that reverts it. */
function howToUndo({ workspace }: EventContext, { kind }: { kind: string }, looked: EventCapture): { note?: string } {
  const last = looked.seen ? looked.recorded.at(-1) : undefined
  if (!workspace.config.guard.mention_undo || kind === 'edit' || !last?.cause.call_id) return {}
  const lost = last.deleted + last.modified
  return lost === 0
    ? {}
    : { note: `${count(lost, 'file')} changed or deleted; take it back with: timewarp revert ${last.id}` }
}

/** If the settings say so, pins the last snapshot of a turn or a session. */
function pinLast({ call, workspace, session }: EventContext, moment: 'turn_end' | 'session_end'): void {
  const wanted = workspace.config.guard.pin_last
  if (wanted !== moment && !(wanted === 'turn_end' && moment === 'session_end')) return
  const [last] = call.app.records.snapshots.list({ workspace: workspace.id, session, role: 'change' }, 1)
  if (last && !last.pinned) setPin(call, last.id, true)
}

async function endSession(scene: EventContext): Promise<Outcome> {
  const { call, workspace, session } = scene
  const looked = await finishAll(
    scene,
    ofSession(scene, () => true),
  )
  endGitCalls(scene)
  call.app.records.sessions.end(workspace.id, session, call.app.clock.now())
  pinLast(scene, 'session_end')
  return { looked }
}
