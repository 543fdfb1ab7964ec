import { join } from 'node:path'
import { Fault } from '../../base/fault.ts'
import { bytesFromName, nameFromBytes } from '../../base/quote.ts'
import { type GitRan, type GitRun, runGit } from '../../host/processes/git-run.ts'
import { isRelPath, isWithin, type RelPath } from '../../schema/path.ts'

/** The repository that contains a workspace, as an export needs it. */
export interface Repository {
  /** The top of its work tree. */
  readonly top: string
  /** The path of the workspace in it: empty, or ending in "/". */
  readonly prefix: string
  /** The commit that is checked out; undefined before the first one. */
  readonly head: string | undefined
  /** The id that stands for no object. */
  readonly none: string
}

/** A file to put into an index; undefined: it is removed. */
export interface IndexEntry {
  /** The path from the top of the repository. */
  readonly path: string
  readonly file: { readonly mode: string; readonly blob: string } | undefined
}

export const refused = (why: string): Fault => new Fault('EXPORT_REFUSED', { why })

/** The output of git without the final line break; throws a fault when git failed. */
function ask(args: readonly string[], run: GitRun): string {
  return textOf(succeeded(runGit(args, run), args))
}

/** As `ask`; undefined when git failed. */
function askQuietly(args: readonly string[], run: GitRun): string | undefined {
  const ran = runGit(args, run)
  return ran.status === 0 ? textOf(ran) : undefined
}

const textOf = ({ out }: GitRan): string => nameFromBytes(out).replace(/\n$/, '')

function succeeded(ran: GitRan, args: readonly string[]): GitRan {
  if (ran.status === 0) return ran
  throw refused(`git ${args[0]} failed: ${ran.err.split('\n')[0]}`)
}

export function openRepository(root: string): Repository {
  const run = { cwd: root }
  const top = runGit(['rev-parse', '--show-toplevel'], run)
  if (top.status !== 0) throw refused(`${root} is in no git work tree (${top.err.split('\n')[0]})`)
  return {
    top: textOf(top),
    prefix: ask(['rev-parse', '--show-prefix'], run),
    head: askQuietly(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], run),
    none: '0'.repeat(ask(['rev-parse', '--show-object-format'], run) === 'sha256' ? 64 : 40),
  }
}

/** Refuses a branch that exists, that an unborn HEAD points to, or whose name is invalid. */
export function checkBranch({ top }: Repository, branch: string): void {
  const [ref, run] = [`refs/heads/${branch}`, { cwd: top }]
  if (branch.startsWith('-') || runGit(['check-ref-format', ref], run).status !== 0)
    throw refused(`"${branch}" is no name for a branch`)
  const isThere = askQuietly(['rev-parse', '--verify', '--quiet', ref], run) !== undefined
  if (isThere || askQuietly(['symbolic-ref', '--quiet', 'HEAD'], run) === ref)
    throw refused(`the branch ${branch} exists`)
}

/**
 * The paths of the workspace that an export leaves out: those that git ignores and does not track, and those in
 * submodules.
 */
export function leftAlone(repository: Repository, root: string, paths: readonly RelPath[]): Set<RelPath> {
  const submodules = submodulesOf(repository)
  const inSubmodule = (path: RelPath): boolean =>
    submodules.some((folder) => isWithin(`${repository.prefix}${path}`, folder))
  const outside = paths.filter((path) => !inSubmodule(path))
  return new Set([...paths.filter(inSubmodule), ...ignoredOf(root, outside)])
}

function submodulesOf({ top, head }: Repository): string[] {
  if (head === undefined) return []
  const lines = ask(['ls-tree', '-r', '-z', head], { cwd: top }).split('\0')
  return lines.filter((line) => line.startsWith('160000 ')).map((line) => line.slice(line.indexOf('\t') + 1))
}

/**
 * A path that git cannot check, such as one behind a symlink, makes it fail for all paths: then they are checked in
 * halves.
 */
function ignoredOf(root: string, paths: readonly RelPath[]): RelPath[] {
  if (paths.length === 0) return []
  const input = Buffer.from(bytesFromName(paths.map((path) => `./${path}\0`).join('')))
  const { status, out } = runGit(['check-ignore', '-z', '--stdin'], { cwd: root, input })
  if (status === 0 || status === 1)
    return nameFromBytes(out)
      .split('\0')
      .filter((path) => path !== '')
      .map((path) => path.slice(2))
      .filter(isRelPath)
  if (paths.length === 1) return []
  const middle = paths.length >> 1
  return [...ignoredOf(root, paths.slice(0, middle)), ...ignoredOf(root, paths.slice(middle))]
}

/** Stores contents in the repository and returns the id of each. */
export function writeBlobs({ top }: Repository, contents: readonly Uint8Array[]): string[] {
  if (contents.length === 0) return []
  const parts = contents.flatMap((bytes, i) => [
    Buffer.from(`blob\nmark :${i + 1}\ndata ${bytes.length}\n`),
    bytes,
    Buffer.from(`\nget-mark :${i + 1}\n`),
  ])
  const input = Buffer.concat([...parts, Buffer.from('done\n')])
  return ask(['fast-import', '--quiet', '--done'], { cwd: top, input }).split('\n')
}

/** A separate index, in which the trees of the export are made. */
export class ExportIndex {
  readonly #run: GitRun
  readonly #none: string

  /** `scratch` is an empty folder; the index starts as HEAD. */
  constructor({ top, head, none }: Repository, scratch: string) {
    this.#none = none
    this.#run = { cwd: top, env: { GIT_INDEX_FILE: join(scratch, 'index') } }
    if (head !== undefined) ask(['read-tree', head], this.#run)
  }

  /** Updates the index, removals first, and returns the tree. */
  update(entries: readonly IndexEntry[]): string {
    const gone = entries.filter(({ file }) => file === undefined)
    const lines = [...gone, ...entries.filter(({ file }) => file !== undefined)].map(
      ({ path, file }) => `${file?.mode ?? '0'} ${file?.blob ?? this.#none}\t${path}\0`,
    )
    const input = Buffer.from(bytesFromName(lines.join('')))
    if (lines.length > 0) ask(['update-index', '--replace', '-z', '--index-info'], { ...this.#run, input })
    return ask(['write-tree'], this.#run)
  }
}

export interface NewCommit {
  readonly tree: string
  readonly parent: string | undefined
  readonly message: string
  readonly author: string | undefined
  /** Milliseconds since 1970. */
  readonly at: number
}

const NOBODY = { name: 'Timewarp', email: 'timewarp@localhost' }

export function writeCommit({ top }: Repository, { tree, parent, message, author, at }: NewCommit): string {
  const setting = (key: string): string | undefined => askQuietly(['config', '--get', key], { cwd: top }) || undefined
  const name = setting('user.name') ?? NOBODY.name
  const email = setting('user.email') ?? NOBODY.email
  const date = `@${Math.floor(at / 1000)} +0000`
  const env = {
    GIT_AUTHOR_NAME: author ?? name,
    GIT_AUTHOR_EMAIL: author === undefined ? email : NOBODY.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  }
  const args = ['commit-tree', tree, ...(parent === undefined ? [] : ['-p', parent])]
  return ask(args, { cwd: top, env, input: Buffer.from(message) })
}

export const treeOf = ({ top }: Repository, commit: string): string =>
  ask(['rev-parse', `${commit}^{tree}`], { cwd: top })

/** Creates the branch; throws when it was created meanwhile. */
export function makeBranch({ top, none }: Repository, branch: string, commit: string): void {
  ask(['update-ref', '-m', 'timewarp export', `refs/heads/${branch}`, commit, none], { cwd: top })
}
