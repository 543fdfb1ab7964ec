import type { ToolCall } from '../../app/handler.ts'
import { captureContext } from '../../app/workspace-lookup.ts'
import { isSound, keepGit } from '../../git/keep.ts'
import { within } from '../../host/clock.ts'
import type { GitKept } from '../../protocol/promises.ts'
import type { GapRecord } from '../../records/gaps.ts'
import type { GitKeepRecord } from '../../records/git-keeps.ts'
import type { Records } from '../../records/records.ts'
import { IN_PASSING } from '../../timeline/retention/git-retention.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'

/** Keeps git's state where no guard does: with snapshots, on schedule, and when a workspace begins. */

/** How long to wait after a failed keep: another attempt may take long to fail again. */
const AGAIN_MS = 3_600_000

/** How long a snapshot waits for the keep; a keep that takes longer goes on in the background. */
const WITH_SNAPSHOT_MS = 500

/**
 * With a snapshot: in the daemon before the answer if that is quick; without a daemon after the answer, before the
 * process ends.
 */
export async function keepGitWith(call: ToolCall, workspace: Workspace): Promise<void> {
  const keep = (): Promise<void> => keepGitInPassing(call, workspace, 'snapshot')
  if (call.app.live) await within(WITH_SNAPSHOT_MS, keep(), undefined)
  else call.app.later(`keep git of ${workspace.id}`, keep)
}

/** Never throws: `status` reports what could not be kept. */
export async function keepGitInPassing(
  call: ToolCall,
  workspace: Workspace,
  when: keyof typeof IN_PASSING,
): Promise<void> {
  const { records, clock } = call.app
  try {
    const last = records.gitKeeps.newest(workspace.id)?.keep
    if (last && !isSound(last) && clock.now() - last.created_at < AGAIN_MS) return
    await keepGit(captureContext(call), workspace, IN_PASSING[when])
  } catch (error) {
    noteGap(records, { workspace: workspace.id, at: clock.now(), reason: `git could not be kept: ${reasonOf(error)}` })
  }
}

function noteGap({ gaps }: Records, gap: Omit<GapRecord, 'session_id' | 'tool'>): void {
  try {
    gaps.add({ ...gap, session_id: null, tool: 'git' })
  } catch {
    // The records may be closed by now, or the disk full: the next snapshot tries again.
  }
}

/** How long the start of a workspace waits for git. */
const WAIT_MS = 5000

/** Keeps git's state before the answer reports it; a keep that takes long goes on in the background. */
export async function keepGitAtOnce(call: ToolCall, workspace: Workspace): Promise<GitKept> {
  if (!workspace.config.git.protect) return said('off')
  const keeping = keepGit(captureContext(call), workspace, 'at the start').then(
    (kept) => (kept ? saidOf(kept.keep) : said('none')),
    (error: unknown) => ({ ...said('failed'), problem: reasonOf(error) }),
  )
  const answer = await within(WAIT_MS, keeping, said('underway'))
  if (answer.state === 'underway') call.app.soon(`keep git of ${workspace.id}`, async () => void (await keeping))
  return answer
}

const said = (state: GitKept['state']): GitKept => ({
  state,
  git_id: null,
  refs: 0,
  stashes: 0,
  bytes: 0,
  problem: null,
})

/** For a caller who wants no snapshot yet: then git is not kept yet, either. */
export const GIT_LATER = said('later')

function saidOf({ id, repositories, warnings }: GitKeepRecord): GitKept {
  const [own] = repositories
  const problem = [...repositories.flatMap((one) => one.problem ?? []), ...warnings][0] ?? null
  return {
    state: problem === null ? 'kept' : 'partly',
    git_id: id,
    refs: own?.refs ?? 0,
    stashes: own?.stashes ?? 0,
    bytes: repositories.reduce((sum, { bytes }) => sum + bytes, 0),
    problem,
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
