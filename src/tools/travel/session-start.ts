import { handler, type ToolCall } from '../../app/handler.ts'
import { writeDown } from '../../app/record-note.ts'
import { recoverFirst } from '../../app/recovery.ts'
import { redactorOf } from '../../app/redactor.ts'
import { freeLater, maintenanceContext } from '../../app/upkeep.ts'
import { captureContext, workspaceOrNew } from '../../app/workspace-lookup.ts'
import { loadSettings } from '../../config/settings.ts'
import { SessionStart } from '../../protocol/travel.ts'
import type { SessionRecord } from '../../records/sessions.ts'
import { sourceOf } from '../../timeline/attribution/attribute.ts'
import { capture } from '../../timeline/capture/capture.ts'
import { prune } from '../../timeline/retention/prune.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'
import { isTravelling } from '../../travel/journeys/away.ts'
import { environmentOf } from '../../travel/journeys/environment.ts'
import { writeStateFile } from '../../travel/journeys/state-file.ts'

export const sessionStart = handler(SessionStart, async (call, input) => {
  const { workspace, isNew } = workspaceOrNew(call, input)
  const recovered = await recoverFirst(call, workspace)
  const { records, clock } = call.app
  const redact = redactorOf(workspace)
  const session = records.sessions.meet({
    id: input.session_id ?? call.app.newId('sess'),
    workspace: workspace.id,
    at: clock.now(),
    client: input.client,
    task_hint: input.initial_task_hint === undefined ? undefined : redact(input.initial_task_hint),
    transcript: input.transcript,
  })
  const began = beganWith(call, session)
  const taken = began ? undefined : await captureBeginning(call, workspace, session)
  writeStateFile(records, workspace)
  return {
    ok: true as const,
    session_id: session.id,
    snapshot_id: began ?? taken?.id ?? '',
    already: began !== undefined,
    mode: isTravelling(records.travels.current(workspace.id)) ? ('past' as const) : ('present' as const),
    removed: began ? [] : tidyUp(call, workspace),
    warnings: [
      ...(isNew ? [`${workspace.root} was not a workspace yet; now it is`] : []),
      ...recovered,
      ...(taken?.warnings ?? []),
    ],
  }
})

/** The snapshot of the session's start, if it was taken and its contents are kept. */
function beganWith({ app }: ToolCall, { snapshot_id }: SessionRecord): string | undefined {
  return snapshot_id !== null && app.records.snapshots.get(snapshot_id)?.content ? snapshot_id : undefined
}

/**
 * Changes from before the session are captured apart from it; the snapshot of its start is a backup, not work. The row
 * of the session names its snapshot only when that is recorded: after a crash in between, the session starts again.
 */
async function captureBeginning(call: ToolCall, workspace: Workspace, session: SessionRecord) {
  const { client, task_hint } = session
  const ctx = captureContext(call)
  const source = client === null ? 'manual' : sourceOf(client)
  const found = await capture(ctx, workspace, { source, cause: { role: 'change' }, ifChanged: true, passing: true })
  const { snapshot } = await capture(ctx, workspace, {
    source,
    label: client === null ? 'session-start' : `${client}-session-start`,
    cause: { role: 'backup', session_id: session.id },
    always: true,
    only: { folders: [], since: found.since },
    facts: {
      env_fingerprint: environmentOf(call.app.home),
      ...(task_hint ? { initial_task_hint: task_hint } : {}),
    },
  })
  writeDown(call, () => {
    call.app.records.sessions.setSnapshot(workspace.id, session.id, snapshot.id)
    return { note: 'session', ...session, snapshot_id: snapshot.id, at: call.app.clock.now() }
  })
  return { id: snapshot.id, warnings: found.warnings }
}

/**
 * Deletes what the retention policy no longer keeps: never the new snapshot, and nothing while the workspace is in the
 * past.
 */
function tidyUp(call: ToolCall, workspace: Workspace): string[] {
  const { retention } = loadSettings(call.app.home, workspace.root)
  if (!retention.auto) return []
  const { removed, dropped } = prune(maintenanceContext(call), workspace.id, retention)
  if (removed.length + dropped.length > 0) freeLater(call)
  return [...removed, ...dropped]
}
