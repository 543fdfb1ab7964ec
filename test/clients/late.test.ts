import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withClient } from './kit.ts'
import { type Act, callsIn, partOf, Story, turnsOf } from './story.ts'
import { newTheatre, type Theatre } from './theatre.ts'

/** Claude Code goes on while the end of an edit is told: here that takes far longer than usual. */

const LATE = 'sleep 0.05; exec "$0" "$@"'

/** Lets the hooks that nobody waits for be late; returns of which tools they are. */
function delayEnds(theatre: Theatre): string[] {
  const file = join(theatre.user, 'claude/settings.json')
  const { hooks } = JSON.parse(theatre.read(file)) as {
    hooks: Record<string, { matcher?: string; hooks: { async?: boolean; command: string; args: string[] }[] }[]>
  }
  const late = Object.values(hooks)
    .flat()
    .filter(({ hooks: own }) => own.some((hook) => hook.async))
  for (const hook of late.flatMap((entry) => entry.hooks))
    Object.assign(hook, { command: '/bin/sh', args: ['-c', LATE, hook.command, ...hook.args] })
  writeFileSync(file, JSON.stringify({ hooks }))
  return late.map(({ matcher }) => matcher ?? '')
}

withClient('claude', () => {
  test.each(['on', 'off'])(
    'what comes before the end of an edit is not told to be of it: daemon %s',
    async (daemon) => {
      const theatre = newTheatre({ 'make.sh': 'echo "$1" >> "$1"\n' })
      theatre.guard('claude')
      expect(delayEnds(theatre)).toEqual(['^(?:Write|Edit|MultiEdit|NotebookEdit)$'])
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
    },
  )
})
