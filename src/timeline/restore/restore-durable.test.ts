import { expect, test } from 'vitest'
import { recordedPath as rel } from '../../schema/path.ts'
import { type Entry, KIND } from '../../store/tree.ts'
import { toSync } from './restore-durable.ts'
import type { RestorePlan } from './restore-plan.ts'

const entry = (kind: number): Entry =>
  ({ name: '', kind, mode: 0o644, size: 0, mtime: 0, hash: new Uint8Array(32) }) as Entry

test('files that were written or touched, and folders in which names came or went, are made durable', () => {
  const plan: RestorePlan = {
    unlock: [],
    skipped: [],
    remove: [rel('a/gone'), rel('old/x')],
    removeFolders: [rel('old')],
    makeFolders: [rel('new')],
    write: [
      { path: rel('new/file'), entry: entry(KIND.file), replaces: false },
      { path: rel('b/link'), entry: entry(KIND.symlink), replaces: true },
      { path: rel('c/refused'), entry: entry(KIND.file), replaces: true },
    ],
    touch: [{ path: rel('touched'), entry: entry(KIND.file) }],
    settle: [{ path: rel('d'), entry: entry(KIND.directory) }],
  }
  const { files, folders } = toSync(plan, [{ path: rel('c/refused'), why: 'denied', reason: 'permission denied' }])
  expect([...files].sort()).toEqual(['new/file', 'touched'])
  expect([...folders].sort()).toEqual(['', 'a', 'b', 'c', 'd', 'new'])
})
