import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { guarded } from '../guards/kit.ts'
import { newWorkspace, shell, type Workspace } from '../kit/workspace.ts'

const FILES = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'd/c.txt': 'three\n', 'd/e.txt': 'four\n', 'keep.txt': 'kept\n' }
const oops = (workspace: Workspace, ...flags: string[]) => workspace.tw(['oops', '--yes', ...flags])
const remove = (workspace: Workspace, ...paths: string[]) => {
  for (const path of paths) fs.rmSync(workspace.at(path), { recursive: true })
}
const contents = (workspace: Workspace, ...paths: string[]) =>
  paths.map((path) => (workspace.has(path) ? workspace.read(path) : undefined))

test('what was lost before a restore of something else is taken back', async () => {
  const workspace = newWorkspace(FILES)
  await workspace.snapshot()
  workspace.write({ 'k.txt': 'new\n' })
  await workspace.snapshot()
  remove(workspace, 'd')
  await workspace.tw(['restore', 'latest', 'd/c.txt'])
  const { exit, stdout } = await oops(workspace)
  expect([exit, stdout]).toEqual([0, expect.stringContaining('deleted  d/e.txt')])
  expect(contents(workspace, 'd/c.txt', 'd/e.txt', 'k.txt')).toEqual(['three\n', 'four\n', 'new\n'])
})

test('one file that a person deletes after a prompt is taken back first, and the prompt is named', async () => {
  const { workspace, agent } = await guarded(FILES)
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'add g' })
  await agent.edit('g.txt', () => workspace.write({ 'g.txt': 'g\n' }))
  remove(workspace, 'a.txt')
  const { stdout } = await oops(workspace)
  expect(stdout).toContain('What was lost last, outside of any prompt\nIt deleted 1 file:\n    deleted  a.txt\n')
  expect(stdout).toContain('Before that, the prompt “add g” added 1 file.')
  expect(contents(workspace, 'a.txt', 'g.txt')).toEqual(['one\n', 'g\n'])
})

test('files that a person empties are lost; what they write besides stays', async () => {
  const { workspace, agent } = await guarded(FILES)
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'add g' })
  await agent.edit('g.txt', () => workspace.write({ 'g.txt': 'g\n' }))
  workspace.write({ 'a.txt': '', 'b.txt': '', 'keep.txt': 'mine\n', 'more.txt': 'mine, too\n' })
  expect((await oops(workspace)).stdout).toContain('It changed 2 files:')
  expect(contents(workspace, 'a.txt', 'b.txt', 'keep.txt', 'more.txt', 'g.txt')).toEqual([
    'one\n',
    'two\n',
    'mine\n',
    'mine, too\n',
    'g\n',
  ])
})

test('what a person lost before the prompt is named, with the command that brings it back', async () => {
  const { workspace, agent } = await guarded(FILES)
  remove(workspace, 'd')
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'one line' })
  await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'line\n' }))
  const { stdout } = await oops(workspace)
  expect(contents(workspace, 'a.txt', 'd/c.txt')).toEqual(['one\n', undefined])
  const [, command = ''] =
    /2 files were lost: d\/c.txt, d\/e.txt\nBring that back with: timewarp (.*)/.exec(stdout) ?? []
  expect((await workspace.tw(command.split(' '))).exit).toBe(0)
  expect(contents(workspace, 'd/c.txt', 'd/e.txt')).toEqual(['three\n', 'four\n'])
})

test('a person’s own work is never taken back: nothing is there to take back, and undo is named', async () => {
  const workspace = newWorkspace(FILES)
  await workspace.snapshot()
  workspace.write({ 'good.txt': 'good\n', 'a.txt': 'better\n' })
  await workspace.snapshot('good work')
  fs.renameSync(workspace.at('b.txt'), workspace.at('renamed.txt'))
  const { exit, stderr } = await oops(workspace)
  expect([exit, stderr]).toEqual([3, expect.stringContaining('timewarp undo')])
  remove(workspace, 'd')
  expect((await oops(workspace)).exit).toBe(0)
  expect((await oops(workspace)).exit).toBe(3)
  expect(contents(workspace, 'good.txt', 'a.txt', 'renamed.txt')).toEqual(['good\n', 'better\n', 'two\n'])
})

