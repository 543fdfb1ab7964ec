import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withClient } from './kit.ts'
import { type Act, callsIn, filesIn, partOf, Story, startPerson, turnsOf } from './story.ts'
import { newTheatre, type Theatre } from './theatre.ts'

/** One prompt of forty calls, half of them scripts that say nothing of what they change, while a person saves their files. */

const ROUNDS = [1, 2, 3, 4, 5, 6, 7, 8]
const TASK = 'Please do the whole task'

/** Waits, appends to one file, makes another, deletes a third, and waits again. */
const BUILD = 'sleep "$2"; echo "$1" >> "src/f$1.js"; echo "$1" > "built-$1.txt"; rm -f "old-$1.txt"; sleep "$2"\n'

function roundOf({ ws }: Theatre, n: number): Act[][] {
  const bash = (command: string, paths: string[]): Act => ({
    tool: { name: 'Bash', input: { command, description: 'a command' } },
    kind: 'shell',
    paths,
  })
  const at = (path: string): string => join(ws, path)
  const write = { file_path: at(`new-${n}.txt`), content: `one ${n}\ntwo ${n}\n` }
  const edit = { file_path: at(`new-${n}.txt`), old_string: `two ${n}`, new_string: `zwei ${n}` }
  return [
    [{ tool: { name: 'Write', input: write }, kind: 'edit', paths: [`new-${n}.txt`] }],
    [bash(`sh build.sh ${n} 0.${n}`, [`src/f${n}.js`, `built-${n}.txt`, `old-${n}.txt`])],
    [{ tool: { name: 'Edit', input: edit }, kind: 'edit', paths: [`new-${n}.txt`] }],
    [bash(`sed -i s/f/g/ src/f${n}.js`, [`src/f${n}.js`])],
    [bash(`sh build.sh 1${n} 0.1`, [`src/f1${n}.js`, `built-1${n}.txt`, `old-1${n}.txt`])],
  ]
}

const filesFor = (n: string): [string, string][] => [
  [`src/f${n}.js`, `f${n}\n`],
  [`old-${n}.txt`, `old ${n}\n`],
]

withClient('claude', () => {
  test('what is called certain is, and oops leaves a person’s files and brings back all else', async () => {
    const theatre = newTheatre(Object.fromEntries(ROUNDS.flatMap((n) => [`${n}`, `1${n}`].flatMap(filesFor))))
    theatre.write('build.sh', BUILD)
    theatre.guard('claude')
    const original = filesIn(theatre)
    const part = partOf('main', [TASK, ROUNDS.flatMap((n) => roundOf(theatre, n))])
    const endPerson = startPerson(theatre)
    const { first: played, given } = await theatre.play(
      [{ turns: [...turnsOf(part), { text: 'Done.' }] }],
      theatre.actor('claude', TASK),
    )
    const deeds = await endPerson()
    expect(played.code).toBe(0)
    expect(deeds.length).toBeGreaterThan(40)
    const calls = callsIn([part], given)
    expect(calls).toHaveLength(40)
    const { sessions } = await theatre.call('session_list')
    const story = await Story.of(theatre, calls, { main: sessions[0].session_id })
    expect(story.mistakes()).toEqual([])
    const grades = story.timeline.map(({ cause }) => cause.certainty)
    // Edits are certain. What `sed -i` and a script changed is likely: they may have changed nothing.
    expect(grades.filter((grade) => grade === 'certain').length).toBeGreaterThanOrEqual(16)
    expect(grades.filter((grade) => grade === 'likely').length).toBeGreaterThanOrEqual(20)

    const before = filesIn(theatre)
    const persons = Object.entries(before).filter(([path]) => path.startsWith('person/'))
    expect(persons).toHaveLength(4)
    theatre.tw('oops', '--yes')
    expect(filesIn(theatre)).toEqual({ ...original, ...Object.fromEntries(persons) })
  })
})
