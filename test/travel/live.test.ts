import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { stateOf } from '../kit/world.ts'
import { kill, newLive } from '../live/kit.ts'

/** The same journeys, on the command line, with a daemon that watches. */

const GOOD = ['--task-context', 'Build', '--symptom', 'It failed twice', '--success-criteria', 'make exits 0']

test('there and home with a daemon, which may die in the past; people are told where they are', async () => {
  const live = newLive({ 'a.txt': 'then\n', 'deep/b.txt': 'b\n' })
  const { workspace } = live
  await live.tw(['init', '--no-snapshot'])
  await live.tw(['daemon', 'start'])
  const session = await live.tw(['--json', 'session-start', '--session-id', 'mine'])
  const reported = await live.tw(['--json', 'issue', ...GOOD])
  expect(reported.json).toMatchObject({ ok: true, snapshot_id: session.json.snapshot_id })
  const id: string = reported.json.issue_id
  workspace.write({ 'a.txt': 'now\n', 'deep/c.txt': 'c\n', '.timewarpignore': '*.tmp\n', 'x.tmp': 'never captured' })
  workspace.trust(live.home)
  const before = stateOf(live.root)
  const gone = await live.tw(['travel', id])
  expect([gone.exit, gone.stderr]).toEqual([0, ''])
  expect(gone.stdout).toMatch(
    /^In the past, at s_\S+\n.*\nThe present is kept in s_\S+\nCome home with: timewarp return\n$/s,
  )
  expect(workspace.read('a.txt')).toBe('then\n')
  expect((await live.tw(['status'])).stdout).toContain('Come home with: timewarp return')
  workspace.write({ 'a.txt': 'tried\n' })
  expect((await live.tw(['--json', 'snapshot'])).json).toMatchObject({ created: true, modified: 1 })
  const nested = await live.tw(['--json', 'travel', id])
  expect([nested.exit, nested.json.error.code]).toEqual([4, 'ALREADY_IN_PAST'])
  kill(live.card.pid, 'SIGKILL')
  const run = await live.tw(['--json', 'experiment-run', 'cat a.txt; echo $OF_THE_CALLER'], {
    env: { OF_THE_CALLER: 'yes' },
  })
  expect(run.json.results.map(({ output }: { output: string }) => output)).toEqual(['tried\nyes\n', 'now\nyes\n'])
  const home = await live.tw(['--json', 'return'])
  expect(home.json).toMatchObject({ verified: true, changed: ['a.txt'], issue_id: id })
  expect(stateOf(live.root)).toEqual(before)
  const back = await live.tw(['--json', 'return'])
  expect([back.exit, back.json.error.code]).toEqual([4, 'NOT_IN_PAST'])
  const wrong = await live.tw(['--json', 'show-issue', 'nonsense'])
  expect([wrong.exit, wrong.json.error.code]).toEqual([2, 'INVALID_ISSUE_ID'])
  const missing = await live.tw(['--json', 'show-issue', 'i_20260228_153500_ef34gh'])
  expect([missing.exit, missing.json.error.code]).toEqual([3, 'ISSUE_NOT_FOUND'])
  const replayed = await live.tw(['replay', id, '--dry-run'])
  expect([replayed.exit, replayed.stdout]).toEqual([4, expect.stringContaining('Conflict in a.txt')])
  expect(fs.existsSync(workspace.at('.timewarp/issues', id, 'experiment.md'))).toBe(true)
}, 60_000)