test('git reset --hard over edits that were captured is a loss, also of what it only changed', async () => {
  const { workspace, agent } = await guarded(FILES)
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: workspace.root })
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'one')
  workspace.write({ 'a.txt': 'edited\n', 'b.txt': 'edited, too\n' })
  await workspace.snapshot()
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'add new' })
  await agent.edit('new.txt', () => workspace.write({ 'new.txt': 'new\n' }))
  await workspace.snapshot()
  git('reset', '-q', '--hard')
  const { exit } = await oops(workspace)
  expect([exit, ...contents(workspace, 'a.txt', 'b.txt', 'new.txt')]).toEqual([0, 'edited\n', 'edited, too\n', 'new\n'])
})

test('a loss that was taken back is not offered again, whatever became of the files since', async () => {
  const { workspace, agent } = await guarded(FILES)
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'change two' })
  for (const path of ['d/c.txt', 'd/e.txt']) await agent.edit(path, () => workspace.write({ [path]: 'agent\n' }))
  remove(workspace, 'd')
  for (const expected of ['agent\n', 'three\n']) {
    expect((await oops(workspace)).exit).toBe(0)
    expect(workspace.read('d/c.txt')).toBe(expected)
  }
  expect((await oops(workspace)).exit).toBe(3)
})

test('what a prompt deleted, came back and was changed since, stands in nobody’s way', async () => {
  const { workspace, agent } = await guarded(FILES)
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'delete' })
  await agent.shell('rm a.txt', () => remove(workspace, 'a.txt'))
  expect((await oops(workspace)).exit).toBe(0)
  workspace.write({ 'a.txt': 'one, and mine\n' })
  expect((await oops(workspace)).exit).toBe(3)
  expect(workspace.read('a.txt')).toBe('one, and mine\n')
})

test('more snapshots than anybody counts do not hide a prompt', async () => {
  const { workspace, agent } = await guarded(FILES)
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'change' })
  await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'agent\n' }))
  for (let n = 0; n < 320; n++) {
    workspace.write({ 'mine.txt': `${n}\n` })
    await workspace.snapshot()
  }
  await workspace.close()
  expect((await oops(workspace)).exit).toBe(0)
  expect(contents(workspace, 'a.txt', 'mine.txt')).toEqual(['one\n', '319\n'])
})

/** Files of more than a thousand bytes are not captured. */
async function limited() {
  const scene = await guarded(FILES)
  const { workspace, agent } = scene
  workspace.write({ '.timewarp/config.json': '{ "max_file_bytes": 1000 }\n' })
  workspace.trust()
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'grow' })
  return scene
}
const LARGE = 'x'.repeat(2000)

test('a file that grew past the limit is a change: named, left, and brought back once it is moved away', async () => {
  const { workspace, agent } = await limited()
  await agent.shell('./grow', () => workspace.write({ 'a.txt': LARGE, 'b.txt': 'spoilt\n' }))
  const { exit, stdout } = await oops(workspace)
  expect([exit, stdout]).toEqual([4, expect.stringContaining('Conflict in a.txt: something that is not captured')])
  expect(stdout).not.toContain('--force')
  expect(contents(workspace, 'a.txt', 'b.txt')).toEqual([LARGE, 'two\n'])
  const [, command = ''] = /then try again: (mv .*)/.exec(stdout) ?? []
  shell(`cd "$1" && ${command}`, workspace.root)
  expect((await oops(workspace)).exit).toBe(0)
  expect(contents(workspace, 'a.txt', 'a.txt.aside')).toEqual(['one\n', LARGE])
})

