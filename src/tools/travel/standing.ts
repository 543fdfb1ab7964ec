import type { ToolCall } from '../../app/handler.ts'
import { isTravelling } from '../../travel/journeys/away.ts'

/** Whether a workspace is in the present or the past, for `status`. */
export function standing(call: ToolCall, workspace: { id: string }) {
  const journey = call.app.records.travels.current(workspace.id)
  if (!isTravelling(journey)) return { mode: 'present' as const, past: null }
  return {
    mode: 'past' as const,
    past: {
      current_snapshot_id: journey.snapshot_id,
      backup_path: journey.backup_id,
      issue_id: journey.issue_id,
      entered_at: new Date(journey.entered_at).toISOString(),
      guard_token: journey.id,
    },
  }
}

/** Warns that the present is not as it was before the journey, until a person acknowledges it. */
export function concern(call: ToolCall, workspace: { id: string }): string[] {
  const journey = call.app.records.travels.current(workspace.id)
  if (journey?.state !== 'blocked') return []
  const paths = journey.problems.slice(0, 5).join(', ')
  return [`the present is not as it was before the journey (${paths}); nothing is written until: timewarp acknowledge`]
}
