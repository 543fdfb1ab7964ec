import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withClient } from './kit.ts'
import { type Act, callsIn, filesIn, partOf, Story, startPerson, turnsOf } from './story.ts'
import { newTheatre, type Theatre } from './theatre.ts'

/** A long session of Claude Code with everything it can do, while a person edits other files. */

class Acts {
  readonly #ws: string
  constructor({ ws }: Theatre) {
    this.#ws = ws
  }
  write = (path: string, content: string): Act => ({
    tool: { name: 'Write', input: { file_path: join(this.#ws, path), content } },
    kind: 'edit',
    paths: [path],
  })
  edit = (path: string, old_string: string, new_string: string): Act => ({
    tool: { name: 'Edit', input: { file_path: join(this.#ws, path), old_string, new_string } },
    kind: 'edit',
    paths: [path],
  })
  read = (path: string): Act => ({
    tool: { name: 'Read', input: { file_path: join(this.#ws, path) } },
    kind: 'edit',
    paths: [],
  })
  cell = (path: string, new_source: string): Act => ({
    tool: { name: 'NotebookEdit', input: { notebook_path: join(this.#ws, path), cell_id: 'c1', new_source } },
    kind: 'edit',
    paths: [path],
  })
  bash = (command: string, paths: readonly string[], more: object = {}): Act => ({
    tool: { name: 'Bash', input: { command, description: 'a command', ...more } },
    kind: 'shell',
    paths,
    ...('run_in_background' in more ? { lasts_ms: 4000 } : {}),
  })
  note = (path: string): Act => ({
    tool: { name: 'mcp__mini__note', input: { path: join(this.#ws, path), text: 'noted\n' } },
    kind: 'other',
    paths: [path],
  })
  other = (name: string, input: Record<string, unknown>): Act => ({ tool: { name, input }, kind: 'edit', paths: [] })
}

const TASK = 'Please do the first task'
const NEXT = 'Please do the second task'
const SUB = 'SUB-AGENT-TASK'
const NOTEBOOK = `{"cells":[{"cell_type":"code","id":"c1","metadata":{},"execution_count":null,"outputs":[],"source":["x=1"]}],"metadata":{},"nbformat":4,"nbformat_minor":5}\n`

function firstTask(a: Acts): Act[][] {
  return [
    ...[1, 2, 3, 4, 5].map((n) => [a.write(`edit-${n}.txt`, `one ${n}\ntwo ${n}\n`)]),
    ...[1, 2, 3, 4].map((n) => [a.edit(`edit-${n}.txt`, `two ${n}`, `zwei ${n}`)]),
    [a.read('base.txt')],
    [a.edit('base.txt', 'second', 'zweite')],
    [a.read('base.ipynb')],
    [a.cell('base.ipynb', 'x=2')],
    [a.bash('echo new > sh-1.txt', ['sh-1.txt'])],
    [a.bash("sed -i 's/new/newer/' sh-1.txt", ['sh-1.txt'])],
    [a.bash('mkdir -p sh-dir/deep && printf "a\\nb\\n" > sh-dir/deep/f.txt', ['sh-dir/deep/f.txt'])],
    [a.bash('mv base-move.txt sh-moved.txt', ['base-move.txt', 'sh-moved.txt'])],
    [a.bash('rm base-gone.txt', ['base-gone.txt'])],
    [a.bash('echo half > sh-half.txt; exit 3', ['sh-half.txt'])],
    [a.bash('sleep 1.5; echo bg > bg-1.txt', ['bg-1.txt'], { run_in_background: true })],
    ...[6, 7, 8].map((n) => [a.write(`edit-${n}.txt`, `meanwhile ${n}\n`)]),
    [a.other('Agent', { description: 'sub', prompt: SUB, subagent_type: 'general-purpose' })],
    [a.bash('sleep 3; cat base.txt', [])],
    [a.note('mcp-1.txt')],
    [a.note('mcp-2.txt')],
    [
      a.write('edit-9.txt', 'nine\n'),
      a.write('edit-10.txt', 'ten\n'),
      a.bash('echo b > sh-batch.txt', ['sh-batch.txt']),
    ],
    [a.other('Nope', {})],
    [a.edit('edit-5.txt', 'not in it', 'x')],
    [a.bash('echo begun > sh-cut.txt; sleep 60; echo never > sh-never.txt', ['sh-cut.txt'])],
  ]
}

const secondTask = (a: Acts): Act[][] => [
  ...[11, 12, 13, 14].map((n) => [a.write(`edit-${n}.txt`, `after ${n}\n`)]),
  [a.edit('edit-1.txt', 'one 1', 'eins 1')],
  [a.bash('echo late > sh-late.txt', ['sh-late.txt'])],
  [a.bash('rm edit-2.txt', ['edit-2.txt'])],
  [a.write('edit-15.txt', 'last\n')],
]

const subTask = (a: Acts): Act[][] => [
  [a.write('sub-edit.txt', 'sub\n')],
  [a.bash('echo sub > sub-sh.txt', ['sub-sh.txt'])],
  [a.edit('sub-edit.txt', 'sub', 'below')],
]

const line = (value: object): string => `${JSON.stringify(value)}\n`
const user = (content: string): string => line({ type: 'user', message: { role: 'user', content } })
const INTERRUPT = line({ type: 'control_request', request_id: 'i1', request: { subtype: 'interrupt' } })

withClient('claude', () => {
  test('a session of more than 40 calls is told call by call, and taken back without the person’s work', async () => {
    const theatre = newTheatre({
      'base.txt': 'first\nsecond\nthird\n',
      'base.ipynb': NOTEBOOK,
      'base-move.txt': 'to be moved\n',
      'base-gone.txt': 'to be deleted\n',
    })
    theatre.guard('claude')
    const original = filesIn(theatre)
    const a = new Acts(theatre)
    const sub = partOf('sub', [TASK, subTask(a)])
    const main = partOf('main', [TASK, firstTask(a)], [NEXT, secondTask(a)])
    const mcp = join(theatre.dir, 'mcp.json')
    const server = { command: process.execPath, args: [join(import.meta.dirname, 'mini-mcp.ts')] }
    theatre.write(mcp, JSON.stringify({ mcpServers: { mini: server } }))
    const actor = theatre.actor('claude', '', {
      args: [
        '-p',
        '--input-format',
        'stream-json',
        '--output-format',
        'stream-json',
        '--verbose',
        '--permission-mode',
        'acceptEdits',
        '--allowedTools',
        'Bash',
        'mcp__mini',
        '--mcp-config',
        mcp,
      ],
      opening: user(TASK),
      cues: [
        { after: 'sleep 60', delay_ms: 2500, say: INTERRUPT },
        { after: '"type":"result"', delay_ms: 1500, say: user(NEXT) },
        { after: 'ALL-IS-DONE' },
      ],
    })
    const script = [
      { known_by: SUB, turns: [...turnsOf(sub), { text: 'The sub-agent is done.' }] },
      { turns: [...turnsOf(main), { text: 'ALL-IS-DONE' }] },
    ]
    const endPerson = startPerson(theatre)
    const { first: played, given } = await theatre.play(script, actor)
    const deeds = await endPerson()
    expect(played.code).toBe(0)

    const calls = callsIn([sub, main], given)
    expect(calls.length).toBeGreaterThanOrEqual(40)
    const { sessions } = await theatre.call('session_list')
    const top = sessions.find((one: { parent_session_id: string | null }) => one.parent_session_id === null)
    const below = sessions.find((one: { parent_session_id: string | null }) => one.parent_session_id !== null)
    expect(sessions).toHaveLength(2)
    expect(below.parent_session_id).toBe(top.session_id)
    expect(top.prompts.map(({ text }: { text: string }) => text).toSorted()).toEqual([TASK, NEXT].toSorted())

    const story = await Story.of(theatre, calls, { main: top.session_id, sub: below.session_id })
    expect(story.mistakes()).toEqual([])
    await story.expectPerson(deeds)
    await story.expectPrompts()
    expect(theatre.tw('status').gaps).toEqual([])
    story.expectReverted(top.session_id, original, 26)
    expect(existsSync(join(theatre.ws, 'sh-never.txt'))).toBe(false)
  })
})