test('one that was rewritten after that goes back to the version captured last, and is not deleted', async () => {
  const { workspace, agent } = await limited()
  await agent.shell('./grow', () => workspace.write({ 'a.txt': LARGE }))
  await agent.tell('prompt', { prompt_id: 'p2', prompt: 'rewrite' })
  await agent.shell('echo trash > a.txt', () => workspace.write({ 'a.txt': 'trash\n' }))
  expect((await oops(workspace)).stdout).toContain('a.txt was not captured just before')
  expect(contents(workspace, 'a.txt')).toEqual(['one\n'])
  expect((await oops(workspace)).exit).toBe(3)
})

test('a lower limit alone is no change', async () => {
  const workspace = newWorkspace({ ...FILES, 'large.txt': LARGE })
  await workspace.snapshot()
  workspace.write({ '.timewarp/config.json': '{ "max_file_bytes": 1000 }\n' })
  workspace.trust()
  await workspace.close()
  expect((await workspace.call('snapshot')).created).toBe(false)
})

test('a file that became a pipe is named, and not replaced', async () => {
  const { workspace, agent } = await limited()
  await agent.shell('mkfifo a.txt', () => shell('cd "$1" && rm a.txt && mkfifo a.txt', workspace.root))
  const { exit, stdout } = await oops(workspace)
  expect([exit, stdout]).toEqual([4, expect.stringContaining('Conflict in a.txt')])
  expect(fs.lstatSync(workspace.at('a.txt')).isFIFO()).toBe(true)
})

test.each([
  ['file', (path: string) => fs.writeFileSync(path, 'person\n')],
  ['symlink', (path: string) => fs.symlinkSync('../elsewhere', path)],
])('a person’s %s where a folder was is left, named, and holds up nothing else', async (kind, make) => {
  const { workspace, agent } = await guarded(FILES)
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'tidy' })
  await agent.shell('rm -r d a.txt', () => remove(workspace, 'd', 'a.txt'))
  make(workspace.at('d'))
  const { exit, stdout } = await oops(workspace)
  expect([exit, stdout]).toEqual([
    4,
    expect.stringContaining(`Conflict in d/c.txt: a ${kind} is where its folder d was`),
  ])
  expect(contents(workspace, 'a.txt')).toEqual(['one\n'])
  expect(fs.lstatSync(workspace.at('d')).isDirectory()).toBe(false)
})

test('a folder that became a symlink comes back at once, and nothing is written through the link', async () => {
  const { workspace, agent } = await guarded(FILES)
  fs.mkdirSync(`${workspace.temp}/out`)
  fs.writeFileSync(`${workspace.temp}/out/c.txt`, 'outside\n')
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'link' })
  await agent.shell('rm -r d; ln -s ../out d', () => {
    remove(workspace, 'd')
    fs.symlinkSync('../out', workspace.at('d'))
  })
  expect((await oops(workspace)).exit).toBe(0)
  expect(contents(workspace, 'd/c.txt', 'd/e.txt')).toEqual(['three\n', 'four\n'])
  expect(fs.readFileSync(`${workspace.temp}/out/c.txt`, 'utf8')).toBe('outside\n')
})

test.each(['a,b', 'two\nlines', ' blanks '])('a prompt with the id %j is taken back', async (prompt_id) => {
  const { workspace, agent } = await guarded(FILES)
  await agent.tell('prompt', { prompt_id, prompt: 'change' })
  await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'agent\n' }))
  const { exit, stderr } = await oops(workspace)
  expect([exit, stderr, workspace.read('a.txt')]).toEqual([0, '', 'one\n'])
})

test.each(['a,b', 'two\nlines', ' blanks '])('revert takes the prompt id %j as it is', async (prompt_id) => {
  const { workspace, agent } = await guarded(FILES)
  await agent.tell('prompt', { prompt_id, prompt: 'change' })
  await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'agent\n' }))
  await workspace.call('reverse_op', { snapshot_id: `prompt:${prompt_id}` })
  expect(workspace.read('a.txt')).toBe('one\n')
})

