import { lazily } from '../../base/lazily.ts'
import { OpenFolders } from '../../host/files/open-folders.ts'
import { encodeNote } from '../../records/notes.ts'
import type { Cause } from '../../schema/cause.ts'
import type { PathChange } from '../../schema/change.ts'
import type { TreeDifference } from '../../store/compare-trees.ts'
import type { Batch } from '../../store/object-store.ts'
import { OBJECT } from '../../store/store.ts'
import type { CaptureContext } from '../scan/context.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { doubtful, sharesFor } from './attribute.ts'
import type { Before } from './fits.ts'
import type { Ending, Share } from './share.ts'
import {
  editedWith,
  followingMoves,
  isNobodys,
  type SeenAt,
  seenByName,
  seenInRecords,
  seenOnDisk,
} from './sightings.ts'

/** A scanned state that is about to be recorded, as far as attribution needs it. */
interface Observed {
  readonly ctx: CaptureContext
  readonly workspace: Workspace
  readonly batch: Batch
  readonly request: {
    readonly cause: Cause
    readonly ending?: Ending | undefined
    readonly ended?: ReadonlySet<number> | undefined
  }
}

/**
 * The shares of the tool calls that are under way: changes found meanwhile may be theirs, whichever process scans. A
 * request that itself names who made the change is believed, so there are no shares then.
 */
export function claimsOn(
  { ctx, workspace, request }: Pick<Observed, 'ctx' | 'workspace' | 'request'>,
  changes: readonly TreeDifference[],
  before: Before,
): Share[] {
  const { cause, ending, ended } = request
  if (cause.role === 'act' || cause.tool !== undefined || cause.session_id !== undefined) return []
  const open = ctx.records.calls.open(workspace.id)
  const calls = ending && !open.some(({ seq }) => seq === ending.call.seq) ? [...open, ending.call] : open
  if (calls.length === 0) return []
  const now = ctx.clock.now()
  const since = now - windowMs(workspace)
  return withSightings(ctx, workspace, since, now, (seenAt) =>
    sharesFor(changes, {
      calls,
      ending,
      ended,
      since,
      now,
      seenAt: followingMoves(changes, seenAt),
      before: quietly(before),
    }),
  )
}

/** A tree that cannot be read gives no evidence: the capture must not fail because of attribution. */
const quietly =
  (before: Before): Before =>
  (path) => {
    try {
      return before(path)
    } catch {
      return undefined
    }
  }

/** Expensive sources of sightings are opened only when they are needed. */
function withSightings<T>(
  ctx: CaptureContext,
  workspace: Workspace,
  since: number,
  now: number,
  act: (seenAt: SeenAt) => T,
): T {
  const named = seenByName(now)
  const recorded = lazily(() => seenInRecords(ctx.records.snapshots, workspace.id, since))
  let folders: OpenFolders | undefined
  const open = lazily((): SeenAt => {
    try {
      return seenOnDisk((folders = new OpenFolders(workspace.root)), since)
    } catch {
      // A root that cannot be opened now gives no sightings: the capture must not fail because of attribution.
      return () => undefined
    }
  })
  try {
    return act((path) => {
      const found = named(path) ?? recorded()(path)
      if (found?.isOpen) return found
      const editor = open()(path)
      return found && editor ? { ...found, isOpen: true } : (found ?? editor)
    })
  } finally {
    folders?.close()
  }
}

const windowMs = ({ config }: Workspace): number => config.attribution.window_s * 1000

/**
 * A change that no call claims makes earlier changes at the same paths doubtful, if they were attributed to a command
 * only because it ran at the time.
 */
export function doubtEarlier(
  { ctx, workspace, batch }: Pick<Observed, 'ctx' | 'workspace' | 'batch'>,
  cause: Cause,
  changes: readonly PathChange[],
  now: number,
): void {
  if (!isNobodys(cause)) return
  const { records } = ctx
  const paths = new Set(changes.flatMap(({ path }) => [path, editedWith(path) ?? path]))
  for (const doubt of doubtful(records.snapshots, workspace.id, paths, now - windowMs(workspace))) {
    records.doubts.add(doubt.id, doubt.paths)
    const note = { note: 'doubt', id: doubt.id, paths: records.doubts.of(doubt.id), at: now } as const
    records.notes.add(batch.put(OBJECT.note, encodeNote(note)), doubt.id, 'doubt')
  }
}
