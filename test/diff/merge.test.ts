import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Merged, mergeBytes } from '../../src/diff/public.ts'
import { freshFolder, run } from './git.ts'

const SEED = 20261120
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
const merge = (base: string, ours: string, theirs: string): Merged =>
  mergeBytes(latin1(base), latin1(ours), latin1(theirs))

interface Three {
  readonly base: string
  readonly ours: string
  readonly theirs: string
}

const LINES = ['a\n', 'b\n', 'c\n', '\n', '}\n', '{\n', '  x\n', 'crlf\r\n', '\xff\n', 'd\n', 'e\n', 'f\n']
const line = fc.oneof(
  fc.constantFrom(...LINES),
  fc.nat(99).map((n) => `line ${n}\n`),
)
const edit = fc.record({ at: fc.nat(40), remove: fc.nat(2), insert: fc.array(line, { maxLength: 2 }) })
const edits = fc.array(edit, { minLength: 1, maxLength: 2 })
const lastLines = fc.oneof(
  { weight: 4, arbitrary: fc.constant(['', '', '']) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom('', 'end', 'END'), { minLength: 3, maxLength: 3 }) },
)

/** Few kinds of lines, so that runs can be slid, and few places, so that both sides meet often. */
const three: fc.Arbitrary<Three> = fc
  .record({
    lines: fc.array(line, { maxLength: 40 }),
    mine: edits,
    yours: edits,
    both: fc.option(edit, { freq: 2 }),
    ends: lastLines,
  })
  .map(({ lines, mine, yours, both, ends }) => {
    const edited = (some: readonly { at: number; remove: number; insert: string[] }[]): string => {
      const after = [...lines]
      for (const { at, remove, insert } of both ? [...some, both] : some) after.splice(at, remove, ...insert)
      return after.join('')
    }
    return { base: lines.join('') + ends[0], ours: edited(mine) + ends[1], theirs: edited(yours) + ends[2] }
  })

/** What `git merge-file -p` makes of each; `status` is the number of conflicts. */
function mergedByGit(cases: readonly Three[], ...flags: string[]): { status: number; output: string }[] {
  const folder = freshFolder()
  for (const side of ['base', 'ours', 'theirs'] as const) {
    mkdirSync(join(folder, side))
    for (const [i, each] of cases.entries()) writeFileSync(join(folder, side, `${i}`), latin1(each[side]))
  }
  const script = `i=0; while [ $i -lt ${cases.length} ]; do
    git merge-file -p -q ${flags.join(' ')} ours/$i base/$i theirs/$i > out$i; echo $?; i=$((i+1)); done`
  const codes = run(folder, 'sh', ['-c', script]).stdout.toString().trim().split('\n').map(Number)
  return codes.map((status, i) => ({ status, output: readFileSync(join(folder, `out${i}`), 'latin1') }))
}

test('a merge is clean when that of git is, with the same bytes, and a conflict when that of git is', () => {
  const cases = fc.sample(three, { seed: SEED, numRuns: 600 })
  const expected = mergedByGit(cases)
  expect(expected.filter(({ status }) => status === 0).length).toBeGreaterThan(120)
  expect(expected.filter(({ status }) => status > 0).length).toBeGreaterThan(120)
  for (const [i, { status, output }] of expected.entries()) {
    const { base, ours, theirs } = cases[i]!
    const merged = merge(base, ours, theirs)
    expect('bytes' in merged ? text(merged.bytes) : 'conflict', JSON.stringify(cases[i])).toBe(
      status === 0 ? output : 'conflict',
    )
  }
})

/** The three sides of every conflict in the output of `--diff3`, without their last line ends. */
function conflictsIn(output: string): { ours: string; base: string; theirs: string }[] {
  const form = /^<<<<<<< [^\n]*\n([^]*?)^\|\|\|\|\|\|\| [^\n]*\n([^]*?)^=======\r?\n([^]*?)^>>>>>>> [^\n]*\n/gm
  return [...output.matchAll(form)].map(([, ours = '', base = '', theirs = '']) => ({
    ours: unended(ours),
    base: unended(base),
    theirs: unended(theirs),
  }))
}