test('an id that is too short, or missing, is told so', async () => {
  const { workspace } = await guarded(FILES)
  const short = await workspace.tw(['revert', 'session:ses'])
  expect([short.exit, short.stderr]).toEqual([3, expect.stringContaining('has at least 4 characters')])
  const none = await workspace.tw(['revert', 'session:'])
  expect([none.exit, none.stderr]).toEqual([2, expect.stringContaining('Say which session')])
})

test('what is shown, what is done and what undo says are the same number of files', async () => {
  const workspace = newWorkspace(FILES)
  await workspace.snapshot()
  remove(workspace, 'd')
  const told = (text: string, word: string) => new RegExp(`${word}.*2 files`).test(text)
  expect(told((await workspace.tw(['oops'])).stdout, 'Would take back')).toBe(true)
  expect(told((await oops(workspace)).stdout, 'Took back')).toBe(true)
  expect(told((await workspace.tw(['undo'])).stdout, 'Undid')).toBe(true)
})

test('status tells of a workspace whose folder is gone', async () => {
  const workspace = newWorkspace(FILES)
  await workspace.snapshot()
  fs.rmSync(workspace.root, { recursive: true })
  await workspace.close()
  const { exit, json } = await workspace.tw(['-C', workspace.root, 'status', '--json'], { cwd: workspace.temp })
  expect([exit, json.changed.deleted]).toEqual([0, 5])
  expect(json.warnings).toEqual([expect.stringContaining('timewarp oops')])
})

test('init says that the store is not encrypted', async () => {
  expect((await newWorkspace(FILES).tw(['init'])).stdout).toContain('not encrypted')
})

test('what was shown is taken back, not what the prompt does later', async () => {
  const { workspace, agent } = await guarded(FILES)
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'go on' })
  await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'agent\n' }))
  const shown = await workspace.call('reverse_op', { snapshot_id: 'last', dry_run: true })
  await agent.edit('b.txt', () => workspace.write({ 'b.txt': 'agent\n' }))
  const did = await workspace.call('reverse_op', { snapshot_id: shown.deed?.what ?? '' })
  expect([shown.affected_files, did.affected_files]).toEqual([['a.txt'], ['a.txt']])
  expect(contents(workspace, 'a.txt', 'b.txt')).toEqual(['one\n', 'agent\n'])
})

test('files come back with the times they had', async () => {
  const workspace = newWorkspace(FILES)
  const then = new Date('2020-02-02T02:02:02Z')
  for (const path of ['d/c.txt', 'd/e.txt']) fs.utimesSync(workspace.at(path), then, then)
  await workspace.snapshot()
  remove(workspace, 'd')
  expect((await oops(workspace)).exit).toBe(0)
  expect(['d/c.txt', 'd/e.txt'].map((path) => Math.round(fs.statSync(workspace.at(path)).mtimeMs))).toEqual([
    +then,
    +then,
  ])
})

test('what snapshots leave out and went with a folder is named: it does not come back', async () => {
  const workspace = newWorkspace({ ...FILES, 'node_modules/x/index.js': 'x\n', 'd/node_modules/y.js': 'y\n' })
  await workspace.tw(['init'])
  remove(workspace, 'd', 'node_modules')
  const { stdout } = await oops(workspace)
  expect(stdout).toMatch(/Warning: left out of snapshots, gone since, and not coming back: .*d\/node_modules\//)
  expect(contents(workspace, 'd/c.txt')).toEqual(['three\n'])
})

test('a command that has not ended is said to run', async () => {
  const { workspace, agent } = await guarded(FILES)
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'build' })
  await agent.edit('a.txt', () => workspace.write({ 'a.txt': 'agent\n' }))
  const command = './build.sh --watch'
  await agent.tell('call_start', { call_id: 'c9', tool: 'Bash', kind: 'shell', command, tool_input: { command } })
  expect((await oops(workspace)).stdout).toContain('Still running, as far as is known: ./build.sh --watch.')
})
