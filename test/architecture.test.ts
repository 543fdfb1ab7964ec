import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { INNER_LAYERS, LAYERS, PURE } from '../architecture.ts'

const src = join(import.meta.dirname, '../src')
const files = globSync('**/*.ts', { cwd: src }).filter(
  (name) => !name.endsWith('.test.ts') && !name.endsWith('testing.ts'),
)
const text = new Map(files.map((name) => [name, readFileSync(join(src, name), 'utf8')]))
const folderOf = (name: string): string => name.split('/')[0] ?? ''
const rowIn = (layers: readonly (readonly string[])[], folder: string): number =>
  layers.findIndex((row) => row.includes(folder))
const rowOf = (folder: string): number => rowIn(LAYERS, folder)

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

test('every folder has a row, and every row lists folders that exist', () => {
  for (const name of files) expect(rowOf(folderOf(name)), name).toBeGreaterThanOrEqual(0)
  for (const folder of LAYERS.flat()) expect(existsSync(join(src, folder)), folder).toBe(true)
  for (const [folder, layers] of Object.entries(INNER_LAYERS))
    for (const inner of layers.flat()) expect(existsSync(join(src, folder, inner)), `${folder}/${inner}`).toBe(true)
})

test('imports only point down', () => {
  const wrong = inner.filter(
    ({ from, to }) => folderOf(from) !== folderOf(to) && rowOf(folderOf(to)) <= rowOf(folderOf(from)),
  )
  expect(wrong).toEqual([])
})

test('imports only point down within a folder that has layers of its own', () => {
  for (const [folder, layers] of Object.entries(INNER_LAYERS)) {
    const subFolderOf = (name: string): string => name.split('/')[1] ?? ''
    const within = inner.filter(({ from, to }) => folderOf(from) === folder && folderOf(to) === folder)
    for (const name of files.filter((file) => folderOf(file) === folder))
      expect(rowIn(layers, subFolderOf(name)), name).toBeGreaterThanOrEqual(0)
    const wrong = within.filter(({ from, to }) => {
      const [above, below] = [subFolderOf(from), subFolderOf(to)]
      return above !== below && rowIn(layers, below) <= rowIn(layers, above)
    })
    expect(wrong).toEqual([])
  }
})

test('no file imports itself by way of others, types included', () => {
  const importsOf = Map.groupBy(inner, ({ from }) => from)
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) cycles.push([...path.slice(path.indexOf(name)), name].join(' -> '))
    if (path.includes(name) || done.has(name)) return
    for (const { to } of importsOf.get(name) ?? []) visit(to, [...path, name])
    done.add(name)
  }
  for (const name of files) visit(name, [])
  expect(cycles).toEqual([])
})

test('sub-folders of a folder do not import each other in a circle', () => {
  const subFolder = (name: string): string => dirname(name)
  const pairs = new Set(
    inner
      .filter(({ from, to }) => folderOf(from) === folderOf(to) && subFolder(from) !== subFolder(to))
      .filter(({ from, to }) => subFolder(from).includes('/') && subFolder(to).includes('/'))
      .map(({ from, to }) => `${subFolder(from)} ${subFolder(to)}`),
  )
  expect([...pairs].filter((pair) => pairs.has(pair.split(' ').reverse().join(' ')))).toEqual([])
})

test('a folder is small, or has sub-folders, and each says in a README what it is for', () => {
  const folders = globSync('**/', { cwd: src }).filter((name) => statSync(join(src, name)).isDirectory())
  const withFiles = folders.filter((folder) => files.some((name) => dirname(name) === folder))
  const wanted = [
    ...withFiles.filter((name) => name !== '.' && (!name.includes('/') || name.startsWith('timeline/'))),
    'timeline',
  ]
  expect([...new Set(wanted)].filter((name) => !existsSync(join(src, name, 'README.md')))).toEqual([])
  const large = withFiles.filter((folder) => files.filter((name) => dirname(name) === folder).length > 30)
  expect(large).toEqual([])
})

test('pure folders are pure', () => {
  const impure = /\bDate\.now\(|new Date\(\)|Math\.random\(|performance\.now\(|randomBytes\(|randomUUID\(|^let /m
  const inPure = [...text].filter(([name]) => PURE.includes(folderOf(name)))
  expect(inPure.length).toBeGreaterThan(100)
  // Its `getGitTimestamp` takes the present time when none is given.
  const allowed = ['diff/text-diffs.ts']
  expect(inPure.filter(([, code]) => impure.test(code)).map(([name]) => name)).toEqual(allowed)
  const effects = [
    'host/files/',
    'host/processes/',
    'host/database.ts',
    'host/clock.ts',
    'config/',
    'store/',
    'records/',
  ]
  const wrong = inner.filter(
    ({ from, to }) => PURE.includes(folderOf(from)) && effects.some((folder) => to.startsWith(folder)),
  )
  expect(wrong).toEqual([])
})

test('exported type names are unique', () => {
  const owners = new Map<string, string[]>()
  for (const [name, code] of text)
    for (const [, type = ''] of code.matchAll(/^export (?:declare )?(?:interface|type|class|abstract class) (\w+)/gm))
      owners.set(type, [...(owners.get(type) ?? []), name])
  expect([...owners].filter(([, names]) => names.length > 1)).toEqual([])
})

test('protocol, schema and base run in a browser', () => {
  const wrong = edges.filter(
    ({ from, to }) => ['protocol', 'schema', 'base'].includes(folderOf(from)) && to.startsWith('node:'),
  )
  expect(wrong).toEqual([])
})

test('only the host talks to the file system, to processes and to the database', () => {
  const own = ['node:fs', 'node:fs/promises', 'node:child_process', 'node:sqlite']
  expect(edges.filter(({ from, to }) => folderOf(from) !== 'host' && own.includes(to))).toEqual([])
})

test('only bin reads arguments, environment and current folder; the host alone hands an environment on', () => {
  const wrong = [...text].filter(([name, code]) => {
    const reads = /process\.(argv|cwd\(|exit\()/.test(code) || (folderOf(name) !== 'host' && /process\.env/.test(code))
    return reads && folderOf(name) !== 'bin'
  })
  expect(wrong.map(([name]) => name)).toEqual([])
})

test('only surfaces print', () => {
  const wrong = [...text].filter(
    ([name, code]) => folderOf(name) !== 'bin' && /^\s*console\.|process\.std(out|err)\.write/m.test(code),
  )
  expect(wrong.map(([name]) => name)).toEqual([])
})

test('no file re-exports a folder, and none grows beyond one subject', () => {
  expect(files.filter((name) => name.endsWith('/index.ts'))).toEqual([])
  expect([...text].filter(([, code]) => code.split('\n').length > 350).map(([name]) => name)).toEqual([])
})

test('only schema/path.ts makes a path inside a workspace', () => {
  const casts = [...text].filter(([, code]) => /\bas (?:readonly )?RelPath\b/.test(code)).map(([name]) => name)
  expect(casts).toEqual(['schema/path.ts'])
})
