/** Thousands of generated changes, through git, GNU diff and our own code, forth and back. */

import { expect, test } from 'vitest'
import {
  type Applied,
  applyPatch,
  type DiffFormat,
  formatPatch,
  type Patch,
  parsePatch,
  reversePatch,
  writeDiff,
} from '../../src/diff/public.ts'
import { rounds, seed } from '../kit/rounds.ts'
import { asFileChange, type Change, type Files, filesOf, type Node, sampleChanges } from './changes.ts'
import { differences, freshFolder, git, LINK, readFiles, storeTree, writeFiles } from './git.ts'

const COUNT = rounds(2400, 600)
const changes = sampleChanges(COUNT, seed(20261119))
const [oldFiles, newFiles] = [filesOf(changes, 'old'), filesOf(changes, 'new')]
const ours = writeDiff(changes.map(asFileChange), 'git')

/** What the files become. */
function carriedOut(files: Files, { files: results }: Applied): Map<string, Node> {
  const after = new Map(files)
  for (const { path, from } of results) after.delete(from ?? path)
  for (const { path, after: node } of results) if (node) after.set(path, node)
  return after
}

const applied = (patch: Patch, files: Files, zeroContext = false): Map<string, Node> =>
  carriedOut(
    files,
    applyPatch(patch, (path) => files.get(path), { exact: true, zeroContext }),
  )

/** Compares as text a byte per character: quick, and readable when it fails. */
const plain = (files: Files): Record<string, string> =>
  Object.fromEntries(
    [...files].map(([path, { mode, bytes }]) => [path, `${mode.toString(8)} ${Buffer.from(bytes).toString('latin1')}`]),
  )

function expectBothWays(patch: Patch, old: Files, current: Files, zeroContext = false): void {
  expect(plain(applied(patch, old, zeroContext))).toEqual(plain(current))
  expect(plain(applied(reversePatch(patch), current, zeroContext))).toEqual(plain(old))
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

test('the sample has every kind of change', () => {
  const patch = parsePatch(ours)
  const kinds = new Set(patch.files.flatMap(({ change, body }) => [change, body.kind]))
  expect(kinds).toEqual(new Set(['added', 'deleted', 'modified', 'renamed', 'none', 'text', 'binary']))
  expect(patch.files.length).toBeGreaterThan(COUNT * 0.8)
})

test('our diffs are taken by git, which makes the very bytes of them, and the old ones from the reverse', () => {
  const folder = freshFolder()
  writeFiles(folder, oldFiles)
  const flags = ['apply', '--whitespace=nowarn']
  git(folder, [...flags, '--check'], ours)
  git(folder, flags, ours)
  expect(plain(readFiles(folder))).toEqual(plain(newFiles))
  const back = formatPatch(reversePatch(parsePatch(ours)))
  git(folder, [...flags, '--check'], back)
  git(folder, flags, back)
  expect(plain(readFiles(folder))).toEqual(plain(oldFiles))
})

test('our diffs are applied and reversed by us, and survive reading and writing', () => {
  const patch = parsePatch(ours)
  expectBothWays(patch, oldFiles, newFiles)
  expect(latin1(formatPatch(patch))).toBe(latin1(ours))
  expect(reversePatch(reversePatch(patch))).toEqual(patch)
})

const asText = ({ old, new: current }: Change): boolean =>
  [old, current].every((node) => !node || (node.mode !== LINK && node.bytes.length > 0 && !node.bytes.includes(0)))
const sameMode = ({ old, new: current }: Change): boolean => old?.mode === current?.mode || !old || !current

test.each<DiffFormat>(['unified', 'context'])('the %s format is applied by us for what it can say', (format) => {
  const plainFiles = (node: Node | null): Node | null => node && { ...node, mode: 0o100644 }
  const some = changes
    .filter((change) => asText(change) && sameMode(change))
    .map((change) => ({ ...change, old: plainFiles(change.old), new: plainFiles(change.new) }))
  expect(some.length).toBeGreaterThan(COUNT * 0.35)
  const diff = writeDiff(some.map(asFileChange), format)
  const patch = parsePatch(diff)
  expectBothWays(patch, filesOf(some, 'old'), filesOf(some, 'new'))
  expect(latin1(formatPatch(patch))).toBe(latin1(diff))
})

const WAYS: readonly (readonly string[])[] = [
  ['--no-renames', '-U1'],
  ['-U0'],
  ['-U12', '-R'],
  ['--no-prefix'],
  ['--src-prefix=before/', '--dst-prefix=after/it/'],
  ['--find-copies-harder', '-C5'],
]

/** Has git compare the two states of `some`, and the answer read, written, applied and reversed. */
function expectOfGit(some: readonly Change[], ways: readonly (readonly string[])[]): void {
  const folder = freshFolder()
  git(folder, ['init', '-q'])
  const states = [filesOf(some, 'old'), filesOf(some, 'new')] as const
  const trees = states.map((files) => storeTree(folder, files))
  for (const way of ways) {
    const text = git(folder, ['diff-tree', '-r', '-p', '--binary', '-M', ...way, ...trees])
    const patch = parsePatch(text)
    expect(latin1(formatPatch(patch))).toBe(latin1(text))
    const [before, after] = way.includes('-R') ? [states[1], states[0]] : states
    const zeroContext = way.includes('-U0')
    if (way.includes('-C5')) expect(plain(applied(patch, before, zeroContext))).toEqual(plain(after))
    else expectBothWays(patch, before, after, zeroContext)
  }
}

test("git's own diffs are read, applied and reversed", () => {
  expectOfGit(changes, [[]])
})

test("git's own diffs with all kinds of options are read, applied and reversed", () => {
  expectOfGit(changes.slice(0, 400), WAYS)
})

test('a series of mails is read and applied as one', () => {
  const folder = freshFolder()
  git(folder, ['init', '-q'])
  const half = changes.slice(0, 60)
  const who = ['-c', 'user.name=x', '-c', 'user.email=x@y', '-c', 'core.quotePath=false']
  for (const files of [filesOf(half, 'old'), filesOf(half, 'new')]) {
    storeTree(folder, files)
    git(folder, [...who, 'commit', '-qm', 'Subject\n\n--- not a header\n+ nor this\n'])
  }
  const mail = git(folder, [...who, 'format-patch', '--stdout', '--binary', '--no-signature', '-1'])
  expectBothWays(parsePatch(mail), filesOf(half, 'old'), filesOf(half, 'new'))
})

test.each([['-ruN'], ['-rcN']])('what diff %s writes is read, applied and reversed', (flags) => {
  const folder = freshFolder()
  const some = changes
    .filter((change) => asText(change) && change.from === undefined)
    .map((change): Change => ({ ...change, old: change.old && file(change.old), new: change.new && file(change.new) }))
  writeFiles(`${folder}/old`, filesOf(some, 'old'))
  writeFiles(`${folder}/new`, filesOf(some, 'new'))
  const text = differences(folder, 'diff', [flags, 'old', 'new'])
  expectBothWays(parsePatch(text), filesOf(some, 'old'), filesOf(some, 'new'))
})

const file = (node: Node): Node => ({ ...node, mode: 0o100644 })
