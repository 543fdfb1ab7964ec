import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateUnifiedDiff } from '../src/diff/public.ts'
import { randomFrom } from './random.ts'
import { type Command, run } from './run.ts'

const LINES = 50_000
/** One line in so many differs. */
const EVERY = 20
/** So many diffs are not counted: a program that makes diffs has made some before. */
const UNCOUNTED = 5

/** Two texts of so many lines, which differ in five per cent of them, or in all. */
function texts(which: 'some' | 'all'): [Buffer, Buffer] {
  const random = randomFrom(50_000)
  const old = Array.from({ length: LINES }, (_, i) => `  const value${i} = compute(${Math.floor(random() * 1e6)})\n`)
  const current = old.map((line, i) => (which === 'all' || i % EVERY === 0 ? `  let v${i} = ${random()}\n` : line))
  return [Buffer.from(old.join('')), Buffer.from(current.join(''))]
}

/** The diff library in this process, which has made diffs before. */
export function ownDiffs(which: 'some' | 'all', rounds: number): number[] {
  const [old, current] = texts(which)
  const samples: number[] = []
  for (let round = 0; round < UNCOUNTED + rounds; round++) {
    const started = performance.now()
    const diff = generateUnifiedDiff(old, current)
    samples.push((performance.now() - started) / 1000)
    if (diff.length < LINES / EVERY) throw new Error('The diff is too short to be one.')
  }
  return samples.slice(UNCOUNTED)
}

/** git as people call it: a process that reads both files and writes the diff. */
export async function gitDiffs(dir: string, env: Command['env'], rounds: number): Promise<number[]> {
  for (const [i, text] of texts('some').entries()) writeFileSync(join(dir, `lines-${i}.txt`), text)
  const samples: number[] = []
  // It exits with 1 when there are differences.
  const argv = ['sh', '-c', 'git diff --no-index lines-0.txt lines-1.txt > /dev/null; test $? = 1']
  for (let round = 0; round < rounds; round++) samples.push((await run({ argv, cwd: dir, env })).seconds)
  return samples
}
