import type { Call } from '../app/handler.ts'
import { writeDown } from '../app/write-down.ts'

export function setPin(call: Call, id: string, pinned: boolean): void {
  writeDown(call, () => {
    call.house.records.snapshots.setPinned(id, pinned)
    return { note: 'pin', id, pinned, at: call.house.clock.now() }
  })
}
