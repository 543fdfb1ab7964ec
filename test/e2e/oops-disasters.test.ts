import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { Agent, guarded } from '../guards/kit.ts'
import { newWorkspace, shell, type Workspace } from '../kit/workspace.ts'

const LAUNCHER = resolve(import.meta.dirname, '../../bin/timewarp')
const FILES = { 'README.md': 'read me\n', 'src/a.js': 'a\n', 'src/b.js': 'b\n', 'docs/d.md': 'd\n' }
const oops = (workspace: Workspace, ...flags: string[]) => workspace.tw(['oops', '--yes', ...flags])
const remove = (workspace: Workspace, ...paths: string[]) => {
  for (const path of paths) fs.rmSync(workspace.at(path), { recursive: true })
}
const contents = (workspace: Workspace) =>
  Object.keys(FILES).map((path) => (workspace.has(path) ? workspace.read(path) : undefined))

test('what was deleted just now and not captured yet is taken back, not the good work before', async () => {
  const workspace = newWorkspace(FILES)
  await workspace.snapshot()
  workspace.write({ 'good.txt': 'good\n' })
  await workspace.snapshot('good work')
  remove(workspace, 'src', 'docs')
  const { exit, stdout } = await oops(workspace)
  expect(exit).toBe(0)
  expect(stdout).toContain('It deleted 3 files:')
  expect([...contents(workspace), workspace.read('good.txt')]).toEqual([...Object.values(FILES), 'good\n'])
})

test('after a restore, what was deleted since is taken back', async () => {
  const workspace = newWorkspace(FILES)
  await workspace.snapshot()
  workspace.write({ 'src/a.js': 'spoilt\n' })
  await workspace.tw(['restore', 'latest'])
  remove(workspace, 'README.md', 'src')
  expect((await oops(workspace)).exit).toBe(0)
  expect(contents(workspace)).toEqual(Object.values(FILES))
})

test('a workspace that an agent deleted as a whole comes back', async () => {
  const { workspace, agent } = await guarded(FILES)
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'tidy up' })
  await agent.shell('cd .. && rm -rf workspace', () => fs.rmSync(workspace.root, { recursive: true })).catch(() => {})
  await workspace.close()
  const done = await workspace.tw(['-C', workspace.root, 'oops', '--yes'], { cwd: workspace.temp })
  expect([done.exit, done.stderr]).toEqual([0, ''])
  expect(contents(workspace)).toEqual(Object.values(FILES))
})

test('what a person deletes after a prompt is later, and so it is taken back; the next time it is the prompt', async () => {
  const { workspace, agent } = await guarded(FILES)
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'improve the readme' })
  await agent.edit('README.md', () => workspace.write({ 'README.md': 'better\n' }))
  await agent.edit('new.txt', () => workspace.write({ 'new.txt': 'new\n' }))
  remove(workspace, 'src')
  const first = await oops(workspace)
  expect([first.exit, first.stdout]).toEqual([0, expect.stringMatching(/^What was lost last/)])
  expect(contents(workspace)).toEqual(['better\n', 'a\n', 'b\n', 'd\n'])
  const second = await oops(workspace)
  expect(second.stdout).toContain('The last prompt that changed files (claude): improve the readme')
  expect([...contents(workspace), workspace.has('new.txt')]).toEqual([...Object.values(FILES), false])
})

/** One line of mine, then a prompt with a build that touches it, an edit and a deletion. */
async function built() {
  const files = { 'src/f1.js': '1\n', 'src/f2.js': '2\n', 'src/f3.js': '3\n', 'README.md': 'r\n', 'gen.py': 'g\n' }
  const { workspace, agent } = await guarded(files)
  workspace.write({ 'src/f2.js': '2\n// mine\n' })
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'build it' })
  await agent.shell('./build.sh', () => {
    for (const n of [1, 2, 3]) fs.appendFileSync(workspace.at(`src/f${n}.js`), '// built\n')
    workspace.write({ 'built.txt': 'built\n' })
    remove(workspace, 'README.md')
  })
  await agent.edit('feature.js', () => workspace.write({ 'feature.js': 'feature\n' }))
  await agent.shell('rm gen.py', () => remove(workspace, 'gen.py'))
  return { workspace, files }
}

