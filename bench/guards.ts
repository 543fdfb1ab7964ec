import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientProgram, howToGet } from '../scripts/clients.ts'
import { type Conversation, serveModel, type ToolCall } from '../test/clients/model.ts'
import { InodeWatch } from './inodes.ts'
import { describeMachine } from './machine.ts'
import { copyProgram } from './program.ts'
import { median } from './reaches.ts'
import { makeTree } from './tree.ts'

/**
 * What a guard costs inside a real client: the same scripted session of Claude Code in a large tree, with no hooks, with
 * Timewarp's, and with hooks that commit to a shadow git repository. Measured is the time between two requests to the
 * model: one call of a tool with everything around it.
 */

interface Place {
  readonly dir: string
  readonly tree: string
  readonly claude: string
}

interface Contestant {
  readonly name: string
  /** Hooks for the client's settings; without them its guard is installed. */
  readonly hooks?: object
}

const CALLS = 32
const REACH = { addedMs: 15, times: 20 }

const env = ({ dir }: Place, more: Record<string, string> = {}): Record<string, string> => ({
  PATH: `${process.execPath.slice(0, process.execPath.lastIndexOf('/'))}:${process.env['PATH'] ?? ''}`,
  HOME: join(dir, 'user'),
  TIMEWARP_HOME: join(dir, 'store'),
  GIT_CONFIG_NOSYSTEM: '1',
  LANG: 'C.UTF-8',
  SHELL: '/bin/bash',
  ANTHROPIC_API_KEY: 'none',
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  ...more,
})

/** What agents do all day: every second call edits a file, every fourth is a command that writes one, every fourth one that reads. */
const KINDS = ['edit', 'command that writes', 'edit', 'command that reads'] as const

const kindOf = (call: number): (typeof KINDS)[number] => KINDS[call % KINDS.length] ?? 'edit'

/** What is written is a file of its own each time, so that there is something to capture. */
const script = (tree: string, round: string): Conversation => ({
  turns: [
    ...Array.from({ length: CALLS }, (_, i) => ({ tools: [callOf(join(tree, `bench-${round}`), i)] })),
    { text: 'Done.' },
  ],
})

function callOf(dir: string, call: number): ToolCall {
  const [kind, file_path] = [kindOf(call), join(dir, `f${call}.txt`)]
  if (kind === 'edit') return { name: 'Write', input: { file_path, content: `${call}\n` } }
  const command = kind === 'command that reads' ? `ls ${dir}` : `echo ${call} > ${file_path}`
  return { name: 'Bash', input: { command, description: kind } }
}

