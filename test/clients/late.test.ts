import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withClient } from './kit.ts'
import { type Act, callsIn, partOf, Story, turnsOf } from './story.ts'
import { newTheatre, type Theatre } from './theatre.ts'

/** Claude Code goes on while the end of a call is told: here that takes far longer than usual. */

const LATE = 'sleep 0.05; exec "$0" "$@"'

/** Lets the hooks that nobody waits for be late; returns how many those are. */
function delayEnds(theatre: Theatre): number {
  const file = join(theatre.user, 'claude/settings.json')
  const { hooks } = JSON.parse(theatre.read(file)) as {
    hooks: Record<string, [{ hooks: [{ async?: boolean; command: string; args: string[] }] }]>
  }
  const after = Object.values(hooks).flatMap(([{ hooks: own }]) => own.filter((hook) => hook.async))
  for (const hook of after) Object.assign(hook, { command: '/bin/sh', args: ['-c', LATE, hook.command, ...hook.args] })
  writeFileSync(file, JSON.stringify({ hooks }))
  return after.length
}

withClient('claude', () => {
  test.each(['on', 'off'])(
    'a call that comes before the end of the last one is still told after it: daemon %s',
    async (TIMEWARP_DAEMON) => {
      const theatre = newTheatre({ 'make.sh': 'echo "$1" > "$1.out"\n' })
      theatre.guard('claude')
      expect(delayEnds(theatre)).toBe(2)
      const write = (path: string): Act => ({
        tool: { name: 'Write', input: { file_path: join(theatre.ws, path), content: `${path}\n` } },
        kind: 'edit',
        paths: [path],
      })
      const bash = (command: string, ...paths: string[]): Act => ({
        tool: { name: 'Bash', input: { command, description: 'x' } },
        kind: 'shell',
        paths,
      })
      const part = partOf('main', [
        'Do it',
        [
          [1, 2, 3].flatMap((n) => [
            write(`w${n}.txt`),
            bash(`sh make.sh a${n}`, `a${n}.out`),
            bash(`sh make.sh b${n}`, `b${n}.out`),
            bash(`echo x > c${n}.txt; exit 3`, `c${n}.txt`),
          ]),
          [bash('cat make.sh'), bash('ls'), bash('sh make.sh last', 'last.out')],
        ],
      ])
      const { first, given } = await theatre.play(
        [{ turns: [...turnsOf(part), { text: 'Done.' }] }],
        theatre.actor('claude', 'Do it', { env: { TIMEWARP_DAEMON } }),
      )
      expect(first.code).toBe(0)
      const calls = callsIn([part], given)
      const { sessions } = await theatre.call('session_list')
      const story = await Story.of(theatre, calls, { main: sessions[0].session_id })
      expect(story.mistakes()).toEqual([])
      expect([...story.sharedPaths()]).toEqual([])
      const told = story.timeline.flatMap(({ cause, affected_files }) =>
        cause.role === 'change' && cause.call_id ? [[cause.call_id, affected_files]] : [],
      )
      expect(told).toEqual(calls.filter(({ paths }) => paths.length > 0).map(({ id, paths }) => [id, paths]))
      expect(theatre.tw('status').gaps).toEqual([])
    },
  )
})
