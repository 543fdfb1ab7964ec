import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withClient } from './kit.ts'
import type { ToolCall, Turn } from './model.ts'
import { type ScriptedCall, Story, startPerson } from './story.ts'
import { newTheatre, type Theatre } from './theatre.ts'

/** A long session of Claude Code with everything it can do, while a person edits other files. */

interface Act {
  readonly tool: ToolCall
  readonly kind: ScriptedCall['kind']
  readonly paths: readonly string[]
}

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

const turns = (acts: readonly (readonly Act[])[]): Turn[] => [
  ...acts.map((batch) => ({ tools: batch.map(({ tool }) => tool) })),
]

interface Said {
  readonly type: string
  readonly subtype?: string
  readonly session_id?: string
  readonly parent_tool_use_id?: string | null
  readonly timestamp?: string
  readonly message?: {
    readonly content: readonly { type: string; name?: string; id?: string; tool_use_id?: string; input?: object }[]
  }
}

/** The calls that were really made, with their ids and times, as the client's own output tells. */
function callsIn(stdout: string, acts: readonly { act: Act; by: string; prompt: string }[]): ScriptedCall[] {
  const said = stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Said] : []))
  const blocks = said.flatMap((one) =>
    (Array.isArray(one.message?.content) ? one.message.content : []).map((block) => ({
      ...block,
      at: Date.parse(one.timestamp ?? ''),
    })),
  )
  return acts.flatMap(({ act, by, prompt }) => {
    const begun = blocks.find(
      ({ type, name, input }) => type === 'tool_use' && name === act.tool.name && same(input, act.tool.input),
    )
    if (begun?.id === undefined) return []
    const ended = blocks.find(({ tool_use_id }) => tool_use_id === begun.id)
    // Of these no hook tells the end: it is told later, or there is only the next prompt.
    const isEndless = 'run_in_background' in (act.tool.input as object) || JSON.stringify(act.tool).includes('sleep 60')
    const to = (ended?.at ?? begun.at) + (isEndless ? 4000 : 0)
    return [{ id: begun.id, by, kind: act.kind, paths: act.paths, prompt, from: begun.at, to }]
  })
}

/** The client adds what it knows by itself. */
const same = (input: object | undefined, wanted: object | string): boolean =>
  Object.entries(wanted).every(([key, value]) => (input as Record<string, unknown> | undefined)?.[key] === value)

const line = (value: object): string => `${JSON.stringify(value)}\n`
const user = (content: string): string => line({ type: 'user', message: { role: 'user', content } })
const INTERRUPT = line({ type: 'control_request', request_id: 'i1', request: { subtype: 'interrupt' } })

/** Everything below a folder, with its content. */
function filesIn(root: string, theatre: Theatre): Record<string, string> {
  const found: Record<string, string> = {}
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(root.length + 1)
    if (entry.isFile() && !path.startsWith('.timewarp/')) found[path] = theatre.read(path)
  }
  return found
}

withClient('claude', () => {
  test('a session of more than 40 calls is told call by call, and taken back without the person’s work', async () => {
    const theatre = newTheatre({
      'base.txt': 'first\nsecond\nthird\n',
      'base.ipynb': NOTEBOOK,
      'base-move.txt': 'to be moved\n',
      'base-gone.txt': 'to be deleted\n',
    })
    theatre.guard('claude')
    const original = filesIn(theatre.ws, theatre)
    const a = new Acts(theatre)
    const [first, second, sub] = [firstTask(a), secondTask(a), subTask(a)]
    const mcp = join(theatre.dir, 'mcp.json')
    const server = { command: process.execPath, args: [join(import.meta.dirname, 'mini-mcp.ts')] }
    theatre.write(mcp, JSON.stringify({ mcpServers: { mini: server } }))
    const actor = theatre.actor('claude', '', {
      args: [
        ...['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
        ...['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash', 'mcp__mini', '--mcp-config', mcp],
      ],
      opening: user(TASK),
      cues: [
        { after: 'sleep 60', delay_ms: 2500, say: INTERRUPT },
        { after: '"type":"result"', delay_ms: 1500, say: user(NEXT) },
        { after: 'ALL-IS-DONE' },
      ],
    })
    const script = [
      { known_by: SUB, turns: [...turns(sub), { text: 'The sub-agent is done.' }] },
      { turns: [...turns(first), ...turns(second), { text: 'ALL-IS-DONE' }] },
    ]
    const endPerson = startPerson(theatre)
    const { first: played } = await theatre.play(script, actor)
    const deeds = await endPerson()
    expect(played.code).toBe(0)

    const acts = [
      ...first.flat().map((act) => ({ act, by: 'main', prompt: TASK })),
      ...second.flat().map((act) => ({ act, by: 'main', prompt: NEXT })),
      ...sub.flat().map((act) => ({ act, by: 'sub', prompt: TASK })),
    ]
    const calls = callsIn(played.stdout, acts)
    expect(calls.length).toBeGreaterThanOrEqual(40)
    const { sessions } = await theatre.call('session_list')
    const main = sessions.find((one: { parent_session_id: string | null }) => one.parent_session_id === null)
    const below = sessions.find((one: { parent_session_id: string | null }) => one.parent_session_id !== null)
    expect(sessions).toHaveLength(2)
    expect(below.parent_session_id).toBe(main.session_id)
    expect(main.prompts.map(({ text }: { text: string }) => text).toSorted()).toEqual([TASK, NEXT].toSorted())

    const story = await Story.of(theatre, calls, { main: main.session_id, sub: below.session_id })
    expect(story.mistakes()).toEqual([])
    await story.expectPerson(deeds)
    await story.expectPrompts()
    expect(theatre.tw('status').gaps).toEqual([])

    const before = filesIn(theatre.ws, theatre)
    const shared = story.sharedPaths()
    const reverted = theatre.tw('revert', `session:${main.session_id}`)
    expect(reverted.conflicts).toEqual([])
    const after = filesIn(theatre.ws, theatre)
    for (const [path, content] of Object.entries(before))
      if (path.startsWith('person/')) expect([path, after[path]]).toEqual([path, content])
    const touched = new Set(calls.flatMap(({ paths }) => paths).filter((path) => !shared.has(path)))
    expect(touched.size).toBeGreaterThanOrEqual(26)
    for (const path of touched) expect([path, after[path]]).toEqual([path, original[path]])
    expect(existsSync(join(theatre.ws, 'sh-never.txt'))).toBe(false)
  })
})
