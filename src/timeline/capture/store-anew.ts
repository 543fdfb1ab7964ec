import type { Records } from '../../records/records.ts'
import type { ObjectStore } from '../../store/object-store.ts'
import type { ObjectKind } from '../../store/store.ts'

/** Bytes for an object whose stored bytes are damaged or missing. */
export interface NewObject {
  readonly hash: Uint8Array
  readonly kind: ObjectKind
  readonly bytes: Uint8Array
}

/** Stores objects in place of the damaged or missing ones with the same hashes. Durable when it returns. */
export function storeAnew(
  { store, records }: { readonly store: ObjectStore; readonly records: Records },
  objects: readonly NewObject[],
): void {
  if (objects.length === 0) return
  const batch = store.begin()
  try {
    records.db.writeDurably(() => {
      for (const { hash, kind, bytes } of objects) batch.putAnew(hash, kind, bytes)
      batch.publish()
    })
  } finally {
    batch.end()
  }
  store.sync()
}