test('oops tells all that the prompt did, takes back all but what may be the person’s, and names that with the reason', async () => {
  const { workspace } = await built()
  const { exit, stdout } = await oops(workspace)
  expect(exit).toBe(0)
  expect(stdout).toContain(
    'The last prompt that changed files (claude): build it\n  Bash  ./build.sh\n  Edit  feature.js\n  Bash  rm gen.py\n',
  )
  expect(stdout).toContain('It added 2 files, changed 3 and deleted 2:')
  expect(stdout).toContain('Likely its doing, and so taken back: 4 paths (changed while ./build.sh ran')
  expect(stdout).toMatch(
    /Left alone: changed while \.\/build\.sh ran; you edited it.*\n {4}src\/f2\.js\n.*--include-shared/,
  )
  expect(stdout).not.toContain(`sess_one`)
  expect(fs.readdirSync(workspace.root).sort()).toEqual(['.timewarp', 'README.md', 'gen.py', 'src'])
  expect([1, 2, 3].map((n) => workspace.read(`src/f${n}.js`))).toEqual(['1\n', '2\n// mine\n// built\n', '3\n'])
  const again = await oops(workspace, '--include-shared')
  expect([again.exit, workspace.read('src/f2.js')]).toEqual([0, '2\n// mine\n'])
})

test('oops --all takes back what is shared, too, at once', async () => {
  const { workspace } = await built()
  expect((await oops(workspace, '--all')).exit).toBe(0)
  expect([1, 2, 3].map((n) => workspace.read(`src/f${n}.js`))).toEqual(['1\n', '2\n// mine\n', '3\n'])
})

test.skipIf(!fs.existsSync('/usr/bin/script'))('on a terminal each key counts once', async () => {
  const { workspace } = await built()
  await workspace.close()
  const env = { ...process.env, TIMEWARP_HOME: workspace.home, TIMEWARP_DAEMON: 'off', TERM: 'xterm' }
  const terminal = spawn('script', ['-qec', `${LAUNCHER} oops`, '/dev/null'], { cwd: workspace.root, env })
  const [keys, questions] = [['d', 'a'], /\[Y\/n\/d, a: with the 1 path left alone\] /g]
  let shown = ''
  for await (const part of terminal.stdout) {
    shown += String(part)
    const asked = shown.match(questions)?.length ?? 0
    if (asked > 2 - keys.length) terminal.stdin.write(keys.shift() ?? '')
  }
  // The terminal itself echoes a key that comes before the program listens.
  expect(shown).toMatch(/Take it back\?.* d[^]*-\/\/ built[^]*Take it back\?.* a+\r\n.*Took back/)
  expect([1, 2].map((n) => workspace.read(`src/f${n}.js`))).toEqual(['1\n', '2\n// mine\n'])
})

test('a disaster too large for a diff is taken back all the same', async () => {
  const workspace = newWorkspace({ 'src/large.bin': Buffer.alloc(33 * 1024 * 1024, 'abc'), 'src/small.txt': 'small\n' })
  await workspace.snapshot()
  workspace.write({ 'good.txt': 'good\n' })
  await workspace.snapshot()
  remove(workspace, 'src')
  const { json } = await oops(workspace, '--json')
  expect(json).toMatchObject({ reversed_diff: '', warnings: [expect.stringContaining('the diff is left out')] })
  expect([workspace.read('src/small.txt'), fs.statSync(workspace.at('src/large.bin')).size]).toEqual([
    'small\n',
    33 << 20,
  ])
})

test('a conflict in one file leaves that file and holds up no other', async () => {
  const { workspace, agent } = await guarded(FILES)
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'change four files' })
  for (const path of Object.keys(FILES)) await agent.edit(path, () => workspace.write({ [path]: 'agent\n' }))
  workspace.write({ 'src/a.js': 'mine\n' })
  const shown = await workspace.tw(['oops'])
  expect([shown.exit, workspace.read('README.md')]).toEqual([4, 'agent\n'])
  const { exit, stdout } = await oops(workspace)
  expect(exit).toBe(4)
  expect(stdout).toContain('Conflict in src/a.js')
  expect(stdout).toMatch(/See the later work with: timewarp diff s_\S+ -- src\/a\.js/)
  expect(contents(workspace)).toEqual(['read me\n', 'mine\n', 'b\n', 'd\n'])
  const [, forced = ''] = /with: timewarp (revert \S+ --force -- src\/a\.js)/.exec(stdout) ?? []
  expect((await workspace.tw(forced.split(' '))).exit).toBe(0)
  expect(workspace.read('src/a.js')).toBe('a\n')
})

test('revert --all-or-none takes back nothing where a conflict is', async () => {
  const { workspace, agent } = await guarded(FILES)
  await agent.tell('prompt', { prompt_id: 'prompt-one', prompt: 'change two files' })
  for (const path of ['src/a.js', 'src/b.js']) await agent.edit(path, () => workspace.write({ [path]: 'agent\n' }))
  workspace.write({ 'src/a.js': 'mine\n' })
  const refused = await workspace.tw(['revert', 'prompt:prompt-one', '--all-or-none', '--json'])
  expect([refused.exit, refused.json.new_snapshot_id]).toEqual([4, null])
  expect(contents(workspace)).toEqual(['read me\n', 'mine\n', 'agent\n', 'd\n'])
})