/** The milliseconds that each call of one session took. */
async function play(place: Place, { name }: Contestant, settings: string, round: string): Promise<number[]> {
  const model = await serveModel([script(place.tree, `${name}-${round}`)])
  const args = ['-p', 'go', '--permission-mode', 'acceptEdits', '--allowedTools', 'Bash', '--settings', settings]
  const child = spawn(place.claude, args, {
    cwd: place.tree,
    env: env(place, {
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.port}`,
      CLAUDE_CONFIG_DIR: join(place.dir, `config-${name}`),
    }),
    stdio: 'ignore',
  })
  const code = await new Promise((done) => child.on('close', done))
  model.close()
  if (code !== 0) throw new Error(`${name} ended with ${String(code)}`)
  const times = model.given.filter(({ conversation }) => conversation === 0).map(({ at }) => at)
  return times.slice(1).map((at, i) => at - (times[i] ?? at))
}

/** Commits everything into a repository beside the tree, as many checkpoint tools do. */
function shadowGit(place: Place): object {
  const [file, repository] = [join(place.dir, 'shadow.sh'), join(place.dir, 'shadow.git')]
  const git = `git --git-dir=${repository} --work-tree=${place.tree}`
  writeFileSync(file, `#!/bin/sh\n${git} add -A && ${git} commit -q --allow-empty -m checkpoint\n`)
  chmodSync(file, 0o755)
  spawnSync('git', ['init', '-q', '--bare', repository], { env: env(place) })
  for (const [key, value] of [
    ['user.name', 'bench'],
    ['user.email', 'bench@localhost'],
    ['feature.manyFiles', 'true'],
  ] as const)
    spawnSync('git', ['--git-dir', repository, 'config', key, value], { env: env(place) })
  spawnSync(file, { env: env(place) })
  return hooksOf({ type: 'command', command: file, args: [] })
}

const hooksOf = (hook: object): object => ({
  PreToolUse: [{ hooks: [hook] }],
  PostToolUse: [{ hooks: [hook] }],
})

export async function benchGuards(options: {
  files: number
  rounds: number
  dir: string
  strict: boolean
}): Promise<number> {
  const claude = clientProgram('claude')
  if (claude === undefined) throw new Error(howToGet('claude'))
  const dir = mkdtempSync(join(options.dir, 'timewarp-guards-'))
  const place: Place = { dir, tree: join(dir, 'tree'), claude }
  mkdirSync(join(dir, 'user'))
  const program = copyProgram(join(dir, 'program')).launcher
  try {
    await new InodeWatch(describeMachine(dir), dir).settle(say)
    say(`making ${options.files} files in ${dir}`)
    await makeTree(place.tree, options.files)
    const timewarp = (...words: string[]) =>
      spawnSync(program, ['-C', place.tree, ...words], {
        env: env(place, { CLAUDE_CONFIG_DIR: join(dir, 'config-timewarp') }),
      })
    timewarp('up')
    timewarp('guard', 'install', 'claude')
    const quick: Contestant[] = [
      { name: 'none', hooks: {} },
      { name: 'true', hooks: hooksOf({ type: 'command', command: '/bin/true', args: [] }) },
      { name: 'timewarp' },
    ]
    // What was written by now is not to be waited for later.
    spawnSync('sync')
    // A round that does not count: a daemon lives for days, and is slow in its first minute as every young program.
    await allRounds(place, quick, ['warm'])
    const times = await allRounds(
      place,
      quick,
      Array.from({ length: options.rounds }, (_, i) => `${i}`),
    )
    // Once, and last: it keeps the disk busy for whoever comes after it.
    const git = { name: 'git', hooks: shadowGit(place) }
    for (const [name, sessions] of await allRounds(place, [git], ['0'])) times.set(name, sessions)
    timewarp('daemon', 'stop')
    return report(times, options) || !options.strict ? 0 : 1
  } finally {
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** By contestant, session by session, how long each call took. */
type Times = Map<string, readonly (readonly number[])[]>

async function allRounds(place: Place, contestants: readonly Contestant[], rounds: readonly string[]): Promise<Times> {
  const times = new Map<string, number[][]>()
  for (const round of rounds)
    for (const contestant of contestants) {
      const settings = join(place.dir, `settings-${contestant.name}.json`)
      writeFileSync(settings, JSON.stringify(contestant.hooks ? { hooks: contestant.hooks } : {}))
      const more = await play(place, contestant, settings, round)
      say(`${contestant.name}: ${(median(more) ?? 0).toFixed(1)} ms a call`)
      times.set(contestant.name, [...(times.get(contestant.name) ?? []), more])
    }
  return times
}

/** What each call took longer than the same call without hooks a moment before. The first one has things to set up. */
function addedBy(times: Times, name: string): { kind: string; ms: number }[] {
  const without = times.get('none') ?? []
  return (times.get(name) ?? []).flatMap((session, round) =>
    session.map((ms, call) => ({ kind: kindOf(call), ms: ms - (without[round]?.[call] ?? ms) })).slice(1),
  )
}

function report(times: Times, options: { files: number }): boolean {
  const added = (name: string, kind?: string): number =>
    median(addedBy(times, name).flatMap((call) => (kind === undefined || call.kind === kind ? call.ms : []))) ?? 0
  const lineOf = (name: string): string => {
    const kinds = [...new Set(KINDS)].map((kind) => `${kind} ${added(name, kind).toFixed(1)}`)
    return `  ${name.padEnd(10)} ${added(name).toFixed(1)} ms (${kinds.join(', ')})`
  }
  const factor = added('git') / Math.max(0.1, added('timewarp'))
  const none = median((times.get('none') ?? []).flat()) ?? 0
  process.stdout.write(
    `Added time per tool call of Claude Code, median of ${addedBy(times, 'timewarp').length} calls, ${options.files} files:\n` +
      `${['true', 'timewarp', 'git'].map(lineOf).join('\n')}\n` +
      `Shadow git takes ${factor.toFixed(0)} times as long. Without hooks a call takes ${none.toFixed(1)} ms.\n`,
  )
  const isReached = added('timewarp') < REACH.addedMs && factor >= REACH.times
  if (!isReached) process.stdout.write(`The reach is under ${REACH.addedMs} ms and ${REACH.times} times less.\n`)
  return isReached
}

const say = (text: string): void => void process.stderr.write(`${text}\n`)
