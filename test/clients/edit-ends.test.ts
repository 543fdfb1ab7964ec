import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withClient } from './kit.ts'
import { type Act, callsIn, partOf, Story, turnsOf } from './story.ts'
import { newTheatre, type Theatre } from './theatre.ts'

/** Claude Code is not asked to tell the end of an edit; hooks of earlier times do, and may be late. */

const EDITS = '^(?:Write|Edit|MultiEdit|NotebookEdit)$'
const LATE = 'sleep 0.05; exec "$0" "$@"'

/** Lets ends be told as they once were, in the background, but later than they ever were. */
function tellEnds(theatre: Theatre): void {
  const file = join(theatre.user, 'claude/settings.json')
  const { hooks } = JSON.parse(theatre.read(file)) as {
    hooks: { PostToolUse: { matcher: string; hooks: { command: string; args: string[] }[] }[] }
  }
  const late = hooks.PostToolUse.flatMap((entry) => entry.hooks).map((hook) => ({
    ...hook,
    ...{ command: '/bin/sh', args: ['-c', LATE, hook.command, ...hook.args], async: true },
  }))
  hooks.PostToolUse.push({ matcher: EDITS, hooks: late })
  writeFileSync(file, JSON.stringify({ hooks }))
}

const writeOf = (theatre: Theatre, path: string, content = `${path}\n`): Act => ({
  tool: { name: 'Write', input: { file_path: join(theatre.ws, path), content } },
  kind: 'edit',
  paths: [path],
})

withClient('claude', () => {
  test.each([
    ['on', 'not at all'],
    ['off', 'not at all'],
    ['on', 'late'],
    ['off', 'late'],
  ])('what follows an edit is not told to be of it: daemon %s, its end told %s', async (daemon, end) => {
    const theatre = newTheatre({ 'make.sh': 'echo "$1" >> "$1"\n' })
    theatre.guard('claude')
    if (end === 'late') tellEnds(theatre)
    const write = (path: string): Act => writeOf(theatre, path)
    const bash = (command: string, ...paths: string[]): Act => ({
      tool: { name: 'Bash', input: { command, description: 'x' } },
      kind: 'shell',
      paths,
    })
    const batch = (n: number): Act[] => [
      write(`a${n}.txt`),
      bash(`sed -i s/a/b/ a${n}.txt`, `a${n}.txt`),
      write(`b${n}.txt`),
      bash(`sh make.sh b${n}.txt`, `b${n}.txt`),
      write(`c${n}.txt`),
      write(`d${n}.txt`),
      bash(`cat c${n}.txt`),
    ]
    const part = partOf('main', ['Do it', [[1, 2, 3].flatMap(batch), batch(4), [write('last.txt')]]])
    const { first, given } = await theatre.play(
      [{ turns: [...turnsOf(part), { text: 'Done.' }] }],
      theatre.actor('claude', 'Do it', { env: { TIMEWARP_DAEMON: daemon } }),
    )
    expect(first.code).toBe(0)
    const calls = callsIn([part], given)
    const { sessions } = await theatre.call('session_list')
    const story = await Story.of(theatre, calls, { main: sessions[0].session_id })
    expect(story.mistakes()).toEqual([])
    const told = story.timeline.flatMap(({ cause, affected_files }) =>
      cause.role === 'change' && cause.call_id ? [[cause.call_id, affected_files]] : [],
    )
    const made = calls.filter(({ paths }) => paths.length > 0).map(({ id, paths }) => [id, paths])
    expect(told).toEqual(made)
    expect(theatre.tw('status').gaps).toEqual([])
  })

  test.each(['on', 'off'])(
    'what a person makes of the same file before the next call is theirs: daemon %s',
    async (daemon) => {
      const theatre = newTheatre({ 'b.txt': 'one\ntwo\n' })
      theatre.guard('claude')
      const file_path = join(theatre.ws, 'b.txt')
      const acts: Act[] = [
        writeOf(theatre, 'a.txt', 'agent\n'),
        { tool: { name: 'Read', input: { file_path } }, kind: 'other', paths: [] },
        {
          tool: { name: 'Edit', input: { file_path, old_string: 'one', new_string: 'agent' } },
          kind: 'edit',
          paths: ['b.txt'],
        },
        writeOf(theatre, 'c.txt'),
      ]
      const part = partOf('main', ['Do it', acts.map((act) => [act])])
      const turns = [...turnsOf(part), { text: 'Done.' }].map((turn) => ({ ...turn, delay_ms: 1500 }))
      const play = theatre.play([{ turns }], theatre.actor('claude', 'Do it', { env: { TIMEWARP_DAEMON: daemon } }))
      for (const [path, made] of [
        ['a.txt', 'agent\n'],
        ['b.txt', 'agent\ntwo\n'],
      ] as const) {
        await expect
          .poll(() => existsSync(join(theatre.ws, path)) && theatre.read(path), { timeout: 20_000 })
          .toBe(made)
        await new Promise((done) => setTimeout(done, 700))
        theatre.write(path, `${made}person\n`)
      }
      const { first, given } = await play
      expect(first.code).toBe(0)
      const ids = callsIn([part], given).map(({ id }) => id)
      const told = (await theatre.timeline()).flatMap(({ cause, affected_files }) =>
        cause.role === 'change' && affected_files.length > 0 ? [[cause.call_id, cause.shared, affected_files]] : [],
      )
      expect(told.slice(-5)).toEqual([
        [ids[0], undefined, ['a.txt']],
        [undefined, undefined, ['a.txt']],
        [ids[2], undefined, ['b.txt']],
        [undefined, undefined, ['b.txt']],
        [ids[3], undefined, ['c.txt']],
      ])
    },
  )
})
