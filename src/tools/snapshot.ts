import { actorOf } from '../app/actor.ts'
import { handler } from '../app/handler.ts'
import { recoverFirst } from '../app/recovery.ts'
import { pruneLater } from '../app/upkeep.ts'
import { captureContext, firstCapture, workspaceOrNew } from '../app/workspace-lookup.ts'
import { toHex } from '../host/hash.ts'
import { Snapshot } from '../protocol/snapshot.ts'
import { capture } from '../timeline/capture/capture.ts'
import { keepGitWith } from './git/keep-git.ts'
import { listLeftOut } from './left-out-listing.ts'

export const snapshot = handler(Snapshot, async (call, input) => {
  const { workspace, isNew } = workspaceOrNew(call, input)
  const recovered = await recoverFirst(call, workspace)
  const taking = capture(captureContext(call), workspace, {
    source: input.source,
    cause: {
      role: 'change',
      ...(input.tool ? { tool: input.tool } : {}),
      ...actorOf(call, workspace, input),
    },
    label: input.label,
    description: input.description,
    pin: input.pin,
  })
  const captured = await firstCapture(isNew, workspace.root, taking)
  await keepGitWith(call, workspace)
  pruneLater(call, workspace)
  const { snapshot: record, created, assembled } = captured
  return {
    snapshot_id: record.id,
    created,
    tree: toHex(record.tree),
    base: record.base,
    files: assembled.files,
    bytes: assembled.bytes,
    added: created ? record.added : 0,
    modified: created ? record.modified : 0,
    deleted: created ? record.deleted : 0,
    stored_bytes: created ? record.stored_bytes : 0,
    duration_ms: Math.round(captured.duration_ms),
    left_out: record.base === null && created ? listLeftOut(call.app.home, workspace, assembled) : [],
    warnings: [
      ...(isNew ? [`${workspace.root} was not a workspace yet; now it is`] : []),
      ...recovered,
      ...captured.warnings,
    ],
  }
})
