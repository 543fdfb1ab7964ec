import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gitIn } from '../kit/git.ts'
import { newWorkspace } from '../kit/workspace.ts'

/** Everything of a user that an export must not touch. */
function untouched(git: (...args: string[]) => string, top: string) {
  const read = (name: string): string | undefined =>
    fs.existsSync(join(top, '.git', name)) ? fs.readFileSync(join(top, '.git', name), 'base64') : undefined
  return {
    index: read('index'),
    head: read('HEAD'),
    log: read('logs/HEAD'),
    config: read('config'),
    status: git('status', '--porcelain', '--ignored'),
    refs: git('for-each-ref', '--format=%(refname) %(objectname)')
      .replace(/^refs\/heads\/work .*\n?/m, '')
      .trimEnd(),
    names: fs.readdirSync(join(top, '.git')).sort(),
  }
}

const filesIn = (git: (...args: string[]) => string, commit: string) =>
  git('ls-tree', '-r', '--name-only', commit).split('\n')

test('a history becomes commits on a new branch, and nothing else changes', async () => {
  const workspace = newWorkspace({
    'a.txt': 'a\n',
    'run.sh': '#!/bin/sh\n',
    '.gitignore': 'build\n*.log\n',
    'kept.log': 'k',
  })
  const git = gitIn(workspace)
  git('init', '-q')
  git('add', '-f', '.')
  git('commit', '-qm', 'first')
  const head = git('rev-parse', 'HEAD')
  await workspace.snapshot()
  workspace.write({ 'dir/new "file" ü': 'new\n', 'build/out.o': 'o', 'x.log': 'x', 'kept.log': 'K', 'later.txt': 'l' })
  fs.chmodSync(workspace.at('run.sh'), 0o755)
  fs.symlinkSync('a.txt', workspace.at('link'))
  const second = await workspace.snapshot('second step')
  const edit = { path: 'a.txt', search_block: 'a', replace_block: 'b', session_id: 'sess_1', actor: 'Bo <b>\n' }
  const third = (await workspace.call('apply_edit_block', edit)).snapshot_id
  fs.rmSync(workspace.at('dir'), { recursive: true })
  workspace.write({ dir: 'a file now\n', 'staged.txt': 's', '.gitignore': 'build\n*.log\nlater.txt\n' })
  await workspace.snapshot()
  git('add', 'staged.txt')
  fs.writeFileSync(workspace.at('.git/hooks/reference-transaction'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  const before = untouched(git, workspace.root)

  const out = await workspace.call('export', { git: 'work' })

  expect(untouched(git, workspace.root)).toEqual(before)
  expect(git('fsck', '--strict', '--no-dangling')).toBe('')
  expect(out).toMatchObject({ branch: 'work', parent: head, commit: git('rev-parse', 'work') })
  expect(out.commits.map(({ subject }) => subject).slice(0, 2)).toEqual(['second step', expect.anything()])
  expect(git('rev-list', '--reverse', `${head}..work`).split('\n')).toEqual(out.commits.map(({ commit }) => commit))
  const [one = '', two = ''] = out.commits.map(({ commit }) => commit)
  expect(
    git('ls-tree', '-r', one)
      .split('\n')
      .map((line) => line.slice(0, 6)),
  ).toContain('120000')
  expect(git('ls-tree', one, 'run.sh')).toMatch(/^100755/)
  expect(git('cat-file', 'blob', `${one}:dir/new "file" ü`)).toBe('new')
  expect(git('cat-file', 'blob', `${one}:kept.log`)).toBe('K')
  expect(filesIn(git, one)).not.toContain('x.log')
  expect(filesIn(git, one)).not.toContain('build/out.o')
  expect(git('log', '-1', '--format=%(trailers:key=Timewarp-Snapshot,valueonly)', one).trim()).toBe(second)
  expect(git('log', '-1', '--format=%an|%(trailers:only)', two).split('\n')).toEqual([
    `Bo b|Timewarp-Snapshot: ${third}`,
    'Timewarp-Session: sess_1',
    'Timewarp-Tool: apply_edit_block',
    'Timewarp-Actor: Bo <b>',
  ])
  expect(git('cat-file', 'blob', 'work:dir')).toBe('a file now')
  expect(filesIn(git, one)).not.toContain('later.txt')
  expect(out.left_out).toBe(1)
})

test('a branch that exists, or could not, is refused', async () => {
  const workspace = newWorkspace({ 'a.txt': 'a\n' })
  const refusal = (branch: string) =>
    workspace.call('export', { git: branch }).then(
      () => 'none',
      (fault) => fault.code,
    )
  await workspace.snapshot()
  expect(await refusal('work')).toBe('EXPORT_REFUSED') // no repository
  const git = gitIn(workspace)
  git('init', '-q')
  expect(await refusal('main')).toBe('EXPORT_REFUSED') // HEAD waits for it
  for (const bad of ['-d', 'a b', 'x..y', '', '@{-1}', 'refs/../x']) expect(await refusal(bad)).toBe('EXPORT_REFUSED')
  const { parent, commits } = await workspace.call('export', { git: 'work', message: 'All\nof it' })
  expect([parent, commits.length, git('log', '--format=%s', 'work')]).toEqual([null, 1, 'All of it'])
  expect(await refusal('work')).toBe('EXPORT_REFUSED')
  expect(await refusal('work/below')).toBe('EXPORT_REFUSED')
  expect(git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/work')
  expect(git('symbolic-ref', 'HEAD')).toBe('refs/heads/main')
})

test('a session alone, in a folder of a larger repository', async () => {
  const workspace = newWorkspace({ 'a.txt': 'a\n', 'mine.txt': 'm\n' })
  const top = gitIn(workspace, workspace.temp)
  top('init', '-q')
  fs.writeFileSync(join(workspace.temp, 'above.txt'), 'above\n')
  top('add', 'above.txt', 'workspace/a.txt', 'workspace/mine.txt')
  top('commit', '-qm', 'first')
  await workspace.snapshot()
  await workspace.call('apply_whole_file_edit', { path: 'a.txt', content: 'A\n', session_id: 'sess_1' })
  workspace.write({ 'mine.txt': 'by hand\n' })
  await workspace.call('rename', { from: 'a.txt', to: 'b.txt', session_id: 'sess_1' })
  const before = untouched(top, workspace.temp)
  const { commits } = await workspace.call('export', { git: 'work', session: 'sess_1' })
  expect(untouched(top, workspace.temp)).toEqual(before)
  expect(commits.length).toBe(2)
  expect(filesIn(top, 'work')).toEqual(['above.txt', 'workspace/b.txt', 'workspace/mine.txt'])
  expect(top('cat-file', 'blob', 'work:workspace/mine.txt')).toBe('m')
  expect(top('cat-file', 'blob', 'work:workspace/b.txt')).toBe('A')
  await expect(workspace.call('export', { git: 'other', session: 'nobody' })).rejects.toMatchObject({
    code: 'EXPORT_REFUSED',
  })
})