test('sessions, prompts and calls are named by the beginnings of their ids; unknown, empty and shared ones differ', async () => {
  const workspace = newWorkspace(FILES)
  const agent = new Agent(workspace, '3ae25b63-0001')
  await agent.tell('session_start')
  await agent.tell('prompt', { prompt_id: 'c0ffee00-1', prompt: 'one' })
  const { call_id } = await agent.edit('src/a.js', () => workspace.write({ 'src/a.js': 'one\n' }))
  const other = new Agent(workspace, '3ae25b63-0002')
  await other.tell('session_start')
  await other.tell('prompt', { prompt_id: 'decaf000-1', prompt: 'nothing' })
  const revert = (...args: string[]) => workspace.tw(['revert', ...args, '--dry-run', '--json'])
  for (const what of ['prompt:c0ffee', 'session:3ae25b63-0001', `call:${call_id.slice(0, -1)}`])
    expect((await revert(what)).json).toMatchObject({ affected_files: ['src/a.js'] })
  const faultOf = async (what: string) => (await revert(what)).json.error
  expect(await faultOf('session:nope')).toMatchObject({
    code: 'SESSION_NOT_FOUND',
    message: 'There is no session nope',
  })
  expect(await faultOf('prompt:nope')).toMatchObject({ code: 'PROMPT_NOT_FOUND' })
  expect(await faultOf('call:nope')).toMatchObject({ code: 'CALL_NOT_FOUND' })
  expect(await faultOf('session:3ae2')).toMatchObject({
    code: 'SESSION_NOT_FOUND',
    hint: 'Give more of the id.',
    data: { matches: expect.arrayContaining(['3ae25b63-0001', '3ae25b63-0002']) },
  })
  for (const what of ['session:3ae25b63-0002', 'prompt:decaf000'])
    expect(await faultOf(what)).toMatchObject({
      code: 'NOTHING_TO_REVERT',
      message: expect.stringContaining('no file'),
    })
})

test('where all of a session is shared, revert says so, names it, and how to include it', async () => {
  const { workspace, agent } = await guarded(FILES)
  workspace.write({ 'src/a.js': 'mine\n' })
  await agent.shell('./build.sh', () => workspace.write({ 'src/a.js': 'who?\n' }))
  const { exit, stdout, stderr } = await workspace.tw(['revert', 'session:sess_one'])
  expect([exit, stderr]).toEqual([4, ''])
  expect(stdout).toMatch(
    /Nothing was taken back: 1 path may be somebody else’s\.\nLeft alone: .*\n {4}src\/a\.js\n.*--include-shared/,
  )
  expect((await workspace.tw(['revert', 'session:sess_one', '--include-shared'])).exit).toBe(0)
  expect(workspace.read('src/a.js')).toBe('mine\n')
})

test('--only-certain leaves what is likely, and names it', async () => {
  const { workspace, agent } = await guarded(FILES)
  await agent.edit('src/a.js', () => workspace.write({ 'src/a.js': 'edited\n' }))
  await agent.shell('./build.sh', () => workspace.write({ 'src/b.js': 'built\n' }))
  const { json } = await workspace.tw(['revert', 'session:sess_one', '--only-certain', '--json'])
  expect(json).toMatchObject({
    affected_files: ['src/a.js'],
    likely: [],
    left_shared: [],
    left: [{ certainty: 'likely', paths: ['src/b.js'], reason: 'changed while ./build.sh ran' }],
  })
  expect(contents(workspace)).toEqual(['read me\n', 'a\n', 'built\n', 'd\n'])
})

test.each(['sh', 'bash'])('in a folder that was deleted, commands of %s work from where it was', async (name) => {
  const workspace = newWorkspace(FILES)
  await workspace.snapshot()
  const inDeleted = (folder: string, what: string) => {
    const script = `cd "$1" && rm -rf "$2" && exec "$3" ${what}`
    const args = ['-c', script, name, workspace.at(folder), workspace.root, LAUNCHER]
    const env = { ...process.env, TIMEWARP_HOME: workspace.home, TIMEWARP_DAEMON: 'off' }
    return spawnSync(name, args, { encoding: 'utf8', env })
  }
  for (const [folder, what] of [
    ['', 'oops --yes'],
    ['src', 'undo'],
    ['docs', 'restore latest'],
  ] as const) {
    const { status, stderr } = inDeleted(folder, what)
    expect([what, status, stderr.replace(/^.*getcwd.*\n/gm, '')]).toEqual([what, 0, ''])
    expect([what, ...contents(workspace)]).toEqual([what, ...Object.values(FILES)])
  }
  shell('test -d "$1"', join(workspace.root, 'src'))
})