/** Git ends every line before a marker, whether it had an end or not. */
const unended = (part: string): string => part.replace(/\r?\n$/, '')

test('the sides of each conflict are those that git shows', () => {
  const cases = fc
    .sample(three, { seed: SEED + 1, numRuns: 300 })
    .filter(({ base, ours, theirs }) => 'conflicts' in merge(base, ours, theirs))
  expect(cases.length).toBeGreaterThan(60)
  for (const [i, { output }] of mergedByGit(cases, '--diff3').entries()) {
    const { base, ours, theirs } = cases[i]!
    const merged = merge(base, ours, theirs)
    const found = 'conflicts' in merged ? merged.conflicts : []
    const sides = found.map((each) => ({
      ours: unended(text(each.ours.bytes)),
      base: unended(text(each.base.bytes)),
      theirs: unended(text(each.theirs.bytes)),
    }))
    // Git calls it a conflict in this style when both sides come to the same in different ways.
    const shown = conflictsIn(output).filter((each) => each.ours !== each.theirs)
    expect(sides, JSON.stringify(cases[i])).toEqual(shown)
    for (const { ours: part } of found) expect(linesFrom(ours, part.line, part.lines)).toBe(text(part.bytes))
    for (const { theirs: part } of found) expect(linesFrom(theirs, part.line, part.lines)).toBe(text(part.bytes))
    for (const { base: part } of found) expect(linesFrom(base, part.line, part.lines)).toBe(text(part.bytes))
  }
})

const linesFrom = (all: string, line: number, count: number): string =>
  all
    .split(/(?<=\n)/)
    .slice(line - 1, line - 1 + count)
    .join('')

test('forced is what git makes of --theirs', () => {
  const cases = fc
    .sample(three, { seed: SEED + 2, numRuns: 300 })
    .filter(({ base, ours, theirs }) => 'conflicts' in merge(base, ours, theirs))
  for (const [i, { output }] of mergedByGit(cases, '--theirs', '--diff3').entries()) {
    const { base, ours, theirs } = cases[i]!
    const merged = merge(base, ours, theirs)
    expect('forced' in merged && text(merged.forced)).toBe(output)
  }
})

test('a change is taken back and later ones stay', () => {
  const before = 'a\nb\nc\nd\ne\n'
  const after = 'a\nB\nc\nd\ne\n'
  const present = 'a\nB\nc\nd\nE\n'
  const merged = merge(after, present, before)
  expect('bytes' in merged && text(merged.bytes)).toBe('a\nb\nc\nd\nE\n')
})

test.each([
  ['next to each other', 'a\nb\n', 'A\nb\n', 'a\nB\n', 'conflict'],
  ['with a line between', 'a\n-\nb\n', 'A\n-\nb\n', 'a\n-\nB\n', 'A\n-\nB\n'],
  ['the same', 'a\nb\n', 'A\nb\n', 'A\nb\n', 'A\nb\n'],
  ['only ours', 'a\n', 'b\n', 'a\n', 'b\n'],
  ['only theirs', 'a\n', 'a\n', 'b\n', 'b\n'],
  ['line ends of one side', 'a\r\nb\r\nc\r\n', 'a\r\nb\r\nC\r\n', 'A\r\nb\r\nc\r\n', 'A\r\nb\r\nC\r\n'],
  ['binary, only theirs', '\0a', '\0a', '\0b', '\0b'],
  ['binary, both', '\0a\nb\n', '\0A\nb\n', '\0a\nB\n', 'conflict'],
])('changes: %s', (_, base, ours, theirs, expected) => {
  const merged = merge(base, ours, theirs)
  expect('bytes' in merged ? text(merged.bytes) : 'conflict').toBe(expected)
})
