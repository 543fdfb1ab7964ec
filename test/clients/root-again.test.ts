import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withClient } from './kit.ts'
import type { Turn } from './model.ts'
import { newTheatre, type Theatre } from './theatre.ts'

/** The folder of a guarded project is made again between sessions, and within one: every change is recorded. */

const ROUNDS = 10

type Remake = (ws: string, round: number) => void
const WAYS: readonly Remake[] = [
  (ws) => {
    rmSync(ws, { recursive: true })
    mkdirSync(ws)
  },
  (ws) => {
    renameSync(ws, `${ws}-away`)
    rmSync(`${ws}-away`, { recursive: true })
    mkdirSync(ws)
  },
  (ws) => {
    mkdirSync(`${ws}-next`)
    renameSync(ws, `${ws}-old`)
    renameSync(`${ws}-next`, ws)
    rmSync(`${ws}-old`, { recursive: true })
  },
]

const write = ({ ws }: Theatre, name: string): Turn => ({
  tools: [{ name: 'Write', input: { file_path: join(ws, name), content: `${name}\n` } }],
})
const bash = (command: string): Turn => ({ tools: [{ name: 'Bash', input: { command, description: 'x' } }] })

withClient('claude', () => {
  test('a root made again ten times: what the client writes and removes afterwards is recorded', async () => {
    const theatre = newTheatre({ 'a.txt': 'a\n' })
    theatre.guard('claude')
    for (let round = 0; round < ROUNDS; round++) {
      if (round > 0) WAYS[round % WAYS.length]?.(theatre.ws, round)
      theatre.write(`before-${round}.txt`, 'before\n')
      const turns = [
        write(theatre, `written-${round}.txt`),
        bash(`echo x > shell-${round}.txt; mkdir -p deep/er && echo y > deep/er/${round}.txt`),
        bash(`rm -f before-${round}.txt`),
        write(theatre, `deep/later-${round}.txt`),
        { text: 'Done.' },
      ]
      const { first } = await theatre.play([{ turns }], theatre.actor('claude', `go ${round}`))
      expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Done.') })
      await theatre.call('snapshot')
      // By a scan of its own.
      const { files } = theatre.tw('diff', 'latest', '--format', 'json')
      expect(files, `the present differs from the newest snapshot in round ${round}`).toEqual([])
    }
    const touched = (await theatre.timeline()).flatMap(({ cause, affected_files: files }) =>
      files.map((path: string) => [path, cause.tool ?? null]),
    )
    for (let round = 0; round < ROUNDS; round++) {
      // It came before the session and went within it, so it may be taken for another's.
      expect(touched.filter(([path]) => path === `before-${round}.txt`)).toHaveLength(2)
      for (const [path, tool] of [
        [`written-${round}.txt`, 'Write'],
        [`shell-${round}.txt`, 'Bash'],
        [`deep/er/${round}.txt`, 'Bash'],
        [`deep/later-${round}.txt`, 'Write'],
      ])
        expect(touched).toContainEqual([path, tool])
    }
    expect(theatre.tw('status')).toMatchObject({ gaps: [] })
  }, 600_000)

  test('a root that the client itself makes again', async () => {
    const theatre = newTheatre({ 'a.txt': 'a\n' })
    theatre.guard('claude')
    // The client itself refuses to remove the folder it works in, if it can tell.
    theatre.write('../remake.sh', 'cd / && rm -rf "$1" && mkdir "$1" && echo 2 > "$1/two.txt"\n')
    const turns = [
      write(theatre, 'one.txt'),
      bash(`sh "${join(theatre.dir, 'remake.sh')}" "${theatre.ws}"`),
      write(theatre, 'three.txt'),
      bash(`echo 4 > "${theatre.ws}/four.txt"`),
      { text: 'Done.' },
    ]
    const { first } = await theatre.play([{ turns }], theatre.actor('claude', 'go'))
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Done.') })
    const touched = (await theatre.timeline()).flatMap(({ affected_files: files }) => files)
    expect(touched).toEqual(expect.arrayContaining(['one.txt', 'two.txt', 'three.txt', 'four.txt']))
  })
})
