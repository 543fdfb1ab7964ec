/** The git format, judged by git itself. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesFromName, nameFromBytes } from '../../src/base/quote.ts'
import { type FileChange, writeDiff } from '../../src/diff/unified.ts'
import { differences, freshFolder, git as gitBytes, LINK, readFiles, writeFiles } from './git.ts'

const SEED = 20261119
const [FILE, PROGRAM] = [0o100644, 0o100755]

const git = (cwd: string, args: readonly string[], input: Uint8Array | string = ''): string =>
  gitBytes(cwd, args, input).toString('latin1')

/** Does nothing without a patch: git takes an empty one for a mistake. */
function apply(folder: string, patch: Uint8Array, ...flags: string[]): void {
  if (patch.length > 0) git(folder, ['apply', '--whitespace=nowarn', ...flags], patch)
}

interface Node {
  readonly mode: number
  /** The contents or the target, a character per byte. */
  readonly data: string
}
interface Sides {
  readonly old: Node | null
  readonly new: Node | null
}
interface Entry extends Sides {
  readonly name: string
}
type Tree = Record<string, Node>

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

const changeOf = ({ name, old, new: current }: Entry): FileChange => ({
  path: name,
  status: old === null ? 'added' : current === null ? 'deleted' : 'modified',
  oldMode: old?.mode ?? null,
  newMode: current?.mode ?? null,
  old: old && latin1(old.data),
  new: current && latin1(current.data),
})

const treeOf = (entries: readonly Entry[], side: 'old' | 'new'): Tree =>
  Object.fromEntries(entries.flatMap((entry) => (entry[side] ? [[entry.name, entry[side]]] : [])))

const writeTree = (folder: string, tree: Tree): void =>
  writeFiles(
    folder,
    new Map(Object.entries(tree).map(([name, { mode, data }]) => [name, { mode, bytes: latin1(data) }])),
  )

const readTree = (folder: string): Tree =>
  Object.fromEntries(
    [...readFiles(folder)].map(([name, { mode, bytes }]) => [
      name,
      { mode, data: Buffer.from(bytes).toString('latin1') },
    ]),
  )

const NAMES = [
  'plain',
  'in/a folder/x',
  '-dash',
  'a => b',
  'x y',
  ' lead',
  'trail ',
  "it's",
  '\x7f',
  'é',
  '\u{1f9ed} map',
]
const ESCAPED = ['q"q', 'back\\slash', 'tab\tx', 'two\nlines', 'cr\r', 'bell\x07 rings']
const anyBytes = fc
  .uint8Array({ min: 1, minLength: 2, maxLength: 9 })
  .map((raw) => raw.map((b) => (b === 0x2f ? 0x30 : b)))
const name = fc.oneof(
  fc.constantFrom(...NAMES, ...ESCAPED),
  anyBytes.map((raw) => `r${nameFromBytes(raw)}`),
)

const LINES = ['a\n', 'b\n', '\n', '  c\n', '\td\n', 'e\r\n', '}\n', 'fn\xe9 f() { \n', '\xff\n', '--- a\n', '@@\n']
const line = fc.constantFrom(...LINES, `long ${'\xc3\xa9'.repeat(60)}\n`)
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom('', '', 'end', '\r'))
  .map(([lines, last]) => lines.join('') + last)
const binary = fc.uint8Array({ maxLength: 400 }).map((raw) => `\0${Buffer.from(raw).toString('latin1')}`)
const target = fc.constantFrom('plain', '../away', 'x y', 'two\nlines', '\xff', 'ends in LF\n')

const mode = fc.constantFrom(FILE, FILE, PROGRAM)
const textFile = fc.record({ mode, data: text })
const binaryFile = fc.record({ mode, data: binary })
const link = fc.record({ mode: fc.constant(LINK), data: target })

const edit = fc.record({ at: fc.nat(30), remove: fc.nat(2), insert: fc.array(line, { maxLength: 2 }) })
const edited: fc.Arbitrary<Sides & { old: Node; new: Node }> = fc
  .tuple(textFile, fc.array(edit, { maxLength: 4 }), mode)
  .map(([old, edits, newMode]) => {
    const lines = old.data.split(/(?<=\n)/)
    for (const { at, remove, insert } of edits) lines.splice(at, remove, ...insert)
    return { old, new: { mode: newMode, data: lines.join('') } }
  })

const CODE = ['{\n', '}\n', '  }\n', '\t}\n', '\n', '  \n', '/**\n', '  go()\n', '\tgo()\n', '    go()\n']
const codeLine = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...CODE) },
  { weight: 2, arbitrary: fc.nat(40).map((n) => `f${n}() {\n`) },
)
const move = fc.record({ from: fc.nat(120), length: fc.nat(9), to: fc.nat(120), remove: fc.constantFrom(0, 0, 1, 5) })
/** Blocks of code copied and removed: what leaves a choice where a change begins. */
const copied: fc.Arbitrary<Sides> = fc
  .tuple(fc.array(codeLine, { maxLength: 120 }), fc.array(move, { maxLength: 5 }), fc.boolean())
  .map(([lines, moves, back]) => {
    const after = [...lines]
    for (const { from, length, to, remove } of moves) after.splice(to, remove, ...after.slice(from, from + length))
    const [old, current] = [lines, after].map((some) => ({ mode: FILE, data: some.join('') })) as [Node, Node]
    return back ? { old: current, new: old } : { old, new: current }
  })

function sidesFrom(...nodes: fc.Arbitrary<Node>[]): fc.Arbitrary<Sides> {
  const node = fc.option(fc.oneof(...nodes), { freq: 4 })
  const unrelated = fc.record({ old: node, new: node }).filter((sides) => sides.old !== null || sides.new !== null)
  return fc.oneof(unrelated, edited)
}

