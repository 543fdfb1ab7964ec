import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { OpenFolders } from '../../host/files/open-folders.ts'
import type { RecentSnapshot } from '../../records/snapshot-record.ts'
import type { Snapshots } from '../../records/snapshots.ts'
import type { Cause } from '../../schema/cause.ts'
import { recordedPath as rel } from '../../schema/path.ts'
import type { TreeDifference } from '../../store/compare-trees.ts'
import { type Entry, KIND } from '../../store/tree.ts'
import { editedWith, followingMoves, isNobodys, seenByName, seenInRecords, seenOnDisk } from './sightings.ts'

test.each([
  ['src/.a.ts.swp', 'src/a.ts'],
  ['.a.ts.swo', 'a.ts'],
  ['src/.#a.el', 'src/a.el'],
  ['#a.el#', 'a.el'],
  ['d/.a.txt.kate-swp', 'd/a.txt'],
  ['.~lock.a.odt#', 'a.odt'],
  ['.swp', undefined],
  ['a.swp', undefined],
  ['.a.swift', undefined],
  ['#a', undefined],
])('%s is kept beside %s', (path, edited) => {
  expect(editedWith(rel(path))).toBe(edited)
})

test('a swap file is an editor’s', () => {
  expect(seenByName(5)(rel('d/.a.swp'))).toEqual({ at: 5, by: 'swap-file', isOpen: true })
  expect(seenByName(5)(rel('d/a'))).toBeUndefined()
})

test.each<[boolean, Cause]>([
  [true, { role: 'change' }],
  [false, { role: 'backup' }],
  [false, { role: 'change', tool: 'Bash' }],
  [false, { role: 'change', session_id: 's' }],
  [false, { role: 'change', shared: [] }],
])('it is %s that nobody claims %o', (expected, cause) => {
  expect(isNobodys(cause)).toBe(expected)
})

/** What captures recorded: a cause, a time, and paths. */
function recorded(...rows: [cause: Cause, at: number, paths: string[], base?: string | null][]): Snapshots {
  const lately = rows.map(
    ([cause, created_at, , base = 'b'], seq) => ({ seq, cause, created_at, base }) as RecentSnapshot,
  )
  const changed = rows.flatMap(([, , paths], seq) => paths.map((path) => ({ seq, path: rel(path) })))
  return {
    ofNobody: () => lately,
    changedIn: (seqs: number[]) => changed.filter(({ seq }) => seqs.includes(seq)),
  } as unknown as Snapshots
}

test('somebody is seen where a capture found their change, last at the newest', () => {
  const seen = seenInRecords(recorded([{ role: 'change' }, 20, ['a']], [{ role: 'change' }, 10, ['a', 'b']]), 'w', 0)
  expect(seen(rel('a'))).toEqual({ at: 20, by: 'change' })
  expect(seen(rel('b'))).toEqual({ at: 10, by: 'change' })
  expect(seen(rel('c'))).toBeUndefined()
})

test('the swap file that a capture found shows somebody at the file beside it', () => {
  const seen = seenInRecords(recorded([{ role: 'change' }, 20, ['d/.a.swp']]), 'w', 0)
  expect(seen(rel('d/a'))).toEqual({ at: 20, by: 'swap-file' })
})

test('what a call made, and what was there before the first snapshot, shows nobody', () => {
  const rows = recorded([{ role: 'change', shared: [] }, 20, ['a']], [{ role: 'change' }, 10, ['b'], null])
  const seen = seenInRecords(rows, 'w', 0)
  expect([seen(rel('a')), seen(rel('b'))]).toEqual([undefined, undefined])
})

test('a swap file that lies beside a file now shows somebody, unless it is old', () => {
  const root = fs.mkdtempSync(join(tmpdir(), 'timewarp-seen-'))
  onTestFinished(() => fs.rmSync(root, { recursive: true, force: true }))
  fs.mkdirSync(join(root, 'd'))
  fs.writeFileSync(join(root, 'd/.new.txt.swp'), '')
  fs.writeFileSync(join(root, 'd/.old.txt.swp'), '')
  fs.utimesSync(join(root, 'd/.old.txt.swp'), 1, 1)
  const folders = new OpenFolders(root)
  onTestFinished(() => folders.close())
  const seen = seenOnDisk(folders, 5000)
  expect(seen(rel('d/new.txt'))).toMatchObject({ by: 'swap-file' })
  expect(seen(rel('d/old.txt'))).toBeUndefined()
  expect(seen(rel('d/other.txt'))).toBeUndefined()
  expect(seen(rel('gone/other.txt'))).toBeUndefined()
})

test('who was seen at a file is seen at its new name, too; empty files are all alike', () => {
  const entry = (content: number, size = 1): Entry => ({
    name: 'x',
    kind: KIND.file,
    mode: 0o644,
    size,
    mtime: 0,
    hash: Buffer.alloc(32, content),
  })
  const gone = (path: string, old: Entry): TreeDifference => ({ path: rel(path), old, new: undefined })
  const came = (path: string, now: Entry): TreeDifference => ({ path: rel(path), old: undefined, new: now })
  const changes = [
    gone('a', entry(1)),
    came('b', entry(1)),
    came('c', entry(2)),
    gone('empty', entry(0, 0)),
    came('other', entry(0, 0)),
  ]
  const seen = followingMoves(changes, (path) => (['a', 'empty'].includes(path) ? { at: 1, by: 'change' } : undefined))
  expect(['a', 'b', 'c', 'other'].filter((path) => seen(rel(path)))).toEqual(['a', 'b'])
  expect(seen(rel('b'))).toEqual({ at: 1, by: 'change', path: 'a' })
})

test('nobody is seen at copies: only their maker was there', () => {
  const copied = (name: string): Entry => ({
    name,
    kind: KIND.file,
    mode: 0o644,
    size: 1,
    mtime: 0,
    hash: Buffer.alloc(32, 1),
  })
  const changes = [
    { path: rel('p'), old: copied('p'), new: undefined },
    ...['n/1', 'n/2'].map((path) => ({ path: rel(path), old: undefined, new: copied(path) })),
  ]
  const seen = followingMoves(changes, (path) => (path === 'p' ? { at: 1, by: 'change' } : undefined))
  expect(['p', 'n/1', 'n/2'].filter((path) => seen(rel(path)))).toEqual(['p'])
})
