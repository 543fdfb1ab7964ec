import { execFileSync, spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answerOf } from '../kit/workspace.ts'
import { newLive, REPOSITORY, until } from './kit.ts'

/** Hooks that come by way of the command line, beside a daemon. */

/** Every running process of a store. */
const processesOf = (home: string): string[] =>
  execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(home))

test('a hook given to the command line starts nothing, and the end of its edit is captured', async () => {
  const live = newLive({ 'a.txt': '1\n' })
  await live.alone(['init'])
  await live.serve()
  fs.writeFileSync(join(live.root, 'a.txt'), '2\n')
  await live.tw(['snapshot'])
  const before = processesOf(live.home)
  const child = live.start(['hook', 'claude'])
  child.stdin?.end(
    JSON.stringify({
      ...{ session_id: 's', hook_event_name: 'PreToolUse', cwd: live.root, tool_name: 'Edit', tool_use_id: 't' },
      tool_input: { file_path: join(live.root, 'a.txt'), old_string: '2', new_string: 'edited' },
    }),
  )
  expect((await answerOf(child)).exit).toBe(0)
  expect(processesOf(live.home)).toEqual(before)
  fs.writeFileSync(join(live.root, 'a.txt'), 'edited\n')
  await until('the edit is captured', async () => {
    const { json } = await live.alone(['log', '--json'])
    return json.snapshots[0].call_id === 't' && json.snapshots[0].affected_files[0] === 'a.txt'
  })
  await live.tw(['daemon', 'stop'])
  await until('nothing runs', async () => processesOf(live.home).length === 0)
})

test.each([
  ['--home', '/tmp/x', '--no-daemon', 'hook', 'claude', '--until-edited'],
  ['--home'],
  ['relative'],
  ['/nowhere', 'more'],
  [],
])('the program of the daemon refuses arguments it does not know: %s %s', async (...args) => {
  const { temp } = newLive({}).workspace
  const child = spawn(process.execPath, [join(REPOSITORY, 'dist/daemon.cjs'), ...args], {
    cwd: temp,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const names = fs.readdirSync(temp)
  const { exit, json } = await answerOf(child)
  expect([exit, json.error.code]).toEqual([2, 'BAD_INPUT'])
  expect(fs.readdirSync(temp)).toEqual(names)
})
