import * as fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { guarded, story } from './kit.ts'

/** How sure the timeline is of what a command did while a person was at work, and what it says of it. */

const FILES = { 'src/f1.js': '1\n', 'src/f2.js': '2\n', 'src/f3.js': '3\n', 'README.md': 'read\n', 'gen.py': 'gen\n' }

async function gradeOf(workspace: Awaited<ReturnType<typeof guarded>>['workspace'], path: string) {
  const { snapshots } = await workspace.call('get_edit_history', { limit: 100 })
  const one = snapshots.find(({ affected_files }) => affected_files.includes(path))
  const { doubts = [] } = one ? await workspace.call('show', { snapshot_id: one.snapshot_id }) : {}
  return { certainty: doubts.includes(path) ? 'shared' : one?.certainty, reason: one?.reason, prompt: one?.prompt_id }
}

test('one line of a person before a build makes that file doubtful, and nothing else', async () => {
  const { workspace, agent } = await guarded(FILES)
  workspace.write({ 'src/f2.js': '2\n// mine\n' })
  await agent.tell('prompt', { prompt_id: 'p1', prompt: 'Build it' })
  await sleep(1100)
  await agent.shell('./build.sh', () => {
    workspace.write({ 'src/f1.js': 'b\n', 'src/f2.js': '2\n// mine\nb\n', 'src/f3.js': 'b\n', 'built.txt': 'b\n' })
    fs.rmSync(workspace.at('README.md'))
  })
  await agent.edit('feature.js', () => workspace.write({ 'feature.js': 'new\n' }))
  await agent.shell('rm gen.py', () => fs.rmSync(workspace.at('gen.py')))
  expect(await gradeOf(workspace, 'src/f2.js')).toEqual({
    certainty: 'shared',
    reason: expect.stringMatching(/^changed while \.\/build\.sh ran; you edited it [1-9] s before$/),
    prompt: 'p1',
  })
  for (const path of ['src/f1.js', 'src/f3.js', 'built.txt', 'README.md'])
    expect([path, await gradeOf(workspace, path)]).toEqual([
      path,
      { certainty: 'likely', reason: 'changed while ./build.sh ran', prompt: 'p1' },
    ])
  for (const path of ['feature.js', 'gen.py'])
    expect([path, await gradeOf(workspace, path)]).toEqual([path, { certainty: 'certain', reason: null, prompt: 'p1' }])
  const { stdout } = await workspace.tw(['log'])
  // Headings stand at the left; what belongs to them is indented.
  const underPrompt = stdout.split(/\n(?=\S)/).filter((group) => group.split('\n')[0]?.includes('Build it'))
  for (const words of ['; you edited it', './build.sh  (likely)', '  Edit ', '  rm gen.py'])
    expect(underPrompt.join('\n\n'), stdout).toContain(words)
})

test('what a person writes for the first time while a command runs is likely its own, with the reason', async () => {
  const { workspace, agent } = await guarded(FILES)
  await agent.shell('sleep 3; ./build.sh; sleep 3', () =>
    workspace.write({ 'built.txt': 'b\n', 'mynotes.txt': 'me\n' }),
  )
  expect(await gradeOf(workspace, 'mynotes.txt')).toMatchObject({
    certainty: 'likely',
    reason: 'changed while sleep 3; ./build.sh; sleep 3 ran',
  })
})

test('a swap file that appears after a command makes doubtful what the command did to the file', async () => {
  const { workspace, agent } = await guarded(FILES)
  await agent.shell('./build.sh', () => workspace.write({ 'src/f1.js': 'b\n', 'src/f3.js': 'b\n' }))
  workspace.write({ 'src/.f1.js.swp': 'open' })
  await workspace.snapshot()
  const [, build] = await story(workspace)
  const { doubts } = await workspace.call('show', { snapshot_id: build?.id ?? '' })
  expect([build?.files, doubts]).toEqual([['src/f1.js', 'src/f3.js'], ['src/f1.js']])
})

test('a swap file is nobody’s work but an editor’s', async () => {
  const { workspace, agent } = await guarded(FILES)
  await agent.shell('./build.sh', () => workspace.write({ 'src/f1.js': 'b\n', 'src/.f3.js.swp': 'open' }))
  expect(await gradeOf(workspace, 'src/.f3.js.swp')).toMatchObject({ certainty: 'shared' })
  expect(await gradeOf(workspace, 'src/f1.js')).toMatchObject({ certainty: 'likely' })
})

test('a file that was renamed during a command stays with whoever was seen at it', async () => {
  const { workspace, agent } = await guarded(FILES)
  workspace.write({ 'mine.txt': 'mine\n' })
  await agent.shell('./build.sh', () => {
    fs.renameSync(workspace.at('mine.txt'), workspace.at('renamed.txt'))
    workspace.write({ 'built.txt': 'b\n' })
  })
  expect(await gradeOf(workspace, 'renamed.txt')).toMatchObject({ certainty: 'shared' })
  expect(await gradeOf(workspace, 'built.txt')).toMatchObject({ certainty: 'likely' })
  await workspace.call('reverse_op', { snapshot_id: 'session:sess_one' })
  expect([workspace.has('built.txt'), workspace.read('renamed.txt')]).toEqual([false, 'mine\n'])
})

test('what two commands of one session may have made is left alone once a person was at it', async () => {
  const { workspace, agent } = await guarded(FILES)
  const [one, two] = ['./one.sh', './two.sh'].map((command, i) => ({
    call_id: `c${i}`,
    tool: 'Bash',
    kind: 'shell',
    command,
  }))
  await agent.tell('call_start', one)
  await agent.tell('call_start', two)
  workspace.write({ 'src/f1.js': 'who?\n', 'src/f3.js': 'b\n' })
  await agent.tell('call_end', one)
  await agent.tell('call_end', two)
  workspace.write({ 'src/f1.js': 'who?\nmine\n' })
  await workspace.snapshot()
  await workspace.call('reverse_op', { snapshot_id: 'session:sess_one' })
  expect([workspace.read('src/f1.js'), workspace.read('src/f3.js')]).toEqual(['who?\nmine\n', '3\n'])
})

test('an edit that does not say what it makes is certain where nobody else was, and likely where somebody was', async () => {
  const { workspace, agent } = await guarded(FILES)
  workspace.write({ 'src/f2.js': '2\n// mine\n' })
  await agent.edit('src/f1.js', () => workspace.write({ 'src/f1.js': 'edited\n' }))
  await agent.edit('src/f2.js', () => workspace.write({ 'src/f2.js': '2\n// mine\nedited\n' }))
  expect(await gradeOf(workspace, 'src/f1.js')).toMatchObject({ certainty: 'certain', reason: null })
  expect(await gradeOf(workspace, 'src/f2.js')).toMatchObject({
    certainty: 'likely',
    reason: expect.stringMatching(/^changed during Edit; you edited it/),
  })
})

test('a file that comes up in a folder that a command names is likely its own; what it deletes there is certain', async () => {
  const { workspace, agent } = await guarded(FILES)
  await agent.shell('rm -r src', () => {
    fs.rmSync(workspace.at('src/f1.js'))
    workspace.write({ 'src/notes.txt': 'a person’s\n' })
  })
  expect(await gradeOf(workspace, 'src/f1.js')).toMatchObject({ certainty: 'certain' })
  expect(await gradeOf(workspace, 'src/notes.txt')).toMatchObject({ certainty: 'likely' })
})
