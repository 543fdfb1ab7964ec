import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newWorkspace } from '../kit/workspace.ts'

/** Where there is no store: only what records something for the first time makes one. */

const READERS = [
  ['status'],
  ['log'],
  ['history', 'a'],
  ['diff', 'latest'],
  ['cat', 'latest', 'a'],
  ['workspaces'],
  ['stats'],
  ['sessions'],
  ['fsck'],
  ['fsck', '--rebuild'],
  ['gc'],
  ['prune', '--dry-run'],
  ['restore', 'latest', '--dry-run'],
  ['undo'],
  ['mirror', '../mirror'],
  ['trust', '--dry-run'],
]

test.for(READERS)('%s %s makes no store, and says how to begin one', async (args) => {
  const workspace = newWorkspace({ a: '1' })
  const typo = join(workspace.temp, 'typo')
  const answer = await workspace.tw(args, { env: { TIMEWARP_HOME: typo } })
  expect(answer.exit).toBe(3)
  expect(answer.stderr).toContain(`there is no store in ${typo}`.slice(1))
  expect(answer.stderr).toContain('check TIMEWARP_HOME')
  expect(answer.stderr).toMatch(/timewarp (up|-C .* init)/)
  expect([fs.existsSync(typo), fs.existsSync(join(workspace.temp, 'mirror'))]).toEqual([false, false])
})

test.for([['config'], ['guard-judge', 'ls'], ['guard', 'status']])('%s needs none, and makes none', async (args) => {
  const workspace = newWorkspace({ a: '1' })
  const answer = await workspace.tw(args)
  expect([answer.exit, answer.stderr, fs.existsSync(workspace.home)]).toEqual([0, '', false])
})

test.for([['init'], ['up'], ['snapshot'], ['write', 'new', 'x']])('%s makes one', async (args) => {
  const workspace = newWorkspace({ a: '1' })
  expect((await workspace.tw(args)).exit).toBe(0)
  expect((await workspace.tw(['status'])).exit).toBe(0)
})
