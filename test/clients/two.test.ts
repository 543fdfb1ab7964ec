import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clientProgram } from '../../scripts/clients.ts'
import { withClient } from './kit.ts'
import { type Act, callsIn, partOf, Story, turnsOf } from './story.ts'
import { newTheatre } from './theatre.ts'

/** Two agents in one workspace at once. */

const NUMBERS = [1, 2, 3, 4, 5, 6]

withClient('claude', () => {
  test.skipIf(clientProgram('codex') === undefined)('nothing is told to be of the wrong one', async () => {
    const theatre = newTheatre({ 'make.sh': 'sleep 0.2; echo "$1" > "$1.out"; sleep 0.2\n' })
    theatre.guard('claude')
    theatre.guard('codex')
    const write = (path: string): Act => ({
      tool: { name: 'Write', input: { file_path: join(theatre.ws, path), content: `${path}\n` } },
      kind: 'edit',
      paths: [path],
    })
    const patch = (path: string): Act => ({
      tool: { name: 'apply_patch', input: `*** Begin Patch\n*** Add File: ${path}\n+${path}\n*** End Patch\n` },
      kind: 'edit',
      paths: [path],
    })
    const run = (client: 'claude' | 'codex', command: string, paths: string[]): Act => ({
      tool:
        client === 'claude'
          ? { name: 'Bash', input: { command, description: 'x' } }
          : { name: 'exec_command', input: { cmd: command } },
      kind: 'shell',
      paths,
    })
    const acts = (client: 'claude' | 'codex'): Act[][] =>
      NUMBERS.flatMap((n) => [
        [(client === 'claude' ? write : patch)(`${client}-${n}.txt`)],
        [run(client, `echo ${n} > ${client}-sh-${n}.txt`, [`${client}-sh-${n}.txt`])],
        [run(client, `sh make.sh ${client}-${n}`, [`${client}-${n}.out`])],
      ])
    const parts = [partOf('claude', ['CLAUDE-TASK', acts('claude')]), partOf('codex', ['CODEX-TASK', acts('codex')])]
    const script = parts.map((part) => ({
      known_by: `${part.by.toUpperCase()}-TASK`,
      turns: [...turnsOf(part), { text: 'Done.' }],
    }))
    const { played, given } = await theatre.play(
      script,
      theatre.actor('claude', 'CLAUDE-TASK'),
      theatre.actor('codex', 'CODEX-TASK'),
    )
    expect(played.map(({ code }) => code)).toEqual([0, 0])
    const calls = callsIn(parts, given)
    expect(calls).toHaveLength(2 * 3 * NUMBERS.length)
    const { sessions } = await theatre.call('session_list')
    const idOf = (client: string) => sessions.find((one: { client: string }) => one.client === client).session_id
    const story = await Story.of(theatre, calls, { claude: idOf('claude'), codex: idOf('codex') })
    expect(story.mistakes()).toEqual([])
    // An edit names its file, whatever else runs. What the commands of both may have written is theirs together.
    const edited = calls.filter(({ kind }) => kind === 'edit').flatMap(({ paths }) => paths)
    const shared = story.sharedPaths()
    expect(edited.filter((path) => shared.has(path))).toEqual([])
  })
})
