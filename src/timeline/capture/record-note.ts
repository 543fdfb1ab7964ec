import { encodeNote, type Note, subjectOf } from '../../records/notes.ts'
import type { Records } from '../../records/records.ts'
import type { Batch, ObjectStore } from '../../store/object-store.ts'
import { OBJECT } from '../../store/store.ts'

interface WritingRoom {
  readonly store: ObjectStore
  readonly records: Records
}

/**
 * Records notes, later facts about something recorded: rows for readers, objects for the packs. `change` runs inside
 * the write transaction; it changes the rows and returns the notes.
 */
export function writeDown(ctx: WritingRoom, change: () => Note | readonly Note[]): void {
  withBatch(ctx, (batch) =>
    ctx.records.db.write(() => {
      for (const note of [change()].flat() as Note[]) tell(ctx, batch, note)
    }),
  )
}

/** Runs `act` with a new batch and ends the batch afterwards. */
export function withBatch<T>({ store }: WritingRoom, act: (batch: Batch) => T): T {
  const batch = store.begin()
  try {
    return act(batch)
  } finally {
    batch.end()
  }
}

/** Records one note in the transaction that is under way. */
export function tell({ records }: WritingRoom, batch: Batch, note: Note): void {
  const object = batch.put(OBJECT.note, encodeNote(note))
  batch.publish()
  records.notes.add(object, subjectOf(note), note.note)
}
