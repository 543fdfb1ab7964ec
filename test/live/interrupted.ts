import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { sleep } from '../../src/host/clock.ts'
import { type Answer, answerOf } from '../kit/workspace.ts'
import { type Live, newLive } from './kit.ts'

/** Commands that are sent signals while they run, in a tree of which every file holds the same word. */

export interface Tree {
  readonly folders: number
  /** In each of them. */
  readonly files: number
}

export const MODES = [
  ['a daemon', 'on'],
  ['no daemon', 'off'],
] as const

export function fill({ root }: Live, { folders, files }: Tree, word: string): void {
  for (let i = 0; i < folders; i++) {
    fs.mkdirSync(join(root, `d${i}`), { recursive: true })
    for (let j = 0; j < files; j++) fs.writeFileSync(join(root, `d${i}`, `f${j}`), `${word} ${i} ${j}\n`)
  }
}

/** The word that every file holds; mixed, when they do not hold the same. */
export function wordOf({ root }: Live, { folders, files }: Tree): string {
  const words = new Set<string>()
  for (let i = 0; i < folders; i++)
    for (let j = 0; j < files; j++) {
      const [word = '', ...place] = fs
        .readFileSync(join(root, `d${i}`, `f${j}`), 'utf8')
        .trim()
        .split(' ')
      words.add(place.join() === `${i},${j}` ? word : 'wrong')
    }
  return words.size === 1 ? ([...words][0] ?? '') : `mixed: ${[...words].join()}`
}

/** Starts a command and sends it SIGINT after so many milliseconds, and again after so many more. */
export async function interrupted(live: Live, args: readonly string[], after: readonly number[]): Promise<Answer> {
  const child = live.start(args)
  const answer = answerOf(child)
  for (const ms of after) {
    await Promise.race([sleep(ms), answer])
    child.kill('SIGINT')
  }
  return answer
}

/** Interrupts restores after these shares of the time that one takes; returns how many were stopped in the middle. */
export async function stoppedRestore(daemon: 'on' | 'off', tree: Tree, shares: readonly number[]): Promise<number> {
  const live = newLive({}, { env: { TIMEWARP_DAEMON: daemon } })
  fill(live, tree, 'then')
  if (daemon === 'on') await live.serve()
  const id = (await live.tw(['snapshot', '--json'])).json.snapshot_id as string
  fill(live, tree, 'now')
  const before = performance.now()
  await live.tw(['restore', id])
  const took = performance.now() - before
  expect(wordOf(live, tree)).toBe('then')
  let stopped = 0
  for (const share of shares) {
    fill(live, tree, 'now')
    const { exit, signal, stderr } = await interrupted(live, ['restore', id], [took * share])
    const word = wordOf(live, tree)
    const what = `at ${share}: ${exit} ${signal} ${word} ${stderr}`
    // Before the program has started the signal kills it, and after its end there is nothing to stop.
    expect(exit === 130 || exit === 0 || signal === 'SIGINT', what).toBe(true)
    if (stderr.includes('Stopped.')) {
      if (stderr.includes('taken back')) stopped++
      expect({ exit, word }, what).toEqual({ exit: 130, word: 'now' })
      expect(stderr, what).toContain('Stopping…')
    } else expect(word, what).toMatch(exit === 0 || stderr.includes('finished') ? /^then$/ : /^(then|now)$/)
    expect((await live.tw(['log', '-n', '1'])).stderr, what).toBe('')
    expect(wordOf(live, tree), what).toBe(word)
  }
  expect((await live.tw(['fsck', '--json'])).json).toMatchObject({ ok: true })
  return stopped
}
