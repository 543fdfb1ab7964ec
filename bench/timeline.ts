import { mkdirSync } from 'node:fs'
import { openApp } from '../src/app/app.ts'
import { makeWorkspace } from '../src/app/workspace-lookup.ts'
import { recordedPath } from '../src/schema/path.ts'
import { OBJECT } from '../src/store/store.ts'
import { type Entry, encodeTree, KIND } from '../src/store/tree.ts'
import { encodeSnapshot } from '../src/timeline/capture/snapshot-object.ts'

/** Files that the edits are made to by turns, and how many lines each has. */
const FILES = 50
const LINES = 40
/** So many edits are recorded in one transaction. */
const PORTION = 1000
const MINUTE_MS = 60_000

/**
 * A timeline of so many edits, written into the store directly: contents, trees, snapshot objects and rows are those that
 * edits would leave, but nothing was edited, which would take hours. Returns the workspace.
 */
export function makeTimeline(home: string, root: string, edits: number): string {
  mkdirSync(root, { recursive: true })
  const app = openApp({ home })
  const { id: workspace } = makeWorkspace({ app, cwd: root, progress: () => {} }, root)
  const began = Date.now() - edits * MINUTE_MS
  const files = Array.from({ length: FILES }, () => Array.from({ length: LINES }, (_, i) => `line ${i}\n`))
  const entries: Entry[] = []
  let base: string | null = null
  try {
    for (let from = 0; from < edits; from += PORTION) {
      const batch = app.store.begin()
      app.records.db.write(() => {
        for (let n = from; n < Math.min(edits, from + PORTION); n++) base = record(n, base)
        batch.publish()
      })
      batch.end()

      function record(n: number, before: string | null): string {
        const at = n % FILES
        const lines = files[at] as string[]
        lines[(n * 7) % LINES] = `edit ${n}\n`
        const bytes = Buffer.from(lines.join(''))
        const name = `file-${String(at).padStart(2, '0')}.txt`
        const isNew = entries[at] === undefined
        const hash = batch.put(OBJECT.blob, bytes)
        entries[at] = { name, kind: KIND.file, mode: 0o644, size: bytes.length, mtime: (began + n) * 1000, hash }
        const snapshot = {
          id: `s_20200101_000000_${n.toString(36).padStart(6, '0')}`,
          workspace,
          created_at: began + n * MINUTE_MS,
          tree: batch.put(OBJECT.tree, encodeTree(entries)),
          base: before,
          source: 'edit' as const,
          label: null,
          description: null,
          cause: { role: 'change' as const, tool: 'apply_edit_block', session_id: `sess_${n % 100}` },
          files: entries.length,
          bytes: bytes.length * entries.length,
          added: isNew ? 1 : 0,
          modified: isNew ? 0 : 1,
          deleted: 0,
          stored_bytes: bytes.length,
          duration_ms: 5,
          facts: { exclude_globs: [], env_fingerprint: {}, skipped: [], lines_changed: isNew ? LINES : 2 },
          listed: true,
          changes: [
            {
              path: recordedPath(name),
              status: isNew ? ('added' as const) : ('modified' as const),
              size: bytes.length,
            },
          ],
        }
        app.records.snapshots.add({ ...snapshot, object: batch.put(OBJECT.snapshot, encodeSnapshot(snapshot)) })
        return snapshot.id
      }
    }
  } finally {
    app.close()
  }
  return workspace
}
