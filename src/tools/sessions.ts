import { handler, type ToolCall } from '../app/handler.ts'
import { recoverFirst } from '../app/recovery.ts'
import { findSnapshotOfWorkspace, findWorkspace, recreateWorkspace } from '../app/workspace-lookup.ts'
import { Fault } from '../base/fault.ts'
import { lookUp } from '../base/look-up.ts'
import { Rewind, SessionList } from '../protocol/sessions.ts'
import type { PromptRecord } from '../records/prompts.ts'
import type { SessionRecord } from '../records/sessions.ts'
import { bringBackTo } from './restore.ts'

const iso = (ms: number): string => new Date(ms).toISOString()
const SHOWN_PROMPTS = 20

export const sessionList = handler(SessionList, async (call, input) => {
  const workspace = findWorkspace(call, input)
  const { sessions } = call.app.records
  return { sessions: sessions.list(workspace.id, input.limit).map((session) => sessionOf(call, session)) }
})

function sessionOf(call: ToolCall, s: SessionRecord) {
  const { prompts, snapshots } = call.app.records
  return {
    session_id: s.id,
    client: s.client,
    parent_session_id: s.parent,
    started_at: iso(s.started_at),
    last_at: iso(s.last_at),
    ended_at: s.ended_at === null ? null : iso(s.ended_at),
    snapshot_id: s.snapshot_id,
    task_hint: s.task_hint,
    transcript: s.transcript,
    changes: snapshots.total({ workspace: s.workspace, session: s.id, role: 'change' }),
    last_gap: lastGap(call, s),
    prompts: prompts.list(s.workspace, s.id, SHOWN_PROMPTS).map(promptOf),
  }
}

function lastGap(call: ToolCall, s: SessionRecord) {
  const found = call.app.records.gaps.list(s.workspace, SHOWN_PROMPTS).find(({ session_id }) => session_id === s.id)
  return found === undefined ? null : { at: iso(found.at), tool: found.tool, reason: found.reason }
}

const promptOf = ({ id, session_id, at, text, snapshot_id }: PromptRecord) => ({
  prompt_id: id,
  session_id,
  at: iso(at),
  text,
  snapshot_id,
})

export const rewind = handler(Rewind, async (call, input) => {
  const workspace = recreateWorkspace(call, input)
  const recovered = await recoverFirst(call, workspace)
  const prompt = findPrompt(call, workspace.id, input.to, input.session_id)
  const target = findSnapshotOfWorkspace(call, workspace, prompt.snapshot_id ?? '')
  const done = await bringBackTo(call, workspace, target, input, recovered)
  const session = call.app.records.sessions.get(workspace.id, prompt.session_id)
  return {
    ...done,
    prompt: promptOf(prompt),
    client: session?.client ?? null,
    resume: resumeOf(session?.client ?? '', prompt.session_id),
  }
})

const LOOKED_AT = 1000

/** The named prompt: `last`, its id, or the beginning of it. */
function findPrompt(call: ToolCall, workspace: string, text: string, session: string | undefined): PromptRecord {
  const all = call.app.records.prompts.list(workspace, session, LOOKED_AT)
  const found =
    text === 'last' ? all.slice(0, 1) : all.filter(({ id }) => id === text || (text.length >= 3 && id.startsWith(text)))
  const only = found.find(({ id }) => id === text) ?? found[0]
  if (only === undefined || (found.length > 1 && only.id !== text))
    throw new Fault('PROMPT_NOT_FOUND', { id: text, matches: found.map(({ id }) => id) })
  return only
}

/** How to go back in the conversation in each client. No client lets another program do it. */
const RESUME: Readonly<Record<string, (session: string) => string>> = {
  claude: (id) =>
    `Conversation: claude --resume ${id}, press Esc twice, choose the prompt and "conversation only".\n` +
    `To keep both: claude --resume ${id} --fork-session`,
  opencode: (id) => `Conversation: opencode --session ${id}, then /undo until the prompt is gone.`,
  codex: (id) =>
    `Conversation: codex resume ${id}, press Esc twice and choose the prompt. To keep both: codex fork ${id}`,
  gemini: (id) => `Conversation: gemini --resume ${id}, then /rewind and choose the prompt.`,
}

const resumeOf = (client: string, session: string): string =>
  lookUp(RESUME, client)?.(session) ?? 'Conversation: go back to before this prompt in the client itself.'
