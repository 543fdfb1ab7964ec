import { loadSettings } from '../config/settings.ts'
import { isMergeDue } from '../store/merge.ts'
import type { UpkeepRoom } from '../timeline/integrity/context.ts'
import { freeSpace, mergeSmall, prune } from '../timeline/retention/prune.ts'
import type { Call } from './handler.ts'

export const upkeepRoom = ({ house }: Call): UpkeepRoom => ({
  home: house.home,
  store: house.store,
  records: house.records,
  now: () => house.clock.now(),
})

const HOUR = 3_600_000

/** Prunes after the answer is given, at most hourly. */
export function pruneLater(call: Call, workspace: { id: string; root: string }): void {
  const { house } = call
  house.later('prune', async () => {
    const { retention } = loadSettings(house.home, workspace.root)
    if (!retention.auto || !house.records.workspaces.claimPrune(workspace.id, house.clock.now(), HOUR)) return
    const { removed, dropped } = prune(upkeepRoom(call), workspace.id, retention)
    if (removed.length + dropped.length > 0) await freeSpace(upkeepRoom(call), 0)
    else if (isMergeDue(house.store)) await mergeSmall(upkeepRoom(call), 0)
  })
}

/** Frees space after the answer is given, if nobody else is at it. */
export const freeLater = (call: Call): void =>
  call.house.later('gc', async () => void (await freeSpace(upkeepRoom(call), 0)))
