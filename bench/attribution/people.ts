import { renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { between, pick, type Random } from '../random.ts'
import { personNamed, type Truth } from './truth.ts'

/** How an editor writes: in place after every pause, with a swap file beside the file, or another file renamed over it. */
export const EDITORS = ['autosave', 'swap-file', 'rename'] as const

export interface Pace {
  /** Milliseconds for so many seconds of the story. */
  readonly ms: (seconds: number) => number
  readonly isOver: () => boolean
}

/** Common files of a workspace: people and commands change them. */
export const COMMON = Array.from({ length: 24 }, (_, i) => `src/f${i}.js`)

/** Files of a person that were there before anybody looked. */
export const ownFiles = (name: string): string[] => Array.from({ length: 30 }, (_, i) => `docs/${name}-${i}.md`)

/** So often somebody who rests looks whether the story is over. */
const STEP_MS = 500

interface Desk {
  readonly name: string
  readonly editor: (typeof EDITORS)[number]
  readonly truth: Truth
  readonly random: Random
  readonly pace: Pace
}

/** Somebody at work in their editor until the story is over: opens a file, saves it some times, goes to another or comes back. */
export async function work(desk: Desk): Promise<void> {
  const { random, pace } = desk
  const known: string[] = []
  const never = ownFiles(desk.name)
  await rest(desk, random() * 60)
  while (!pace.isOver()) {
    const path = choose(desk, known, never)
    if (!known.includes(path)) known.push(path)
    await sitAt(desk, path)
    if (path.startsWith('notes/') && random() < 0.2) discard(desk, path, known)
    else if (!path.startsWith('src/') && random() < 0.1) rename(desk, path, known)
    // Most come back soon; now and then somebody goes for lunch.
    await rest(desk, random() < 0.1 ? between(random, 300, 900) : between(random, 5, 150))
  }
}

function choose({ random, name, truth }: Desk, known: readonly string[], never: string[]): string {
  const dice = random()
  if (dice < 0.6 && known.length > 0) return pick(random, known)
  if (dice < 0.75) return pick(random, COMMON)
  const old = dice < 0.88 ? never.pop() : undefined
  return old ?? `notes/${name}-${truth.line('note').slice(5)}.txt`
}

async function sitAt(desk: Desk, path: string): Promise<void> {
  const { random, pace, editor } = desk
  const swap = editor === 'swap-file' ? join(dirname(path), `.${path.slice(path.lastIndexOf('/') + 1)}.swp`) : undefined
  // Many a note is saved once.
  const saves = random() < 0.2 ? 1 : between(random, 2, 12)
  for (let save = 0; save < saves && !pace.isOver(); save++) {
    if (swap !== undefined) typeInto(desk, path, swap)
    await rest(desk, between(random, 1, editor === 'autosave' ? 6 : 20))
    saveFile(desk, path)
  }
  if (swap !== undefined) rmSync(desk.truth.at(swap), { force: true })
}

/** What is typed goes into the swap file until it is saved. */
function typeInto({ truth, name }: Desk, path: string, swap: string): void {
  truth.write(swap, `${truth.line(personNamed(name))}\n`)
  truth.isAside(swap)
  truth.touched(path)
}

function saveFile({ truth, name, editor }: Desk, path: string): void {
  const content = `${truth.read(path)}${truth.line(personNamed(name))}\n`
  if (editor === 'rename') {
    const draft = join(dirname(path), `.goutputstream-${truth.line('draft').slice(6)}`)
    truth.isAside(draft)
    truth.write(draft, content)
    renameSync(truth.at(draft), truth.at(path))
  } else truth.write(path, content)
  truth.touched(path)
}

/** A note that is done with; its name is never used again. */
function discard({ truth, name }: Desk, path: string, known: string[]): void {
  rmSync(truth.at(path), { force: true })
  truth.deleted(path, personNamed(name))
  truth.touched(path)
  known.splice(known.indexOf(path), 1)
}

/** Under another name the file holds what it held. */
function rename({ truth, name }: Desk, path: string, known: string[]): void {
  const to = `notes/${name}-${truth.line('note').slice(5)}.txt`
  truth.deleted(path, personNamed(name))
  truth.renamed(to, personNamed(name))
  renameSync(truth.at(path), truth.at(to))
  truth.touched(path)
  truth.touched(to)
  known.splice(known.indexOf(path), 1, to)
}

async function rest({ pace }: Desk, seconds: number): Promise<void> {
  for (let left = pace.ms(seconds); left > 0 && !pace.isOver(); left -= STEP_MS) await sleep(Math.min(STEP_MS, left))
}
