import { join, resolve } from 'node:path'
import { nameFromBytes } from '../base/quote.ts'
import { lstat, readFile, readLink, readNames } from '../host/files/fs.ts'
import { findGitDir } from '../timeline/workspace/git-facts.ts'

/** The folders of a workspace's git repository. */
export interface GitFolders {
  /** The git folder; for a linked work tree, its own. */
  readonly gitDir: string
  /** The folder with refs and objects, which all work trees of a repository share. */
  readonly commonDir: string
  /**
   * The file `.git` of a linked work tree or submodule, or a symbolic link of that name, that leads to the git folder.
   */
  readonly link: GitLink | null
  /** Every repository that is kept: the first is the repository itself, the others are submodules. */
  readonly repositories: readonly RepositoryFolders[]
}

interface GitLink {
  readonly path: string
  /** The content of the file, or the target of the symbolic link. */
  readonly text: string
  readonly symlink?: boolean
}

export interface RepositoryFolders {
  /** Relative to the common folder; empty for the repository itself. */
  readonly path: string
  readonly dir: string
  /** The value for GIT_DIR: for a linked work tree, its own folder. */
  readonly gitDir: string
}

/** Undefined when the folder is in no repository. */
export function gitFoldersOf(root: string): GitFolders | undefined {
  const gitDir = findGitDir(root)
  if (gitDir === undefined || !lstat(gitDir)?.isDirectory()) return undefined
  const commonDir = commonDirOf(gitDir)
  if (!isRepository(commonDir)) return undefined
  const modules = ['modules', ...ownModules(commonDir)].flatMap((path) => modulesIn(commonDir, path, 0))
  return {
    gitDir,
    commonDir,
    link: linkOf(root),
    repositories: [
      { path: '', dir: commonDir, gitDir },
      ...modules.map((path) => ({ path, dir: join(commonDir, path), gitDir: join(commonDir, path) })),
    ],
  }
}

function linkOf(root: string): GitLink | null {
  const path = join(root, '.git')
  const found = lstat(path)
  if (found?.isSymbolicLink()) return { path, text: readLink(path), symlink: true }
  return found?.isFile() ? { path, text: nameFromBytes(readFile(path) ?? new Uint8Array()) } : null
}

function commonDirOf(gitDir: string): string {
  const common = readFile(join(gitDir, 'commondir'))?.toString().trim()
  return common ? resolve(gitDir, common) : gitDir
}

const isRepository = (dir: string): boolean =>
  lstat(join(dir, 'HEAD')) !== undefined && lstat(join(dir, 'objects')) !== undefined

/** The git folders of linked work trees. */
export const linkedDirs = (commonDir: string): string[] =>
  namesIn(join(commonDir, 'worktrees')).map((name) => join(commonDir, 'worktrees', name))

/** Linked work trees have submodules of their own. */
const ownModules = (commonDir: string): string[] =>
  namesIn(join(commonDir, 'worktrees')).map((name) => `worktrees/${name}/modules`)

/** Names of submodules may contain slashes, and submodules may have submodules. */
const DEEPEST = 8

function modulesIn(commonDir: string, path: string, depth: number): string[] {
  return namesIn(join(commonDir, path)).flatMap((name) => {
    const at = `${path}/${name}`
    if (!lstat(join(commonDir, at))?.isDirectory() || depth > DEEPEST) return []
    if (!isRepository(join(commonDir, at))) return modulesIn(commonDir, at, depth + 1)
    return [at, ...modulesIn(commonDir, `${at}/modules`, depth + 1)]
  })
}

const namesIn = (dir: string): string[] => (lstat(dir)?.isDirectory() ? readNames(dir) : [])

/** What is not copied from a git folder: objects are stored separately, the rest can be created again. */
export function isLeftOut(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return (
    LEFT_OUT.has(path) ||
    /^worktrees\/[^/]+\/modules$/.test(path) ||
    name.endsWith('.lock') ||
    name.startsWith('fsmonitor--daemon') ||
    (path.startsWith('hooks/') && name.endsWith('.sample'))
  )
}

/** `lfs` and `annex` are as large as the contents they hold. */
const LEFT_OUT = new Set(['objects', 'modules', 'lfs', 'annex', 'gc.pid', 'gc.log'])
export const LARGE_EXTRAS = ['lfs/objects', 'annex/objects'] as const
