import * as fs from 'node:fs'
import { join } from 'node:path'
import { type Git, gitIn } from '../kit/git.ts'
import { newWorkspace, type Workspace } from '../kit/workspace.ts'

export { type Git, gitIn }

/** A workspace with a repository of some commits, two branches, a tag and two stashes, and something staged. */
export async function newRepository(options: readonly string[] = []): Promise<{ workspace: Workspace; git: Git }> {
  const workspace = newWorkspace({ 'a.txt': 'a\n', 'dir/b.txt': 'b\n', '.gitignore': 'build\n' })
  const git = gitIn(workspace)
  git('init', '-q', ...options)
  git('config', 'user.name', 'Ann')
  git('config', 'user.email', 'ann@example.com')
  commit(workspace, git, 'first', { 'a.txt': 'one\n' })
  commit(workspace, git, 'second', { 'a.txt': 'two\n' })
  git('tag', '-am', 'a tag', 'v1')
  git('checkout', '-qb', 'side')
  commit(workspace, git, 'on the side', { 'side.txt': 'side\n' })
  git('checkout', '-q', 'main')
  for (const text of ['stashed 1\n', 'stashed 2\n']) {
    workspace.write({ 'a.txt': text })
    git('stash', 'push', '-qm', text.trim())
  }
  workspace.write({ 'staged.txt': 'staged\n', 'untracked.txt': 'u\n' })
  git('add', 'staged.txt')
  await workspace.call('workspace_init', { snapshot: false })
  return { workspace, git }
}

export function commit(workspace: Workspace, git: Git, message: string, files: Record<string, string>): string {
  workspace.write(files)
  git('add', ...Object.keys(files))
  git('commit', '-qm', message)
  return git('rev-parse', 'HEAD')
}

/** All that a person sees of a repository. */
export function seen(git: Git) {
  return {
    refs: git('for-each-ref', '--format=%(objectname) %(symref) %(refname)'),
    head: git.fails('symbolic-ref', 'HEAD') ? 'detached' : git('symbolic-ref', 'HEAD'),
    log: git.fails('rev-parse', '--verify', 'HEAD') ? '' : git('log', '--all', '--format=%H %P %an %s'),
    stashes: git('stash', 'list', '--format=%H %gd %gs'),
    reflog: git.fails('rev-parse', '--verify', 'HEAD') ? '' : git('reflog', '--format=%H %gs'),
    status: git('status', '--porcelain=v2', '--branch'),
    config: git('config', '--local', '--list'),
  }
}

/** Every file below a folder with its bytes and times: what must not change. */
export function frozen(dir: string): Record<string, string> {
  const state: Record<string, string> = {}
  for (const name of fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()) {
    const stat = fs.lstatSync(join(dir, name), { bigint: true })
    state[name] = stat.isFile()
      ? `${stat.mtimeNs} ${stat.size} ${fs.readFileSync(join(dir, name), 'base64').slice(0, 500)}`
      : `${stat.mtimeNs}`
  }
  return state
}

export const keep = async (workspace: Workspace, why = 'test') => {
  const { keep: kept, created } = await workspace.call('git_keep', { why })
  if (kept === null) throw new Error('nothing was kept')
  return { ...kept, created }
}
