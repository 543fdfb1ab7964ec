import type { ToolCall } from '../app/handler.ts'
import { writeDown } from '../app/record-note.ts'

export function setPin(call: ToolCall, id: string, pinned: boolean): void {
  writeDown(call, () => {
    call.app.records.snapshots.setPinned(id, pinned)
    return { note: 'pin', id, pinned, at: call.app.clock.now() }
  })
}
