import type { ToolCall } from '../../app/handler.ts'
import { outPath, showPath } from '../../base/quote.ts'
import { count } from '../../base/text.ts'
import type { RecordedEdits } from '../../edits/file-change.ts'
import type { RelPath } from '../../schema/path.ts'
import { Trees } from '../../timeline/capture/trees.ts'
import { pathsOf } from '../../timeline/history/listing.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'
import { forgetLeftOut, leftOutAndGone } from '../left-out-listing.ts'
import type { filesOf } from './reverse-report.ts'
import { ids, type RevertCandidate } from './revert-candidates.ts'

/** The deed to be reverted, the paths of it that are not restored yet, and the previous deed that has such paths. */
export interface FoundDeed {
  readonly deed: RevertCandidate
  readonly remains: ReadonlySet<RelPath>
  readonly before: { readonly deed: RevertCandidate; readonly files: ReturnType<typeof filesOf> } | undefined
}

const iso = (ms: number): string => new Date(ms).toISOString()

/** A deed as it is described to the person or agent that decides about it. */
export function toldDeed(call: ToolCall, workspace: { id: string }, { deed, before: earlier }: FoundDeed) {
  const { of, what } = deed
  const { snapshots, doubtful } = deed.meant
  const { records, store } = call.app
  const steps = [...snapshots, ...doubtful].sort((a, b) => a.seq - b.seq)
  const [first] = steps
  const causes = steps.map(({ cause }) => cause)
  const [prompt_id] = causes.flatMap((cause) => ids(cause, 'prompt_id'))
  const [session_id] = causes.flatMap((cause) => ids(cause, 'session_id'))
  const prompt = of === 'prompt' && prompt_id !== undefined ? records.prompts.get(workspace.id, prompt_id) : undefined
  const session = session_id === undefined ? undefined : records.sessions.get(workspace.id, session_id)
  const base = first?.base ? records.snapshots.get(first.base) : undefined
  const { read } = new Trees(store.reader)
  return {
    of,
    what,
    prompt_id: of === 'prompt' ? (prompt_id ?? null) : null,
    prompt: prompt?.text ?? null,
    session_id: session_id ?? null,
    client: session?.client ?? null,
    began_at: iso(prompt?.at ?? base?.created_at ?? first?.created_at ?? 0),
    running: records.calls
      .open(workspace.id)
      .filter(({ ended }) => !ended)
      .map(({ title, tool }) => title ?? tool),
    before: earlier
      ? {
          of: earlier.deed.of,
          what: earlier.deed.what,
          prompt: promptOf(call, workspace, earlier.deed),
          files: earlier.files,
        }
      : null,
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

function promptOf(
  call: ToolCall,
  workspace: { id: string },
  { meant: { snapshots, doubtful } }: RevertCandidate,
): string | null {
  const [id] = [...snapshots, ...doubtful].flatMap(({ cause }) => ids(cause, 'prompt_id'))
  return id === undefined ? null : (call.app.records.prompts.get(workspace.id, id)?.text ?? null)
}

const NAMED = 5

/** Warns of files that the changes deleted and no snapshot has; a deleted folder may have held some. */
export function leftOutWarning(
  call: ToolCall,
  workspace: Workspace,
  doings: readonly RecordedEdits[],
  isShown: boolean,
): string[] {
  const hasDeleted = doings.some(({ did, folders }) => [...did, ...folders].some(({ after }) => after === undefined))
  if (!hasDeleted) return []
  const gone = leftOutAndGone(call.app.home, workspace)
  if (gone && gone.length > 0) {
    if (!isShown) forgetLeftOut(call.app.home, workspace, gone)
    const named = [
      ...gone.slice(0, NAMED).map(showPath),
      ...(gone.length > NAMED ? [`${count(gone.length - NAMED, 'more', 'more')}`] : []),
    ]
    return [`left out of snapshots, gone since, and not coming back: ${named.join(', ')}`]
  }
  const isFolderGone = doings.some(({ folders }) => folders.some(({ after }) => after === undefined))
  return gone === undefined && isFolderGone
    ? ['what a deleted folder held that snapshots leave out (see: timewarp status) does not come back']
    : []
}
