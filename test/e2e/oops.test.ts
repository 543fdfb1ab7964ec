import { expect, test } from 'vitest'
import type { Io } from '../../src/cli/io.ts'
import { runCli } from '../../src/cli/run.ts'
import { newWorkspace, type Workspace } from '../kit/workspace.ts'

/** Runs a command line in this process, with a real store. */
async function run({ root, home }: Workspace, argv: readonly string[], key?: string) {
  let out = ''
  const io: Io = {
    out: (data) => void (out += Buffer.from(data).toString()),
    err: () => {},
    stdin: async () => new Uint8Array(),
    ...(key === undefined ? {} : { key: async () => key }),
    cwd: root,
    program: '',
    env: { TIMEWARP_HOME: home, TIMEWARP_DAEMON: 'off' },
    outIsTerminal: false,
    errIsTerminal: false,
    columns: 80,
    now: () => performance.now(),
    pause: async () => {},
    interrupted: new Promise(() => {}),
  }
  return { code: await runCli(argv, io), out }
}

test('oops takes back what a session did and keeps what came later, also after an undo', async () => {
  const workspace = newWorkspace({ 'a.txt': 'one\n', 'b.txt': 'b\n' })
  await workspace.snapshot()
  workspace.write({ 'b.txt': 'by hand\n' })
  await workspace.snapshot()
  await workspace.call('apply_whole_file_edit', { path: 'a.txt', content: 'spoilt\n', session_id: 'sess_1' })
  await workspace.call('delete', { path: 'b.txt', session_id: 'sess_1' })
  workspace.write({ 'later.txt': 'later\n' })
  await workspace.close()
  const files = () => ['a.txt', 'b.txt', 'later.txt'].map((path) => (workspace.has(path) ? workspace.read(path) : ''))

  expect(JSON.parse((await run(workspace, ['oops', '--json'])).out)).toMatchObject({
    of: 'session',
    session_id: 'sess_1',
    changes: [{ tool: 'delete', affected_files: ['b.txt'] }, { affected_files: ['a.txt'] }],
    dry_run: true,
  })
  await run(workspace, ['oops'], 'n')
  expect(files()).toEqual(['spoilt\n', '', 'later\n'])
  expect((await run(workspace, ['oops'], 'y')).code).toBe(0)
  expect(files()).toEqual(['one\n', 'by hand\n', 'later\n'])
  expect((await run(workspace, ['undo'])).code).toBe(0)
  expect(files()).toEqual(['spoilt\n', '', 'later\n'])
  expect((await run(workspace, ['oops', '--yes'])).code).toBe(0)
  expect(files()).toEqual(['one\n', 'by hand\n', 'later\n'])
})
