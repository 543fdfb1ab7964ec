/**
 * Takes the history of a git repository as a test of the diff library:
 *
 *     node scripts/git-history.ts REPO [--max N]
 *
 * For each of N commits, spread over the whole history: the diff we write of its changed files is applied by git, as it is
 * and reversed, and must lead to the very trees; the diff git writes is read, written, applied and reversed by us, and must
 * lead to the very bytes. Nothing is written into the repository.
 */

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { nameFromBytes } from '../src/base/quote.ts'
import {
  applyPatch,
  type FileChange,
  formatPatch,
  parsePatch,
  reversePatch,
  type StoredFile,
  writeDiff,
} from '../src/diff/public.ts'

const MOST_FILES = 2000
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
const SUBMODULE = 0o160000

interface Repository {
  readonly git: (args: readonly string[], input?: Uint8Array | string) => Buffer
}

/** New objects and the index go to `scratch`. */
function open(repo: string, scratch: string): Repository {
  const find = spawnSync('git', ['-C', repo, 'rev-parse', '--absolute-git-dir'], { encoding: 'utf8' })
  if (find.status !== 0) throw new Error(find.stderr)
  const folder = find.stdout.trim()
  mkdirSync(join(scratch, 'objects'))
  const env = {
    PATH: process.env['PATH'],
    HOME: scratch,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_DIR: folder,
    GIT_INDEX_FILE: join(scratch, 'index'),
    GIT_OBJECT_DIRECTORY: join(scratch, 'objects'),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(folder, 'objects'),
  }
  const git: Repository['git'] = (args, input = '') => {
    const ran = spawnSync('git', args, { cwd: scratch, env, input, maxBuffer: 2 ** 30 })
    if (ran.status !== 0)
      throw new Error(`git ${args.slice(0, 3).join(' ')}: ${ran.error?.message ?? ran.stderr.toString()}`)
    return ran.stdout
  }
  return { git }
}

interface RawChange {
  readonly oldMode: number
  readonly newMode: number
  readonly oldId: string
  readonly newId: string
  readonly from: string
  readonly path: string
}

/** What `git diff-tree --raw -z` says: fields, then one name, or two of a rename. */
function changesIn(raw: Buffer): RawChange[] {
  const changes: RawChange[] = []
  const parts: Buffer[] = []
  for (let at = 0; at < raw.length; at = raw.indexOf(0, at) + 1) parts.push(raw.subarray(at, raw.indexOf(0, at)))
  for (let i = 0; i < parts.length; ) {
    const [oldMode = '', newMode = '', oldId = '', newId = '', status = ''] = parts[i++]!.toString().slice(1).split(' ')
    const from = nameFromBytes(parts[i++]!)
    const path = status.startsWith('R') ? nameFromBytes(parts[i++]!) : from
    changes.push({
      oldMode: Number.parseInt(oldMode, 8),
      newMode: Number.parseInt(newMode, 8),
      oldId,
      newId,
      from,
      path,
    })
  }
  return changes
}

/** Undefined when the repository is not whole and lacks one of them. */
function readBlobs({ git }: Repository, ids: readonly string[]): Map<string, Uint8Array> | undefined {
  const wanted = [...new Set(ids)].filter((id) => !/^0+$/.test(id))
  const out = git(['cat-file', '--batch'], wanted.map((id) => `${id}\n`).join(''))
  const blobs = new Map<string, Uint8Array>()
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf(10, at)
    const [id = '', kind, size] = out.subarray(at, end).toString().split(' ')
    if (kind === 'missing') return undefined
    blobs.set(id, out.subarray(end + 1, end + 1 + Number(size)))
    at = end + 2 + Number(size)
  }
  return blobs
}

type Tree = Map<string, StoredFile>

const plain = (files: Tree): string =>
  [...files]
    .map(([path, { bytes, mode }]) => `${path}\0${mode.toString(8)}\0${Buffer.from(bytes).toString('latin1')}\n`)
    .sort()
    .join('')

function applied(text: Uint8Array, files: Tree): Tree {
  const result = applyPatch(parsePatch(text), (path) => files.get(path), { exact: true })
  const after = new Map(files)
  for (const { path, from } of result.files) after.delete(from ?? path)
  for (const { path, after: file } of result.files) if (file) after.set(path, file)
  return after
}

const reversed = (text: Uint8Array): Uint8Array => formatPatch(reversePatch(parsePatch(text)))

