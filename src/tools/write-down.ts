import { encodeNote, type Note } from '../records/notes.ts'
import { OBJECT } from '../store/store.ts'
import type { Call } from './handler.ts'

/**
 * Writes down a later word about something recorded: a row for readers, an object for the packs.
 * `change` runs where nobody else writes, changes the row and says the word.
 */
export function writeDown({ house }: Call, change: () => Note): void {
  const batch = house.store.begin()
  try {
    house.records.db.write(() => {
      const note = change()
      const object = batch.put(OBJECT.note, encodeNote(note))
      batch.publish()
      house.records.notes.add(object, note.id, note.note)
    })
  } finally {
    batch.end()
  }
}
