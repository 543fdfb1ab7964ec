import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { ROWS } from '../architecture.ts'

const src = join(import.meta.dirname, '../src')
const files = globSync('**/*.ts', { cwd: src }).filter(
  (name) => !name.endsWith('.test.ts') && !name.endsWith('testing.ts'),
)
const text = new Map(files.map((name) => [name, readFileSync(join(src, name), 'utf8')]))
const roomOf = (name: string): string => name.split('/')[0] ?? ''
const rowOf = (room: string): number => ROWS.findIndex((row) => row.includes(room))

interface Edge {
  readonly from: string
  readonly to: string
}

/** Static and dynamic imports and re-exports, of our own files and of packages. */
const edges: Edge[] = [...text].flatMap(([from, code]) =>
  [...code.matchAll(/(?:from|import\(|^import) ?'([^']+)'/gm)].map((match) => {
    const to = match[1] ?? ''
    return { from, to: to.startsWith('.') ? relative(src, join(src, dirname(from), to)) : to }
  }),
)
const inner = edges.filter(({ to }) => to.endsWith('.ts'))

test('the reader sees the code', () => {
  expect(files.length).toBeGreaterThan(80)
  expect(inner.length).toBeGreaterThan(300)
  expect(edges.some(({ to }) => to === 'node:fs')).toBe(true)
})

test('every room has a row', () => {
  for (const name of files) expect(rowOf(roomOf(name)), name).toBeGreaterThanOrEqual(0)
})

test('imports only point down', () => {
  const wrong = inner.filter(({ from, to }) => roomOf(from) !== roomOf(to) && rowOf(roomOf(to)) <= rowOf(roomOf(from)))
  expect(wrong).toEqual([])
})

test('protocol, schema and base run in a browser', () => {
  const wrong = edges.filter(
    ({ from, to }) => ['protocol', 'schema', 'base'].includes(roomOf(from)) && to.startsWith('node:'),
  )
  expect(wrong).toEqual([])
})

test('only the host talks to the file system, to processes and to the database', () => {
  const own = ['node:fs', 'node:fs/promises', 'node:child_process', 'node:sqlite']
  expect(edges.filter(({ from, to }) => roomOf(from) !== 'host' && own.includes(to))).toEqual([])
})

test('only bin reads arguments, environment and current folder; the host alone hands an environment on', () => {
  const wrong = [...text].filter(([name, code]) => {
    const reads = /process\.(argv|cwd\(|exit\()/.test(code) || (roomOf(name) !== 'host' && /process\.env/.test(code))
    return reads && roomOf(name) !== 'bin'
  })
  expect(wrong.map(([name]) => name)).toEqual([])
})

test('only surfaces print', () => {
  const wrong = [...text].filter(
    ([name, code]) => roomOf(name) !== 'bin' && /^\s*console\.|process\.std(out|err)\.write/m.test(code),
  )
  expect(wrong.map(([name]) => name)).toEqual([])
})

test('no file re-exports a room, and none grows beyond one subject', () => {
  expect(files.filter((name) => name.endsWith('/index.ts'))).toEqual([])
  expect([...text].filter(([, code]) => code.split('\n').length > 350).map(([name]) => name)).toEqual([])
})

test('only schema/path.ts makes a path inside a workspace', () => {
  const casts = [...text].filter(([, code]) => /\bas (?:readonly )?RelPath\b/.test(code)).map(([name]) => name)
  expect(casts).toEqual(['schema/path.ts'])
})