const entriesFrom = (sides: fc.Arbitrary<Sides>): fc.Arbitrary<Entry[]> =>
  fc.uniqueArray(
    fc.tuple(name, sides).map(([path, pair]) => ({ name: path, ...pair })),
    { selector: (entry) => entry.name, minLength: 1, maxLength: 8 },
  )

test('git apply makes the new files from the old ones, and the old from the new', () => {
  fc.assert(
    fc.property(entriesFrom(sidesFrom(textFile, binaryFile, link)), (entries) => {
      const folder = freshFolder()
      const patch = writeDiff(entries.map(changeOf), 'git')
      writeTree(folder, treeOf(entries, 'old'))
      apply(folder, patch)
      expect(readTree(folder)).toEqual(treeOf(entries, 'new'))
      apply(folder, patch, '-R')
      expect(readTree(folder)).toEqual(treeOf(entries, 'old'))
    }),
    { seed: SEED, numRuns: 60 },
  )
})

test('git apply takes the unified format for what it can say', () => {
  const sameMode = edited.map((sides) => ({ ...sides, new: { ...sides.new, mode: sides.old.mode } }))
  fc.assert(
    fc.property(entriesFrom(sameMode), (entries) => {
      const folder = freshFolder()
      writeTree(folder, treeOf(entries, 'old'))
      apply(folder, writeDiff(entries.map(changeOf), 'unified'))
      expect(readTree(folder)).toEqual(treeOf(entries, 'new'))
    }),
    { seed: SEED, numRuns: 20 },
  )
})

/** Makes `tree` the work tree of the repository `folder`. Returns its id there. */
function storeTree(folder: string, tree: Tree): string {
  git(folder, ['rm', '-rfq', '--ignore-unmatch', '.'])
  writeTree(folder, tree)
  git(folder, ['add', '-A'])
  return git(folder, ['write-tree']).trim()
}

test('the git format is what git itself writes, byte for byte', () => {
  // Without binary files: git prefers a delta where it is shorter.
  const entries = fc
    .sample(entriesFrom(fc.oneof(sidesFrom(textFile, link), copied)), { seed: SEED, numRuns: 100 })
    .flatMap((some, i) => some.map((entry) => ({ ...entry, name: `${i}/${entry.name}` })))
    .sort((a, b) => Buffer.compare(bytesFromName(a.name), bytesFromName(b.name)))
  const folder = freshFolder()
  git(folder, ['init', '-q'])
  const [old, current] = [storeTree(folder, treeOf(entries, 'old')), storeTree(folder, treeOf(entries, 'new'))]
  for (const context of [0, 1, 3, 25]) {
    const args = ['-c', 'core.abbrev=7', 'diff-tree', '-r', '-p', '--no-renames', `-U${context}`, old, current]
    const ours = Buffer.from(writeDiff(entries.map(changeOf), 'git', context)).toString('latin1')
    expect(ours).toBe(git(folder, args))
  }
})

const LONG_BLOCK = Array.from({ length: 150 }, (_, i) => (i === 20 ? 'f\n' : `  ${i}\n`)).join('')

test.each([
  ['a line for a line', 'a\n', 'b\n'],
  ['from nothing', '', 'a\nb\n'],
  ['to nothing', 'a\n', ''],
  ['the last newline lost', 'a\nb\n', 'a\nb'],
  ['the last newline gained', 'a\nb', 'a\nb\n'],
  ['at the very beginning', 'b\nc\nd\ne\nf\n', 'a\nb\nc\nd\ne\nf\n'],
  ['at the very end', 'a\nb\nc\nd\ne\n', 'a\nb\nc\nd\ne\nf\n'],
  ['two hunks', 'a\n1\n2\n3\n4\n5\n6\n7\nb\n', 'A\n1\n2\n3\n4\n5\n6\n7\nB\n'],
  ['two changes in a hunk', 'a\n1\n2\n3\n4\n5\n6\nb\n', 'A\n1\n2\n3\n4\n5\n6\nB\n'],
  ['runs that meet when slid', 'b\n\n\n', '\n\nb\n\n'],
  ['a block repeated', 'a\n c\na\n c\nb\n', 'a\n c\na\n c\na\n c\nb\n'],
  ['indented by a tab', 'a\n\td\na\n', 'a\n'],
  ['a long block repeated', LONG_BLOCK.repeat(2), LONG_BLOCK.repeat(3)],
])('hunks are those of git diff --no-index: %s', (_, old, current) => {
  const folder = freshFolder()
  writeTree(folder, { old: { mode: FILE, data: old }, new: { mode: FILE, data: current } })
  const theirs = differences(folder, 'git', ['diff', '--no-index', 'old', 'new']).toString('latin1')
  const entry = { name: 'x', old: { mode: FILE, data: old }, new: { mode: FILE, data: current } }
  const ours = Buffer.from(writeDiff([changeOf(entry)], 'git')).toString('latin1')
  expect(ours.slice(ours.indexOf('@@'))).toBe(theirs.slice(theirs.indexOf('@@')))
})

test('a binary patch of any length survives git apply', () => {
  const data = Array.from({ length: 3000 }, (_, i) => String.fromCharCode((i * i * 31) % 251)).join('')
  const folder = freshFolder()
  const lengths = [0, 1, 15, 16, 26, 27, 41, 42, 43, 93, 94, 95, 3000]
  const entries = lengths.map((n) => ({ name: `${n}`, old: null, new: { mode: FILE, data: `\0${data.slice(0, n)}` } }))
  apply(folder, writeDiff(entries.map(changeOf), 'git'))
  expect(readTree(folder)).toEqual(treeOf(entries, 'new'))
})
