import type { Daemon } from '../daemon.ts'
import { callNamed, isPerson, type TrueCall, type Truth, type Writer } from './truth.ts'

/** What the timeline says of every change, beside what really happened. */

export const TOLD = ['certain', 'likely', 'shared', 'nobody'] as const
type Told = (typeof TOLD)[number]
export const MAKERS = ['edit', 'named', 'opaque', 'person', 'several'] as const
type Maker = (typeof MAKERS)[number]

export interface Judged {
  readonly snapshot: string
  readonly path: string
  readonly told: Told
  readonly maker: Maker
  readonly writers: ReadonlySet<Writer>
  readonly isRight: boolean
  /** Whether a person was at the path within the window, and whether they were seen there. */
  readonly wasTouched: boolean
  readonly wasSeen: boolean
  /** Of a change that one call made: whether another command ran beside it. */
  readonly hadCompany: boolean
  readonly cause: Cause
}

interface Cause {
  readonly role: string
  readonly certainty?: 'certain' | 'likely' | 'shared'
  readonly known_by?: string
  readonly call_id?: string
  readonly session_id?: string
  readonly shared?: readonly { readonly call_id: string | null }[]
}

interface Snapshot {
  readonly snapshot_id: string
  readonly created_at: string
  readonly diff: string
}

/** Every change of the timeline of one workspace. Drafts, swap files and what comes back unchanged are left out. */
export async function judgeAll(daemon: Daemon, truth: Truth): Promise<Judged[]> {
  const found: Snapshot[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { output: page } = await daemon.call<{
      snapshots: Snapshot[]
      pagination: { next_cursor: string | null }
    }>('get_edit_history', {
      workspace: truth.root,
      limit: 100,
      include_diffs: true,
      ...(cursor === undefined ? {} : { cursor }),
    })
    found.push(...page.snapshots)
    cursor = page.pagination.next_cursor
  }
  const judged: Judged[] = []
  for (const snapshot of found.reverse()) judged.push(...(await judgeOne(daemon, truth, snapshot)))
  return judged
}

async function judgeOne(daemon: Daemon, truth: Truth, { snapshot_id, created_at, diff }: Snapshot): Promise<Judged[]> {
  const { output } = await daemon.call<{ cause: Cause; doubts: string[]; base: string | null }>('show', {
    workspace: truth.root,
    snapshot_id,
  })
  const { cause, doubts, base } = output
  if (cause.role !== 'change' || base === null) return []
  const at = Date.parse(created_at)
  return changesIn(diff).flatMap((change) => {
    const writers = truth.writersOf(change)
    if (writers.size === 0) return []
    const { path } = change
    const told: Told = doubts.includes(path) ? 'shared' : (cause.certainty ?? 'nobody')
    const call = truth.calls.find(({ id }) => writers.has(callNamed(id)))
    return {
      snapshot: snapshot_id,
      path,
      told,
      writers,
      cause,
      maker: makerOf(writers, call),
      isRight: isRight(told, cause, writers, doubts.includes(path)),
      wasTouched: truth.wasTouched(path, at),
      wasSeen: truth.wasSeen(path, at),
      hadCompany: call !== undefined && truth.hadCompany(call),
    }
  })
}

function makerOf(writers: ReadonlySet<Writer>, call: TrueCall | undefined): Maker {
  if (writers.size > 1) return 'several'
  return call?.kind ?? 'person'
}

/** Whether everybody who had a hand in it is named, and of one who is named alone, nobody else had. */
function isRight(told: Told, cause: Cause, writers: ReadonlySet<Writer>, isDoubted: boolean): boolean {
  const all = [...writers]
  if (told === 'nobody') return all.every(isPerson)
  const calls = cause.shared?.map(({ call_id }) => call_id) ?? [cause.call_id ?? null]
  if (isDoubted) calls.push(null)
  if (told === 'shared')
    return all.every((writer) => calls.some((id) => (id === null ? isPerson(writer) : callNamed(id) === writer)))
  return all.length === 1 && all[0] === callNamed(cause.call_id ?? '')
}

interface FileDiff {
  readonly path: string
  readonly added: string[]
  readonly removed: string[]
  isDeleted: boolean
}

/** The files of a diff, with the lines that came and went. Paths here need no quotes. */
export function changesIn(diff: string): FileDiff[] {
  const files: FileDiff[] = []
  for (const line of diff.split('\n')) {
    const path = /^diff --git a\/.* b\/(.*)$/.exec(line)?.[1]
    if (path !== undefined) files.push({ path, added: [], removed: [], isDeleted: false })
    const file = files.at(-1)
    if (file === undefined || path !== undefined) continue
    if (line.startsWith('deleted file mode')) file.isDeleted = true
    else if (line.startsWith('+') && !line.startsWith('+++')) file.added.push(line.slice(1))
    else if (line.startsWith('-') && !line.startsWith('---')) file.removed.push(line.slice(1))
  }
  return files
}
