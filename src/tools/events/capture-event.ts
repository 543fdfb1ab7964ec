import type { ToolCall } from '../../app/handler.ts'
import { captureContext } from '../../app/workspace-lookup.ts'
import { isFault } from '../../base/fault.ts'
import { sleep } from '../../host/clock.ts'
import type { CallRecord } from '../../records/calls.ts'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import type { RelPath } from '../../schema/path.ts'
import { sourceOf } from '../../timeline/attribution/attribute.ts'
import { capture, leaseName } from '../../timeline/capture/capture.ts'
import type { CaptureRequest } from '../../timeline/capture/types.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'

/** The session, client and workspace of an event. */
export interface EventContext {
  readonly call: ToolCall
  readonly workspace: Workspace
  readonly session: string
  readonly client: string
  readonly tool: string | null
  /** How long the client waits for the answer. */
  readonly waitMs: number
}

/** The result of a capture for an event. */
export type EventCapture =
  | { readonly seen: true; readonly recorded: readonly SnapshotRecord[] }
  | { readonly seen: false; readonly reason: string }

/**
 * Captures what has changed without keeping the client waiting: a capture that takes too long goes on in the
 * background, and one that fails is recorded as a gap. Never throws.
 */
export async function captureForEvent(
  scene: EventContext,
  request: Partial<CaptureRequest> = {},
  /** Called when the snapshot is recorded, also when the client no longer waits. Must not throw. */
  afterwards: (newest: SnapshotRecord) => void = () => {},
): Promise<EventCapture> {
  const { call, workspace } = scene
  const taken = capture(captureContext(call), workspace, {
    source: sourceOf(scene.client),
    cause: { role: 'change' },
    ifChanged: true,
    ...request,
  }).then(
    ({ recorded, snapshot }): EventCapture => {
      afterwards(snapshot)
      return { seen: true, recorded }
    },
    (error: unknown): EventCapture => ({ seen: false, reason: reasonOf(error) }),
  )
  const late: EventCapture = { seen: false, reason: `a capture took longer than ${scene.waitMs} ms` }
  const looked = call.app.live ? await Promise.race([taken, sleep(scene.waitMs).then(() => late)]) : await taken
  if (!looked.seen) gap(scene, looked.reason)
  else for (const { seq, ended } of call.app.records.calls.open(workspace.id)) if (ended) endCall(scene, seq)
  return looked
}

export const UNCHANGED: EventCapture = { seen: true, recorded: [] }

/** Whether the live view knows of nothing to capture, and these paths are certainly unchanged. */
export async function isAsCaptured(
  { call, workspace }: EventContext,
  open: readonly CallRecord[],
  paths: readonly RelPath[],
): Promise<boolean> {
  const { live, records, store } = call.app
  const isLeftOpen = open.some(({ ended }) => ended)
  // During a restore a capture has to wait for its end.
  if (live === undefined || isLeftOpen || records.leases.holder(leaseName(workspace.id))) return false
  return live.isStill(workspace, { epoch: store.index.epoch(), index: store.index }, paths)
}

/**
 * Records that something was not captured. A busy workspace is ignored. Any other fault, such as a full disk, is
 * thrown, so that the client's hook remembers the gap.
 */
export function gap({ call, workspace, session, tool }: EventContext, reason: string): void {
  try {
    const { app } = call
    app.records.gaps.add({ workspace: workspace.id, at: app.clock.now(), session_id: session, tool, reason })
  } catch (error) {
    if (!isFault(error, 'WORKSPACE_BUSY')) throw error
  }
}

export const endCall = ({ call }: Pick<EventContext, 'call'>, seq: number): void => call.app.records.calls.end(seq)

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
