import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { brokenLinks } from '../kit/links.ts'
import { installed, MAJORS, newUser } from './kit.ts'

const { consumer, nodes } = installed
const tools = resolve(import.meta.dirname, '../../node_modules')
const root = join(consumer, 'node_modules/timewarp')

/** Uses every entry, and makes mistakes that the types must find. */
const CONSUMER = `
import { Fault, type FaultCode, openTimewarp, type TimewarpOptions, type Tools } from 'timewarp'
import { applyPatch, generateUnifiedDiff, parsePatch } from 'timewarp/diff'

export async function label(options: TimewarpOptions): Promise<string> {
  const timewarp = openTimewarp(options)
  const { snapshot_id, files } = await timewarp.call('snapshot', { label: 'before' })
  const [text, count]: [string, number] = [snapshot_id, files]
  // @ts-expect-error a field that the tool does not take
  await timewarp.call('snapshot', { lable: 'before' })
  // @ts-expect-error a tool that does not exist
  await timewarp.call('snapshoot')
  // @ts-expect-error a number is no string
  const wrong: string = files
  await timewarp.close()
  return text + count + wrong
}
export const tool: keyof Tools = 'restore'
export const codeOf = (error: unknown): FaultCode | undefined => (error instanceof Fault ? error.code : undefined)
export const files = applyPatch(parsePatch(new TextEncoder().encode(generateUnifiedDiff('a', 'b'))), () => undefined).files
`

const RESOLUTIONS = [
  ['nodenext', 'nodenext', 'consumer.mts'],
  ['nodenext', 'nodenext', 'consumer.cts'],
  ['bundler', 'esnext', 'consumer.mts'],
] as const

test.each(RESOLUTIONS)('its types serve a consumer: %s, module %s, %s', (moduleResolution, module, file) => {
  writeFileSync(join(consumer, file), CONSUMER)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2024',
    skipLibCheck: false,
    module,
    moduleResolution,
    typeRoots: [join(tools, '@types')],
    types: ['node'],
  }
  writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
  const ran = spawnSync(process.execPath, [join(tools, 'typescript/bin/tsc'), '-p', consumer], { encoding: 'utf8' })
  expect([ran.stdout, ran.status]).toEqual(['', 0])
})

/** Looks at more folders than one thread is given, so that worker threads are found and started. */
const WORK = `
  const { mkdirSync, writeFileSync } = process.getBuiltinModule('node:fs')
  const [home, cwd] = process.argv.slice(-2)
  for (let i = 0; i < 800; i++) {
    mkdirSync(cwd + '/' + i)
    writeFileSync(cwd + '/' + i + '/file', 'content ' + i)
  }
  const work = async () => {
    const timewarp = openTimewarp({ home, cwd })
    const { snapshot_id, files } = await timewarp.call('snapshot', { label: 'before' })
    const { error } = await timewarp.call('show', { snapshot_id: 's_none' }).then(() => ({}), (error) => ({ error }))
    await timewarp.close()
    console.log(JSON.stringify({ snapshot_id, files, code: error instanceof Fault && error.code, diff: generateUnifiedDiff('a\\n', 'b\\n') }))
  }
  work()
`
const HEADS = {
  import: `import { Fault, openTimewarp } from 'timewarp'; import { generateUnifiedDiff } from 'timewarp/diff'`,
  require: `const { Fault, openTimewarp } = require('timewarp'); const { generateUnifiedDiff } = require('timewarp/diff')`,
} as const

describe.each(MAJORS)('with Node %s', (major) => {
  test.each(['import', 'require'] as const)('the library works by %s', (way) => {
    const { home, project } = newUser(installed.withoutNode, nodes[major])
    const file = join(consumer, `work-${major}.${way === 'import' ? 'mjs' : 'cjs'}`)
    writeFileSync(file, HEADS[way] + WORK)
    const ran = spawnSync(join(nodes[major] ?? '', 'node'), [file, join(home, 'store'), project], { encoding: 'utf8' })
    expect(ran.status, ran.stderr).toBe(0)
    expect(JSON.parse(ran.stdout)).toMatchObject({
      files: 801,
      code: 'SNAPSHOT_NOT_FOUND',
      diff: expect.stringContaining('-a\n+b\n'),
    })
  })
})

test('only what the types name is a dependency: all other code is bundled', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: object }
  expect(Object.keys(dependencies)).toEqual(['node', 'zod'])
  const types = ['library.d.ts', 'diff.d.ts'].map((name) => readFileSync(join(root, 'dist', name), 'utf8')).join('\n')
  const named = [...types.matchAll(/from ["']([^"'.][^"']*)["']/g)].map(([, name]) => name)
  expect([...new Set(named)]).toEqual(['zod'])
})

test('the licences of bundled packages are in the package', () => {
  const text = readFileSync(join(root, 'dist/licences.txt'), 'utf8')
  const names = [...text.matchAll(/^(\S+) \d+\.\S+ \((.+)\)$/gm)].map(([, name]) => name)
  expect(names).toEqual(expect.arrayContaining(['@modelcontextprotocol/server', 'ignore', 'unbash', 'zod']))
})

test('documents of the package link only to what is in it', () => {
  expect(brokenLinks(root)).toEqual([])
})
