import type { ToolCall } from '../../app/handler.ts'
import { outPath } from '../../base/quote.ts'
import { shellWord } from '../../base/shell-word.ts'
import { deedOf, type GitHit, isHit } from '../../git/deeds.ts'
import { partsOrNone } from '../../git/kept.ts'
import { gitNow, goneOf, type Losses, type LostRef, lossesOf } from '../../git/losses.ts'
import { isReplaced, type Missing, missingIn, proposalsFor, type RescueProposal } from '../../git/missing.ts'
import type { Keep } from '../../protocol/git-rescue.ts'
import type { GitKeepRecord } from '../../records/git-keeps.ts'
import type { WorkspaceRecord } from '../../records/workspaces.ts'
import { hitsIn, toldHit } from './git-hits.ts'

/** Keeps as the answer lists them, and what the repository lacks of each. */

interface Row {
  readonly keep: GitKeepRecord
  readonly losses: Losses | undefined
}

async function rowsOf(call: ToolCall, keeps: readonly GitKeepRecord[]): Promise<Row[]> {
  const now = new Map<string, Awaited<ReturnType<typeof gitNow>>>()
  const rows: Row[] = []
  for (const keep of keeps) {
    const place = JSON.stringify([keep.git_dir, keep.link?.path])
    if (!now.has(place)) now.set(place, await gitNow(keep))
    const losses = await partsOrNone(() => lossesOf(call.app.store.reader, keep, now.get(place)))
    rows.push({ keep, losses })
  }
  return rows
}

const rowText = ({ keep, losses }: Row) => ({ ...told(keep), lost: losses ? lostFields(keep, losses) : null })

export const listed = async (call: ToolCall, keeps: readonly GitKeepRecord[]) =>
  (await rowsOf(call, keeps)).map(rowText)

const DAY_MS = 86_400_000
const MOST_SEARCHED = 100

/**
 * Lists the newest keeps, and searches all of the last day for what is missing: there may be many, and the newest may
 * lack it, too.
 */
export async function survey(
  call: ToolCall,
  workspace: WorkspaceRecord,
  keeps: readonly GitKeepRecord[],
  limit: number,
) {
  const since = call.app.clock.now() - DAY_MS
  const searched = keeps.filter(({ created_at }, i) => i < limit || (i < MOST_SEARCHED && created_at > since))
  const rows = await rowsOf(call, searched)
  const states = rows.flatMap(({ keep, losses }) =>
    losses
      ? [
          {
            id: keep.id,
            isReplaced: isReplaced(keep),
            losses,
            isWhole: problemsOf(keep).length === 0,
            isMiddle: isMiddle(keep, searched),
          },
        ]
      : [],
  )
  const hits = await hitsIn(call, searched)
  const missing = missingIn(states)
  const rest = missing.filter((one) => !hits.some(({ hit }) => hit && isIn(hit, one)))
  const proposals = proposalsFor(states, rest)
  const isShown = ({ keep }: Row, i: number): boolean => i < limit || proposals.some(({ state }) => state === keep.id)
  return {
    keeps: rows.filter(isShown).map(rowText),
    hits: hits.map((one) => toldHit(call, workspace, one)),
    missing: missing.map(missingFields),
    proposals: [
      ...hits.flatMap(({ deed, hit }) =>
        hit && isHit(hit)
          ? [
              {
                git_id: hit.before.id,
                brings: broughtBy(hit).map(missingFields),
                command: `timewarp git-rescue --of ${shellWord(deed.what)}`,
              },
            ]
          : [],
      ),
      ...proposals.map((one) => ({
        git_id: one.state,
        brings: one.brings.map(missingFields),
        command: commandOf(one),
      })),
    ],
  }
}

/** Whether the prompt that led to a keep changed git again after it. */
const isMiddle = ({ id, by }: GitKeepRecord, keeps: readonly GitKeepRecord[]): boolean =>
  by !== undefined &&
  keeps
    .slice(
      0,
      keeps.findIndex((one) => one.id === id),
    )
    .some((newer) => newer.by && deedOf(newer.by) === deedOf(by))

const broughtBy = ({ before: { id: state }, refs, stashes, head, index }: GitHit): Missing[] => [
  ...refs.map((lost) => ({ what: 'ref' as const, name: lost.name, state, lost })),
  ...stashes.map((lost) => ({ what: 'stash' as const, name: lost.id, state, lost })),
  ...(head ? [{ what: 'HEAD' as const, name: head.was, state, lost: undefined }] : []),
  ...(index === 'lost' ? [{ what: 'index' as const, name: '', state, lost: undefined }] : []),
]

const isIn = (hit: GitHit, { what, name }: Missing): boolean =>
  broughtBy(hit).some((one) => one.what === what && one.name === name)

const missingFields = ({ what, name, state }: Missing) => ({ what, name: outPath(name), git_id: state })

function commandOf({ state, brings, only }: RescueProposal): string {
  const moves = brings.some(({ what }) => what === 'ref' || what === 'stash')
  const words = only.flatMap((name) => ['--only', shellWord(name)])
  return ['timewarp git-rescue', state, ...(moves ? ['--restore-refs'] : []), ...words].join(' ')
}

const wentFrom = (keep: GitKeepRecord): string | null => {
  const path = goneOf(keep)
  return path === undefined ? null : outPath(path)
}

export const lostRef = ({ name, ...rest }: LostRef) => ({ ref: outPath(name), ...rest })

const lostFields = (keep: GitKeepRecord, { gone, refs, stashes, commits }: Losses) => ({
  git_dir_gone: gone,
  gone: gone ? wentFrom(keep) : null,
  refs: refs.map(lostRef),
  stashes: stashes.map(({ id, message, object }) => ({ id, message: message.toWellFormed(), object })),
  commits: [...commits],
})

export const problemsOf = ({ repositories, warnings }: GitKeepRecord): string[] => [
  ...repositories.flatMap(({ path, problem }) =>
    problem === null ? [] : [path === '' ? problem : `${path}: ${problem}`],
  ),
  ...warnings,
]

export function told(keep: GitKeepRecord): Keep {
  const [own] = keep.repositories
  return {
    git_id: keep.id,
    created_at: new Date(keep.created_at).toISOString(),
    why: keep.why,
    git_dir: outPath(keep.git_dir),
    head: own?.head ?? null,
    branch: own?.branch === null || own === undefined ? null : outPath(own.branch),
    refs: own?.refs ?? 0,
    stashes: own?.stashes ?? 0,
    submodules: keep.repositories.length - 1,
    bytes: keep.repositories.reduce((sum, { bytes }) => sum + bytes, 0),
    stored_bytes: keep.stored_bytes,
    problems: problemsOf(keep),
  }
}
