import { bytesFromName, nameFromBytes } from '../base/quote.ts'
import { sha256 } from '../host/hash.ts'
import { type GitRan, type GitStreamed, runGitGently, streamGit } from '../host/processes/git-run.ts'

/**
 * Queries a repository through git and changes nothing in it: takes no lock, refreshes no index, and fetches no object.
 */

/** A repository, by its git folder. */
export type GitDir = string

const LOOK = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  // Versions that do not know the setting above would fetch what a partial clone lacks: no protocol is allowed.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
}

/** The work tree is set so that a submodule's own setting, which may lead nowhere by now, is not followed. */
const environmentOf = (dir: GitDir): Record<string, string> => ({ ...LOOK, GIT_DIR: dir, GIT_WORK_TREE: dir })

const PATIENCE_MS = 600_000

export const askGit = (
  dir: GitDir,
  args: readonly string[],
  input?: Uint8Array,
  more: Readonly<Record<string, string>> = {},
): Promise<GitRan> =>
  runGitGently(args, { cwd: dir, env: { ...environmentOf(dir), ...more }, ...(input ? { input } : {}) }, PATIENCE_MS)

export const streamFrom = (
  dir: GitDir,
  args: readonly string[],
  options: { input: Uint8Array; onBytes: (bytes: Buffer) => boolean; timeoutMs: number },
): Promise<GitStreamed> => streamGit(args, { cwd: dir, env: environmentOf(dir), ...options })

const linesOf = (bytes: Uint8Array): string[] =>
  nameFromBytes(bytes)
    .split('\n')
    .filter((line) => line !== '')

export interface Ref {
  readonly name: string
  readonly id: string
}

/** Lines of `id name`, sorted by name; undefined when git fails. Names of refs have no spaces. */
export async function refsListing(dir: GitDir): Promise<Buffer | undefined> {
  const ran = await askGit(dir, ['for-each-ref', '--format=%(objectname) %(refname)'])
  return ran.status === 0 ? ran.out : undefined
}

export const parseRefs = (listing: Uint8Array): Ref[] =>
  linesOf(listing).map((line) => {
    const space = line.indexOf(' ')
    return { id: line.slice(0, space), name: line.slice(space + 1) }
  })

/** Lines of `id message`, the newest first. */
export async function stashListing(dir: GitDir): Promise<Buffer> {
  const ran = await askGit(dir, ['reflog', 'show', '--format=%H %gs', 'refs/stash'])
  return ran.status === 0 ? ran.out : Buffer.alloc(0)
}

export interface Stash {
  readonly id: string
  readonly message: string
}

export const parseStashes = (listing: Uint8Array): Stash[] =>
  parseRefs(listing).map(({ id, name }) => ({ id, message: name }))

/** A digest of what is staged, without the times of files. */
export async function stagedDigest(dir: GitDir): Promise<Uint8Array> {
  const ran = await askGit(dir, ['ls-files', '--stage', '-z'])
  return sha256(ran.status === 0 ? ran.out : Buffer.from(`unreadable ${ran.err}`))
}

/** The ids of contents that the index has and HEAD does not, and those of an unresolved merge. */
export async function stagedIds(dir: GitDir): Promise<string[]> {
  const differing = await askGit(dir, ['diff-index', '--cached', '--raw', '--no-renames', '--no-abbrev', '-z', 'HEAD'])
  const listed =
    differing.status === 0
      ? [differing.out, (await askGit(dir, ['ls-files', '--unmerged', '-z'])).out]
      : [(await askGit(dir, ['ls-files', '--stage', '-z'])).out]
  return listed.flatMap((out) => out.toString('latin1').split('\0')).flatMap((line) => idsAtFront(line))
}

/** The ids in a line that begins with modes and ids; the path after them may look like an id. */
const idsAtFront = (line: string): string[] =>
  (/^:?(?:[0-7]{6} )+((?:[0-9a-f]{40,64} ?)+)/.exec(line)?.[1] ?? '').split(' ').filter((id) => /[^0]/.test(id))

/** Those of some objects that the repository has. */
export async function present(dir: GitDir, ids: Iterable<string>): Promise<Set<string>> {
  const asked = [...new Set(ids)]
  if (asked.length === 0) return new Set()
  const ran = await askGit(dir, ['cat-file', '--batch-check=%(objectname)'], Buffer.from(`${asked.join('\n')}\n`))
  return new Set(linesOf(ran.out).filter((line) => !line.includes(' ')))
}

export const isAncestor = async (dir: GitDir, old: string, young: string): Promise<boolean> =>
  (await askGit(dir, ['merge-base', '--is-ancestor', old, young])).status === 0

/** Whether everything reachable from `ids` is also reachable from `holders`; false when git fails. */
export async function isHeldBy(dir: GitDir, ids: readonly string[], holders: readonly string[]): Promise<boolean> {
  const lines = [...ids, ...holders.map((id) => `^${id}`)]
  const ran = await askGit(dir, ['rev-list', '--max-count=1', '--stdin'], Buffer.from(`${lines.join('\n')}\n`))
  return ran.status === 0 && ran.out.length === 0
}

/** Those of some objects that no ref leads to. */
export async function unreachable(dir: GitDir, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const ran = await askGit(
    dir,
    ['rev-list', '--objects', '--no-object-names', '--stdin', '--not', '--all'],
    Buffer.from(`${ids.join('\n')}\n`),
  )
  const loose = new Set(linesOf(ran.out))
  return new Set(ids.filter((id) => loose.has(id)))
}

/** Those of some commits that are reachable neither from another of them, nor from any ref, nor from `others`. */
export async function headsOf(dir: GitDir, ids: readonly string[], others: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const lines = [...ids, ...others.map((id) => `^${id}`)]
  const input = Buffer.from(`${lines.join('\n')}\n`)
  const { out } = await askGit(dir, ['rev-list', '--parents', '--stdin', '--not', '--all'], input)
  const rows = linesOf(out)
  const found = rows.map((row) => row.split(' '))
  const parents = new Set(found.flatMap((row) => row.slice(1)))
  const own = new Set(found.map(([id]) => id))
  return ids.filter((id) => own.has(id) && !parents.has(id))
}

export const inputOf = (lines: readonly string[]): Buffer => Buffer.from(bytesFromName(lines.join('')))
