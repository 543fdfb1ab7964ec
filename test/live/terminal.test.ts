import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SERVICES } from '../../src/cli/context.ts'
import type { Io } from '../../src/cli/io.ts'
import { runCli } from '../../src/cli/run.ts'
import { newWorkspace, type Workspace } from '../kit/workspace.ts'
import { LAUNCHER } from '../mcp/kit.ts'
import { newLive } from './kit.ts'

/** Sequences that steer terminals, deceive readers, or forge lines. */
const HOSTILE: readonly string[] = [
  '\x1b[2J',
  '\x1b[31m',
  '\x1b]0;title\x07',
  '\x1b]52;c;cHduZWQ=\x07',
  '\x1b]8;;http://evil\x1b\\',
  '\x1bP+q\x1b\\',
  '\x1b[6n',
  '\x1b[?1049h',
  '\x1b_x\x1b\\',
  '\x1b^x\x1b\\',
  '\x1bc',
  '\x1b(0',
  '\x9b31m',
  '\x9d0;x\x9c',
  '\x90q\x9c',
  '\x07',
  '\b\b\b',
  '\rover',
  '\x0b',
  '\x0c',
  '\x7f',
  '\x0e',
  '\u202e',
  '\u202a',
  '\u202d',
  '\u2066',
  '\u2067',
  '\u2068',
  '\u2069',
  '\u200e',
  '\u200f',
  '\u061c',
  '\u200b',
  '\u2060',
  '\ufeff',
  '\u00ad',
  '\u2028',
  '\u2029',
  '\u{e0041}',
  '\u3164',
  '\u180e',
]
const LINES = '\nError: forged\nHint: timewarp forget .'
const ALL = `x${HOSTILE.join('.')}y`
/** What a file can be called. */
const NAME = `n${HOSTILE.filter((text) => !text.includes('/')).join('.')}${LINES}`.slice(0, 60)

