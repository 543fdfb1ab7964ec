import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Live, newLive, REPOSITORY, until } from './kit.ts'

/** Edits of a client that tells no end of them: their files show it. */

const WAYS = ['on', 'off'] as const

/** A client that has begun to work, with a daemon or without. */
async function newClient(files: Record<string, string>, daemon: string) {
  const live = newLive(files)
  const session = { session_id: 's1', cwd: live.root, prompt_id: 'p1', transcript_path: join(live.home, 'none.jsonl') }
  const hook = (hook_event_name: string, more: object = {}) =>
    new Promise<string>((done) => {
      const env = live.environment({ TIMEWARP_DAEMON: daemon })
      const child = spawn(join(REPOSITORY, 'bin/timewarp-hook'), ['claude'], {
        env,
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      let said = ''
      child.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()))
      child.on('close', () => done(said))
      child.stdin.end(JSON.stringify({ ...session, hook_event_name, ...more }))
    })
  await hook('SessionStart', { source: 'startup' })
  await hook('UserPromptSubmit', { prompt: 'go' })
  const begin = (id: string, tool_name: string, tool_input: object) =>
    hook('PreToolUse', { tool_use_id: id, tool_name, tool_input })
  return { live, hook, begin }
}

interface Row {
  readonly affected_files: string[]
  readonly call_id: string | null
  readonly shared: boolean
}

/** Who changed what, the oldest first. */
async function told(live: Live): Promise<(string | null)[][]> {
  const { stdout } = await live.alone(['log', '--json'])
  const rows = (JSON.parse(stdout) as { snapshots: Row[] }).snapshots.toReversed().slice(1)
  return rows.map(({ affected_files, call_id, shared }) => [...affected_files, shared ? 'shared' : call_id])
}

const toldSoon = (live: Live, what: (string | null)[][]) =>
  until(JSON.stringify(what), async () => JSON.stringify(await told(live)) === JSON.stringify(what))

function put(live: Live, path: string, content: string): void {
  const draft = join(live.workspace.temp, 'draft')
  fs.writeFileSync(draft, content)
  fs.mkdirSync(join(live.root, path, '..'), { recursive: true })
  fs.renameSync(draft, join(live.root, path))
}

test.each(WAYS)(
  'an edit is recorded when it is made, and what a person does then is theirs: daemon %s',
  async (daemon) => {
    const { live, hook, begin } = await newClient({ 'a.txt': 'a\nb\n' }, daemon)
    const file_path = join(live.root, 'a.txt')
    await begin('e1', 'Edit', { file_path, old_string: 'a\n', new_string: 'agent\n' })
    put(live, 'a.txt', 'agent\nb\n')
    await toldSoon(live, [['a.txt', 'e1']])
    // At the same file, with nothing told in between.
    put(live, 'a.txt', 'agent\nperson\n')
    await begin('e2', 'Write', { file_path: join(live.root, 'new/deep.txt'), content: 'x'.repeat(200_000) })
    put(live, 'new/deep.txt', 'x'.repeat(200_000))
    const both = [
      ['a.txt', 'e1'],
      ['a.txt', null],
      ['new/deep.txt', 'e2'],
    ]
    await toldSoon(live, both)
    put(live, 'new/deep.txt', 'person\n')
    await hook('Stop')
    expect(await told(live)).toEqual([...both, ['new/deep.txt', null]])
  },
)

test('while an edit waits for permission, a person’s change does not end it', async () => {
  const { live, hook, begin } = await newClient({ 'a.txt': 'a\nb\n' }, 'on')
  const file_path = join(live.root, 'a.txt')
  await begin('e1', 'Edit', { file_path, old_string: 'a\n', new_string: 'agent\n' })
  put(live, 'a.txt', 'a\nperson\n')
  await new Promise((done) => setTimeout(done, 300))
  expect(await told(live)).toEqual([])
  put(live, 'a.txt', 'agent\nperson\n')
  await toldSoon(live, [['a.txt', 'e1']])
  await hook('Stop')
})

test('what a person does after an edit was denied may be theirs', async () => {
  const { live, hook, begin } = await newClient({ 'a.txt': 'a\n' }, 'on')
  await begin('e1', 'Write', { file_path: join(live.root, 'a.txt'), content: 'agent\n' })
  const result = { type: 'tool_result', tool_use_id: 'e1', is_error: true, content: 'denied' }
  fs.writeFileSync(join(live.home, 'none.jsonl'), `${JSON.stringify({ message: { content: [result] } })}\n`)
  put(live, 'a.txt', 'person\n')
  await toldSoon(live, [['a.txt', 'shared']])
  await hook('Stop')
})