interface Commit {
  readonly old: string
  readonly new: string
  readonly changes: readonly FileChange[]
  readonly before: Tree
  readonly after: Tree
}

function readCommit(repository: Repository, id: string): Commit | string {
  const { git } = repository
  const [parent] = git(['rev-list', '--parents', '-1', id]).toString().trim().split(' ').slice(1)
  const trees = git(['rev-parse', `${parent ?? id}^{tree}`, `${id}^{tree}`])
    .toString()
    .trim()
    .split('\n')
  const [old, current] = [parent ? trees[0]! : EMPTY_TREE, trees[1]!]
  const raw = changesIn(git(['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '-M', old, current]))
  if (raw.length > MOST_FILES) return `${raw.length} files`
  if (raw.some(({ oldMode, newMode }) => oldMode === SUBMODULE || newMode === SUBMODULE)) return 'a submodule'
  const blobs = readBlobs(
    repository,
    raw.flatMap(({ oldId, newId }) => [oldId, newId]),
  )
  if (!blobs) return 'absent contents'
  const [before, after]: [Tree, Tree] = [new Map(), new Map()]
  const changes = raw.map(({ oldMode, newMode, oldId, newId, from, path }): FileChange => {
    const [a, b] = [blobs.get(oldId) ?? null, blobs.get(newId) ?? null]
    if (a) before.set(from, { bytes: a, mode: oldMode })
    if (b) after.set(path, { bytes: b, mode: newMode })
    const status = a === null ? 'added' : b === null ? 'deleted' : 'modified'
    return { path, oldPath: from, status, oldMode: a && oldMode, newMode: b && newMode, old: a, new: b }
  })
  return { old, new: current, changes, before, after }
}

/** What is wrong, in words. */
function problemsOf({ git }: Repository, commit: Commit): string[] {
  const problems: string[] = []
  const check = (what: string, isRight: () => boolean): void => {
    try {
      if (!isRight()) problems.push(what)
    } catch (error) {
      problems.push(`${what}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const ours = writeDiff(commit.changes, 'git')
  const theirs = git(['diff-tree', '-r', '-p', '--binary', '--full-index', '-M', commit.old, commit.new])
  const leads = (diff: Uint8Array, from: string, to: string): boolean => {
    git(['read-tree', from])
    if (diff.length > 0) git(['apply', '--cached', '--whitespace=nowarn'], diff)
    return git(['write-tree', '--missing-ok']).toString().trim() === to
  }
  const makes = (diff: Uint8Array, from: Tree, to: Tree): boolean => plain(applied(diff, from)) === plain(to)
  check('git applies our diff', () => leads(ours, commit.old, commit.new))
  check('git applies the reverse of our diff', () => leads(reversed(ours), commit.new, commit.old))
  check('we apply our diff', () => makes(ours, commit.before, commit.after))
  check("we apply git's diff", () => makes(theirs, commit.before, commit.after))
  check("we apply the reverse of git's diff", () => makes(reversed(theirs), commit.after, commit.before))
  check("git's diff is written as it was read", () => Buffer.compare(formatPatch(parsePatch(theirs)), theirs) === 0)
  check('reversed twice it is itself', () => Buffer.compare(reversed(reversed(theirs)), theirs) === 0)
  return problems
}

/** `most` of all, evenly spread. */
const spread = <T>(all: readonly T[], most: number): T[] =>
  all.length <= most ? [...all] : Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)]!)

function main(): number {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { max: { type: 'string', default: '200' } },
  })
  const scratch = mkdtempSync(join(tmpdir(), 'timewarp-history-'))
  try {
    const repository = open(positionals[0] ?? '.', scratch)
    const all = repository.git(['rev-list', '--no-merges', 'HEAD']).toString().trim().split('\n')
    const tally = { commits: 0, files: 0, skipped: 0, wrong: 0 }
    for (const id of spread(all, Number(values.max))) {
      const commit = readCommit(repository, id)
      if (typeof commit === 'string') {
        tally.skipped++
        continue
      }
      tally.commits++
      tally.files += commit.changes.length
      const problems = problemsOf(repository, commit)
      if (problems.length > 0) tally.wrong++
      for (const problem of problems) console.log(`${id}: ${problem}`)
    }
    console.log(
      `${positionals[0]}: ${tally.commits} commits, ${tally.files} files, ${tally.skipped} skipped, ${tally.wrong} wrong`,
    )
    return tally.wrong === 0 ? 0 : 1
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

process.exitCode = main()
