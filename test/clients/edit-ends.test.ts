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
    command: '/bin/sh',
    args: ['-c', LATE, hook.command, ...hook.args],
    async: true,
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

  test('what it makes of files is known before, whatever they are made of', async () => {
    const files: Record<string, string | Buffer> = {
      'plain.txt': 'one\ntwo\n',
      'many.txt': 'a b a\n',
      'windows.txt': 'one\r\ntwo\r\n',
      'mixed.txt': 'one\r\ntwo\nthree\n',
      'marked.txt': '\ufeffone\ntwo\n',
      'wide.txt': Buffer.from('\ufeffone\r\ntwo\r\n', 'utf16le'),
      'less.txt': 'one\ntwo\nthree\n',
      'trailing.ts': 'one\ntwo\n',
      'over.txt': 'one\r\n',
      'marked-over.txt': '\ufeffone\n',
      'wide-over.txt': Buffer.from('\ufeffone\n', 'utf16le'),
    }
    const inputs: Record<string, object> = {
      'plain.txt': { old_string: 'two', new_string: "$& $' zwei" },
      'many.txt': { old_string: 'a', new_string: 'cc', replace_all: true },
      'windows.txt': { old_string: 'one\ntwo', new_string: 'eins\nzwei\ndrei' },
      'mixed.txt': { old_string: 'two', new_string: 'zwei\nmore' },
      'marked.txt': { old_string: 'one', new_string: 'eins' },
      'wide.txt': { old_string: 'two', new_string: 'zwei ü' },
      'less.txt': { old_string: 'two', new_string: '' },
      'trailing.ts': { old_string: 'two', new_string: 'zwei   \nx\t' },
      'new.txt': { old_string: '', new_string: 'fresh\n' },
      'over.txt': { content: 'eins\n' },
      'marked-over.txt': { content: 'eins\n' },
      'wide-over.txt': { content: 'eins\n' },
    }
    const theatre = newTheatre({})
    for (const [path, content] of Object.entries(files)) writeFileSync(join(theatre.ws, path), content)
    theatre.guard('claude')
    const acts = Object.entries(inputs).map(([path, input]): Act => {
      const file_path = join(theatre.ws, path)
      return {
        tool: { name: 'content' in input ? 'Write' : 'Edit', input: { file_path, ...input } },
        kind: 'edit',
        paths: [path],
      }
    })
    const reads = Object.keys(files).map((path): Act => {
      return { tool: { name: 'Read', input: { file_path: join(theatre.ws, path) } }, kind: 'other', paths: [] }
    })
    const part = partOf('main', ['Do it', [reads, ...acts.map((act) => [act])]])
    // Nobody thinks: each edit is over when the next one begins, whether or not its end was found.
    const turns = [...turnsOf(part), { text: 'Done.' }].map((turn) => ({ ...turn, delay_ms: 0 }))
    const { given } = await theatre.play([{ turns }], theatre.actor('claude', 'Do it'))
    const told = (await theatre.timeline()).flatMap(({ cause, affected_files }) =>
      cause.role === 'change' && affected_files.length === 1 ? [[affected_files[0], cause.call_id]] : [],
    )
    const made = callsIn([part], given).filter(({ kind }) => kind === 'edit')
    expect(told).toEqual(made.map(({ id, paths }) => [paths[0], id]))
    expect(made).toHaveLength(12)
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
