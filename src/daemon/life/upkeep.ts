import type { App } from '../../app/app.ts'
import { loadSettings } from '../../config/settings.ts'
import { lstat } from '../../host/files/fs.ts'
import { isMergeDue } from '../../store/merge.ts'
import type { ObjectStore } from '../../store/object-store.ts'
import { runInChild } from './child-process.ts'
import type { SmallPacks } from './schedule.ts'

/** Work that keeps the store small; each task runs in a child process of low priority. */

interface Place {
  readonly home: string
  readonly program: string
}

const HOUR = 3_600_000
/** With at most this many packs, the daemon does not check whether a merge is due. */
const FEW = 64
/** With more packs than this, the daemon merges even while there is activity. */
const FAR_TOO_MANY = 2000

const run = ({ home, program }: Place, tool: string, input: object): Promise<string> =>
  runInChild({ home, program, cwd: '/' }, ['call', tool, '-'], JSON.stringify(input), true)

/** Retention and garbage collection. */
export async function runUpkeep(app: App, place: Place, now: number): Promise<void> {
  for (const { id, root } of app.records.workspaces.all()) {
    if (!loadSettings(place.home, lstat(root) ? root : undefined).retention.auto) continue
    if (app.records.workspaces.claimPrune(id, now, HOUR)) await run(place, 'prune', { workspace: id })
  }
}

export function smallPacks(store: ObjectStore): SmallPacks {
  const count = store.index.countPacks()
  if (count <= FEW || !isMergeDue(store)) return 'few'
  return count > FAR_TOO_MANY ? 'far too many' : 'many'
}

/** Merges small packs, then checkpoints the write-ahead log of the records. */
export async function mergeInIdleTime(app: App, place: Place): Promise<void> {
  await run(place, 'gc', { merge_only: true })
  await app.store.tidy()
}
