import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withClient } from './kit.ts'
import { type Act, callsIn, filesIn, partOf, Story, startPerson, turnsOf } from './story.ts'
import { newTheatre, type Theatre } from './theatre.ts'

/** A long session of opencode with everything it can do, while a person edits other files. */

class Acts {
  readonly #ws: string
  constructor({ ws }: Theatre) {
    this.#ws = ws
  }
  write = (path: string, content: string): Act => ({
    tool: { name: 'write', input: { filePath: join(this.#ws, path), content } },
    kind: 'edit',
    paths: [path],
  })
  edit = (path: string, oldString: string, newString: string): Act => ({
    tool: { name: 'edit', input: { filePath: join(this.#ws, path), oldString, newString } },
    kind: 'edit',
    paths: [path],
  })
  read = (path: string): Act => this.other('read', { filePath: join(this.#ws, path) })
  bash = (command: string, paths: readonly string[]): Act => ({
    tool: { name: 'bash', input: { command, description: 'a command' } },
    kind: 'shell',
    paths,
  })
  note = (path: string): Act => ({
    tool: { name: 'mini_note', input: { path: join(this.#ws, path), text: 'noted\n' } },
    kind: 'other',
    paths: [path],
  })
  other = (name: string, input: Record<string, unknown>): Act => ({ tool: { name, input }, kind: 'edit', paths: [] })
}

const TASK = 'Please do it'
const SUB = 'SUB-AGENT-TASK'

const mainTask = (a: Acts): Act[][] => [
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => [a.write(`edit-${n}.txt`, `one ${n}\ntwo ${n}\n`)]),
  ...[1, 2, 3, 4, 5, 6].map((n) => [a.edit(`edit-${n}.txt`, `two ${n}`, `zwei ${n}`)]),
  [a.read('base.txt')],
  [a.edit('base.txt', 'second', 'zweite')],
  [a.bash('echo new > sh-1.txt', ['sh-1.txt'])],
  [a.bash("sed -i 's/new/newer/' sh-1.txt", ['sh-1.txt'])],
  [a.bash('mkdir -p sh-dir/deep && printf "a\\nb\\n" > sh-dir/deep/f.txt', ['sh-dir/deep/f.txt'])],
  [a.bash('mv base-move.txt sh-moved.txt', ['base-move.txt', 'sh-moved.txt'])],
  [a.bash('rm base-gone.txt', ['base-gone.txt'])],
  [a.bash('echo half > sh-half.txt; exit 3', ['sh-half.txt'])],
  [a.edit('edit-7.txt', 'not in it', 'x')],
  [a.note('mcp-1.txt')],
  [a.other('task', { description: 'sub', prompt: SUB, subagent_type: 'general' })],
  [a.write('edit-9.txt', 'nine\n'), a.write('edit-10.txt', 'ten\n'), a.bash('echo b > sh-batch.txt', ['sh-batch.txt'])],
  [a.other('nosuchtool', {})],
  ...[11, 12, 13, 14, 15, 16].map((n) => [a.write(`edit-${n}.txt`, `after ${n}\n`)]),
  [a.bash('rm edit-2.txt', ['edit-2.txt'])],
  [a.edit('edit-1.txt', 'one 1', 'eins 1')],
]

const subTask = (a: Acts): Act[][] => [
  [a.write('sub-edit.txt', 'sub\n')],
  [a.bash('echo sub > sub-sh.txt', ['sub-sh.txt'])],
  [a.edit('sub-edit.txt', 'sub', 'below')],
]

withClient('opencode', () => {
  test('a session of 40 calls is told call by call, and taken back without the person’s work', async () => {
    const theatre = newTheatre({
      'base.txt': 'first\nsecond\nthird\n',
      'base-move.txt': 'to be moved\n',
      'base-gone.txt': 'to be deleted\n',
    })
    theatre.guard('opencode')
    const settings = join(theatre.user, 'xdg/CONFIG/opencode/opencode.json')
    const server = [process.execPath, join(import.meta.dirname, 'mini-mcp.ts')]
    const mcp = { mini: { type: 'local', command: server, enabled: true } }
    theatre.write(settings, JSON.stringify({ ...JSON.parse(theatre.read(settings)), mcp }))
    const original = filesIn(theatre)
    const a = new Acts(theatre)
    const [sub, main] = [partOf('sub', [TASK, subTask(a)]), partOf('main', [TASK, mainTask(a)])]
    const script = [
      { known_by: SUB, turns: [...turnsOf(sub), { text: 'The sub-agent is done.' }] },
      { turns: [...turnsOf(main), { text: 'Done.' }] },
    ]
    const endPerson = startPerson(theatre)
    const { first: played, given } = await theatre.play(script, theatre.actor('opencode', TASK, { seconds: 170 }))
    const deeds = await endPerson()
    expect(played.code).toBe(0)

    const calls = callsIn([sub, main], given)
    expect(calls.length).toBeGreaterThanOrEqual(40)
    const { sessions } = await theatre.call('session_list')
    const top = sessions.find((one: { parent_session_id: string | null }) => one.parent_session_id === null)
    const below = sessions.find((one: { parent_session_id: string | null }) => one.parent_session_id !== null)
    expect(sessions).toHaveLength(2)
    expect(below.parent_session_id).toBe(top.session_id)

    const story = await Story.of(theatre, calls, { main: top.session_id, sub: below.session_id })
    expect(story.mistakes()).toEqual([])
    await story.expectPerson(deeds)
    await story.expectPrompts()
    expect(theatre.tw('status').gaps).toEqual([])
    story.expectReverted(top.session_id, original, 24)
  })
})
