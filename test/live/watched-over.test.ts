import { spawn } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { openApp } from '../../src/app/app.ts'
import { BLOCKING } from '../../src/bin/watch-over.ts'
import { CATALOGUE } from '../../src/protocol/catalogue.ts'
import { COLLECT_LEASE } from '../../src/timeline/capture/capture.ts'
import { newWorkspace } from '../kit/workspace.ts'
import { LAUNCHER } from '../mcp/kit.ts'
import { until } from './kit.ts'

test('the list of commands that hear no signal is that of the catalogue', async () => {
  const found = await Promise.all(CATALOGUE.map(async ({ verb, load }) => ((await load()).blocks ? [verb] : [])))
  expect([...BLOCKING].sort()).toEqual(found.flat().sort())
})

test.for(['gc', 'fsck', 'mirror ../mirror'])('%s that is stopped at a terminal says what holds', async (command) => {
  const workspace = newWorkspace({ a: '1' })
  await workspace.tw(['snapshot'])
  const app = openApp({ home: workspace.home })
  onTestFinished(() => app.close())
  expect(app.records.leases.tryTake(COLLECT_LEASE, 'a test').taken).toBe(true)
  const env = { PATH: process.env.PATH ?? '', HOME: workspace.temp, TIMEWARP_HOME: workspace.home }
  const terminal = spawn(
    'script',
    ['-qefc', `trap : INT; "${LAUNCHER}" --no-daemon ${command}; echo "ended with $?"`, '/dev/null'],
    {
      cwd: workspace.root,
      env,
    },
  )
  onTestFinished(() => void terminal.kill('SIGKILL'))
  let shown = ''
  terminal.stdout.on('data', (part: Buffer) => (shown += part.toString()))
  // It waits for the lease, with nothing to do but to be killed.
  await new Promise((done) => setTimeout(done, 1500))
  terminal.stdin.write('\x03')
  await until('it has ended', () => /ended with \d+/.exec(shown) ?? undefined)
  expect(shown).toContain('Stopped. Nothing is half done')
  expect(shown).toContain('ended with 130')
})
