import type { ToolCall } from '../../app/handler.ts'
import { outPath } from '../../base/quote.ts'
import { gitFoldersOf } from '../../git/git-folders.ts'
import { partsOrNone } from '../../git/kept.ts'
import { gitNow, goneOf, namesLost } from '../../git/losses.ts'
import { isReplaced } from '../../git/missing.ts'
import { gitSignature } from '../../git/signature.ts'
import type { GitKeepRecord } from '../../records/git-keeps.ts'

const NAMED = 3
/** How many keeps are compared; earlier ones are left to `git-rescue`. */
const MOST_STATES = 10

/**
 * A restore brings back files, not commits: returns a sentence when git has lost something since that moment. Costs a
 * comparison of file times while git's folder is unchanged, and one or two runs of git otherwise.
 */
export async function gitLostSince(
  call: ToolCall,
  workspace: { id: string; root: string },
  since: number,
): Promise<string[]> {
  const keeps = statesSince(call.app.records.gitKeeps.all(workspace.id), since)
  const [newest] = keeps
  if (newest === undefined) return []
  const gone = goneOf(newest)
  if (gone !== undefined)
    return [
      gone === newest.link?.path
        ? `${outPath(gone)}, which leads to the git folder, is gone; bring it back with: timewarp git-rescue`
        : `the git folder ${outPath(gone)} is gone; bring it back with: timewarp git-rescue`,
    ]
  if (keeps.length === 1 && isAsKept(call, workspace)) return []
  const now = await gitNow(newest)
  if (now === undefined) return []
  const lost = new Set<string>()
  const replaced = new Set<string>()
  const read = (keep: GitKeepRecord) => partsOrNone(() => namesLost(call.app.store.reader, keep, now))
  for (const keep of keeps.filter(({ git_dir }) => git_dir === newest.git_dir))
    for (const { name, id } of (await read(keep)) ?? []) {
      // A ref that a rescue replaced was not lost.
      if (isReplaced(keep)) replaced.add(`${name} ${id}`)
      else if (!replaced.has(`${name} ${id}`)) lost.add(name)
    }
  if (lost.size === 0) return []
  const named = [...lost].slice(0, NAMED).map(outPath)
  const rest = lost.size > NAMED ? ', …' : ''
  return [`git has lost something since then (${named.join(', ')}${rest}); see timewarp git-rescue`]
}

/** The keeps after a moment, and the last one before it. The newest first. */
function statesSince(all: readonly GitKeepRecord[], since: number): GitKeepRecord[] {
  const before = all.findIndex(({ created_at }) => created_at <= since)
  return all.slice(0, Math.min(MOST_STATES, before === -1 ? all.length : before + 1))
}

function isAsKept({ app }: ToolCall, { id, root }: { id: string; root: string }): boolean {
  const place = gitFoldersOf(root)
  const last = app.records.gitKeeps.newest(id)
  return place !== undefined && last?.signature === gitSignature(place, Date.now()).text
}