/** What a terminal may get: text, and colours of ours. */
function expectSafe(what: string, bytes: Uint8Array): void {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  // Colours, and the line that progress writes over.
  // oxlint-disable-next-line no-control-regex -- codes are what is looked for
  const bare = text.replace(/\x1b\[\d{0,2}m|\r\x1b\[2K/g, '').replaceAll('\r\n', '\n')
  const found = /(?![\t\n])\p{Cc}|\p{Cf}|[\u2028\u2029\u3164]/u.exec(bare)
  expect(found && `${what}: ${JSON.stringify(bare.slice(Math.max(0, found.index - 40), found.index + 40))}`).toBeNull()
  expect(
    bare.split('\n').filter((line) => /^(Error: forged|Hint: timewarp forget)/.test(line)),
    what,
  ).toEqual([])
}

interface Screen {
  readonly out: Buffer
  readonly err: Buffer
}

async function onTerminal(workspace: Workspace, argv: readonly string[], over: Partial<Io> = {}): Promise<Screen> {
  const out: Uint8Array[] = []
  const err: Uint8Array[] = []
  let time = 0
  const io: Io = {
    out: (data) => void out.push(Buffer.from(data as string)),
    err: (text) => void err.push(Buffer.from(text)),
    stdin: async () => Buffer.from(ALL),
    cwd: workspace.root,
    program: '/program/main.cjs',
    env: { HOME: join(workspace.temp, 'user'), TIMEWARP_HOME: workspace.home },
    outIsTerminal: true,
    errIsTerminal: true,
    columns: 80,
    now: () => (time += 1000),
    pause: async () => {},
    interrupted: new Promise(() => {}),
    ...over,
  }
  await runCli(['--no-daemon', ...argv], io, SERVICES)
  return { out: Buffer.concat(out), err: Buffer.concat(err) }
}

/** A workspace in which everything that can be hostile is. */
async function hostileWorkspace(workspace: Workspace): Promise<{ milestone: string; issue: string; first: string }> {
  const text = `one\n${ALL}\n`
  workspace.write({
    [NAME]: text,
    'raw.txt': Buffer.concat([Buffer.from(text), Buffer.of(0x9b, 0x33, 0x31, 0x6d, 0xff)]),
  })
  const session_id = `s ${ALL}${LINES}`
  await workspace.call('timewarp_session_start', { session_id, initial_task_hint: ALL })
  await workspace.call('record_event', { event: 'prompt', session_id, prompt: `${ALL}${LINES}` })
  const first = await workspace.snapshot(`l ${ALL}${LINES}`.slice(0, 150))
  workspace.write({ [NAME]: `two\n${ALL}\n`, 'raw.txt': Buffer.of(0x9b, 0x41, 0x0a) })
  await workspace.call('snapshot', {
    description: `d ${ALL}${LINES}`,
    tool: `t ${ALL}${LINES}`,
    actor: `a ${ALL}${LINES}`,
  })
  const m = await workspace.call('create_milestone', { title: `m ${ALL}`.slice(0, 150), description: `${ALL}${LINES}` })
  const friction = { task_context: `${ALL}${LINES}`, symptom: `${ALL}${LINES}` }
  const i = await workspace.call('timewarp_issue_report', {
    ...friction,
    success_criteria: `npm test passes ${ALL}${LINES}`,
  })
  workspace.write({ [NAME]: `three\n${ALL}\n` })
  return { milestone: m.milestone_id, issue: i.issue_id, first }
}

test('a terminal gets no code but our colours, whatever names, labels, prompts and contents hold', async () => {
  const workspace = newWorkspace()
  const { milestone, issue, first } = await hostileWorkspace(workspace)
  await workspace.close()
  const commands: string[][] = [
    ['log'],
    ['log', '--include-diffs'],
    ['show', 'latest'],
    ['show', first],
    ['status'],
    ['sessions'],
    ['stats'],
    ['diff', first],
    ['diff', first, 'latest', '--format', 'context'],
    ['diff', first, '--name-only'],
    ['diff', first, '--format', 'git'],
    ['changes', 'latest'],
    ['changes', first],
    ['cat', first, NAME],
    ['cat', first, 'raw.txt'],
    ['cat', 'latest', 'raw.txt'],
    ['blame', NAME],
    ['blame', 'raw.txt'],
    ['history', NAME],
    ['milestones', '--include-diffs'],
    ['show-milestone', milestone],
    ['issues', '--status', 'all'],
    ['show-issue', issue],
    ['experiments'],
    ['restore', first, '--dry-run'],
    ['undo', '--dry-run'],
    ['revert', 'latest', '--dry-run'],
    ['write', NAME, ALL, '--dry-run'],
    ['prune', '--dry-run'],
    ['fsck'],
    ['forget', NAME, '--dry-run'],
    ['redact'],
    ['redact', '--text', ALL],
    ['oops'],
    ['workspaces'],
    ['config'],
    ['statusline'],
    ['guard', 'judge', `rm ${NAME}`],
    ['rewind', '--to', 'last', '--dry-run'],
    ['experiment-run', `printf '%b' '\\033[2J\\0233'`],
    // Refusals repeat what was typed.
    [`no${NAME}`],
    ['show', NAME],
    ['cat', first, `no${NAME}`],
    [`--${NAME}`],
    ['help', NAME],
    ['call', NAME],
    ['hook', NAME],
    ['restore', first, `no${NAME}`],
    ['mirror', join(workspace.root, NAME)],
    ['-C', `/no${NAME}`, 'status'],
    ['call', 'log', ALL],
    ['undo'],
    ['label', first, `z${ALL}${LINES}`.slice(0, 190)],
    ['restore', first],
  ]
  for (const command of commands)
    for (const more of [[], ['--json']]) {
      const { out, err } = await onTerminal(workspace, [...command, ...more])
      expectSafe(`${command.join(' ')} ${more.join('')} out`, out)
      expectSafe(`${command.join(' ')} ${more.join('')} err`, err)
      expect(out.length + err.length, command.join(' ')).toBeGreaterThan(0)
    }
  for (const command of [['diff', first], ['log']])
    expectSafe(
      'without colours',
      (await onTerminal(workspace, command, { env: { NO_COLOR: '1', HOME: '/', TIMEWARP_HOME: workspace.home } })).out,
    )
})

test('a pipe gets the bytes where bytes are the answer, and else lines that nobody forged', async () => {
  const workspace = newWorkspace()
  const { first } = await hostileWorkspace(workspace)
  await workspace.close()
  const pipe = { outIsTerminal: false, errIsTerminal: false }
  expect((await onTerminal(workspace, ['cat', 'latest', 'raw.txt'], pipe)).out).toEqual(Buffer.of(0x9b, 0x41, 0x0a))
  expect((await onTerminal(workspace, ['diff', first], pipe)).out.toString()).toContain(ALL)
  for (const command of [
    ['log'],
    ['show', first],
    ['status'],
    ['sessions'],
    ['restore', first, '--dry-run'],
    ['cat', first, `no${NAME}`],
  ]) {
    const { out, err } = await onTerminal(workspace, command, pipe)
    expectSafe(command.join(' '), out)
    expectSafe(command.join(' '), err)
  }
  const { out } = await onTerminal(workspace, ['diff', first, '--name-only'], pipe)
  expect(out.toString()).toContain('\\033[2J')
})

test.skipIf(!existsSync('/usr/bin/script'))('on a real terminal, by the daemon and without it', async () => {
  const live = newLive({})
  const { first } = await hostileWorkspace(live.workspace)
  await live.workspace.close()
  await live.serve()
  for (const daemon of ['on', 'off'])
    for (const command of [
      'log',
      `diff ${first}`,
      'changes latest',
      'status',
      `cat ${first} raw.txt`,
      'cat latest raw.txt',
      'show nothing',
    ]) {
      const typed = `${LAUNCHER} ${command}`
      const env = live.environment({ TIMEWARP_DAEMON: daemon, TERM: 'xterm' })
      const { stdout } = spawnSync('script', ['-qec', typed, '/dev/null'], { cwd: live.root, env, input: '' })
      expectSafe(`${command}, daemon ${daemon}`, stdout)
      expect(stdout.length, command).toBeGreaterThan(5)
    }
})
