import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DaemonPlace } from './daemon.ts'
import { gitDiffs, ownDiffs } from './diffs.ts'
import { checkCopy, sizeOf } from './disk.ts'
import { historyPages } from './history.ts'
import { watchOthers } from './machine.ts'
import type { Peer, PeerName } from './peers.ts'
import { type Run, run } from './run.ts'
import { changeFiles, filesOfRound, type Tree } from './tree.ts'
import type { Warm } from './warm.ts'

const EVERYDAY = ['unchanged', 'changed', 'restore-changed'] as const
const WARM = ['warm-unchanged', 'warm-changed', 'warm-command', 'warm-travel'] as const
const DAEMON = ['daemon-memory', 'daemon-idle'] as const
/** Edits are made through the daemon, and committed by git. */
const EDITS = ['edit', 'history', 'diff', 'diff-all'] as const
export const ROWS = ['first', 'size', 'restore-all', ...EVERYDAY, ...WARM, ...DAEMON, ...EDITS] as const
export type Row = (typeof ROWS)[number]
/** What is measured: the rows, and what comes along with them. */
const FIGURES = [
  ...ROWS,
  'warm-return',
  'written',
  'first-cpu',
  'memory',
  'flush',
  'apparent',
  'restore-all-cpu',
] as const
export type Figure = (typeof FIGURES)[number]

/** All samples of a figure by peer, in seconds or bytes. */
export type Samples = Record<Figure, Partial<Record<PeerName, number[]>>>

export interface Plan {
  readonly scratch: string
  readonly tree: Tree
  readonly peers: readonly Peer[]
  /** Starts Timewarp's daemon; undefined when Timewarp takes no part. */
  readonly startWarm: (() => Promise<Warm>) | undefined
  /** For a daemon of another home; undefined when Timewarp takes no part. */
  readonly historyPlace: DaemonPlace | undefined
  readonly env: NodeJS.ProcessEnv
  readonly rows: ReadonlySet<Row>
  /** Of the rows that take milliseconds, and of those that take seconds. */
  readonly rounds: { readonly cheap: number; readonly dear: number }
  readonly say: (text: string) => void
}

const CHANGED_FILES = 20

/** Whose samples those of the daemon are. */
const TIMEWARP = { name: 'timewarp' } as const

/** Files younger than this may be read again by any of the peers, because their times prove nothing yet. */
const QUIET_MS = 2500

/**
 * Takes all samples, the peers by turns within each round.
 *
 * Nothing is deleted before the end: on some file systems the peer that comes next would pay for it (see `inodes.ts`).
 */
export async function measure(plan: Plan): Promise<Samples> {
  const samples = Object.fromEntries(FIGURES.map((figure) => [figure, {}])) as Samples
  await sleep(QUIET_MS)
  await firstSnapshots(plan, samples)
  if (plan.rows.has('size')) measureStores(plan, samples)
  await everyday(plan, samples)
  if (plan.rows.has('restore-all')) await fullRestores(plan, samples)
  await editRows(plan, samples)
  return samples
}

async function firstSnapshots(plan: Plan, samples: Samples): Promise<void> {
  for (let round = 0; round < (plan.rows.has('first') ? plan.rounds.dear : 1); round++)
    for (const peer of byTurns(plan.peers, round)) {
      plan.say(`first snapshot, round ${round + 1}: ${peer.name}`)
      await peer.create(join(plan.scratch, `${peer.name}-${round}`))
      await flush(plan)
      const others = watchOthers()
      const { run } = await peer.snapshot()
      plan.say(sampleText(run.seconds, others()))
      if (!plan.rows.has('first')) continue
      add(samples.first, peer, run.seconds)
      add(samples['first-cpu'], peer, run.cpuSeconds)
      if (run.peakBytes !== undefined) add(samples.memory, peer, run.peakBytes)
      add(samples.flush, peer, await flush(plan))
    }
}

function measureStores(plan: Plan, samples: Samples): void {
  for (const peer of plan.peers) {
    const { apparent, disk } = sizeOf(peer.store())
    add(samples.size, peer, disk)
    add(samples.apparent, peer, apparent)
  }
}

/** The daemon takes turns with the peers. While they take theirs it is there, as it would be, and has nothing to do. */
async function everyday(plan: Plan, samples: Samples): Promise<void> {
  const hasAny = (rows: readonly Row[]) => rows.some((row) => plan.rows.has(row))
  const warm = hasAny([...WARM, ...DAEMON, 'edit']) ? await startWarm(plan) : undefined
  const turns = [...plan.peers.map(peerTurn), ...(warm ? [warmTurn(warm)] : [])]
  let edition = 0
  if (plan.rows.has('edit')) writeEdited(plan)
  try {
    for (let round = 0; hasAny([...EVERYDAY, ...WARM, 'edit']) && round < plan.rounds.cheap; round++) {
      plan.say(`everyday commands, round ${round + 1}`)
      for (const take of byTurns(turns, round)) {
        await sleep(QUIET_MS)
        await take(plan, samples, () => edition++)
      }
    }
    if (warm) await lookAtDaemon(plan, samples, warm)
  } finally {
    await warm?.end()
    // The tree of the rows that follow is the one that was made.
    if (plan.rows.has('edit')) rmSync(join(plan.tree.root, EDITED.path), { force: true })
  }
}

/** Takes the samples of a round. Each change is made of an edition of its own. */
type Turn = (plan: Plan, samples: Samples, nextEdition: () => number) => Promise<void>

const peerTurn =
  (peer: Peer): Turn =>
  async (plan, samples, nextEdition) => {
    for (const row of EVERYDAY.filter((each) => plan.rows.has(each)))
      add(samples[row], peer, await everydayRow[row](plan, peer, nextEdition()))
    if (plan.rows.has('edit')) for (const run of await commitEdit(plan, peer)) add(samples.edit, peer, run.seconds)
  }

/** A text file of one megabyte, in the middle of which a number is counted up. */
const EDITED = { path: 'edited.txt', bytes: 1_000_000, n: 0 }

function writeEdited({ tree }: Plan): void {
  const half = Array.from({ length: EDITED.bytes / 100 }, (_, i) =>
    `line ${i} of the half of a file\n`.padStart(50, '.'),
  )
  writeFileSync(join(tree.root, EDITED.path), [...half, `{${EDITED.n}}\n`, ...half].join(''))
}

/** The same edit, made untimed; by a peer that records single files. */
async function commitEdit(plan: Plan, peer: Peer): Promise<Run[]> {
  await peer.commit?.(EDITED.path, true)
  EDITED.n++
  writeEdited(plan)
  const run = await peer.commit?.(EDITED.path, false)
  return run ? [run] : []
}

const warmTurn =
  (warm: Warm): Turn =>
  async (plan, samples, nextEdition) => {
    const { tree, rows } = plan
    const change = { files: CHANGED_FILES, make: () => changeFiles(tree, CHANGED_FILES, nextEdition()) }
    const take = {
      'warm-unchanged': () => warm.unchanged(),
      'warm-changed': () => warm.changed(change),
      'warm-command': () => warm.command(change),
      'warm-travel': () => travel(warm, plan, samples, change, nextEdition),
    }
    for (const row of WARM.filter((each) => rows.has(each)))
      for (const seconds of await take[row]()) add(samples[row], TIMEWARP, seconds)
    if (!rows.has('edit')) return
    for (const seconds of await warm.edits(EDITED.path, EDITED)) add(samples.edit, TIMEWARP, seconds)
  }

/** There and home between two moments that differ in so many files; and what it takes just to write those. */
async function travel(
  warm: Warm,
  plan: Plan,
  samples: Samples,
  change: { files: number; make: () => void },
  nextEdition: () => number,
): Promise<readonly number[]> {
  const { there, home } = await warm.travels(change)
  for (const seconds of home) add(samples['warm-return'], TIMEWARP, seconds)
  add(samples.written, TIMEWARP, writeAgain(plan, filesOfRound(plan.tree, CHANGED_FILES, nextEdition())))
  return there
}

/**
 * What nobody can do without who must neither tear a file nor lose one: the contents that go are synced somewhere else
 * first, then each file is written aside and moved into place.
 */
function writeAgain(plan: Plan, paths: readonly string[]): number {
  const contents = paths.map((path) => readFileSync(join(plan.tree.root, path)))
  const started = performance.now()
  writeSynced(join(plan.scratch, `backup-${started}`), Buffer.concat(contents))
  paths.forEach((path, at) => {
    const file = join(plan.tree.root, path)
    writeFileSync(`${file}.new`, contents[at] as Buffer)
    renameSync(`${file}.new`, file)
  })
  return (performance.now() - started) / 1000
}

function writeSynced(file: string, bytes: Uint8Array): void {
  writeFileSync(file, bytes, { flush: true })
  const folder = openSync(dirname(file), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

async function startWarm(plan: Plan): Promise<Warm | undefined> {
  if (plan.startWarm === undefined) return undefined
  plan.say('a daemon takes the tree up')
  return plan.startWarm()
}

async function lookAtDaemon(plan: Plan, samples: Samples, warm: Warm): Promise<void> {
  if (plan.rows.has('daemon-memory')) add(samples['daemon-memory'], TIMEWARP, await warm.residentBytes())
  if (!plan.rows.has('daemon-idle')) return
  plan.say('the daemon has nothing to do for a minute')
  add(samples['daemon-idle'], TIMEWARP, await warm.idleSeconds())
  if (plan.rows.has('daemon-memory')) add(samples['daemon-memory'], TIMEWARP, await warm.residentBytes())
}

/** Each first takes in what others changed, untimed, so that the peer sees this change alone. */
const everydayRow = {
  async unchanged(_: Plan, peer: Peer): Promise<number> {
    await peer.snapshot()
    const { changed, run } = await peer.snapshot()
    if (changed) throw new Error(`${peer.name} saw a change where there was none.`)
    return run.seconds
  },

  async changed({ tree }: Plan, peer: Peer, edition: number): Promise<number> {
    await peer.snapshot()
    changeFiles(tree, CHANGED_FILES, edition)
    const { changed, run } = await peer.snapshot()
    if (!changed) throw new Error(`${peer.name} saw no change where there was one.`)
    return run.seconds
  },

  async 'restore-changed'({ tree }: Plan, peer: Peer, edition: number): Promise<number> {
    const { id } = await peer.snapshot()
    const paths = filesOfRound(tree, CHANGED_FILES, edition)
    const contents = () => paths.map((path) => readFileSync(join(tree.root, path), 'latin1')).join('\0')
    const before = contents()
    changeFiles(tree, CHANGED_FILES, edition)
    const { seconds } = await peer.restoreChanged(id, paths)
    if (contents() !== before) throw new Error(`${peer.name} did not bring the changed files back.`)
    return seconds
  },
}

async function editRows({ rows, say, scratch, historyPlace, env, rounds }: Plan, samples: Samples): Promise<void> {
  const all = (figure: 'history' | 'diff' | 'diff-all', peer: PeerName, values: readonly number[]): void => {
    for (const value of values) add(samples[figure], { name: peer }, value)
  }
  if (rows.has('history') && historyPlace !== undefined) {
    say('a history of 100,000 edits is written, then read')
    all('history', 'timewarp', await historyPages(historyPlace, scratch))
  }
  if (rows.has('diff')) {
    all('diff', 'timewarp', ownDiffs('some', rounds.cheap))
    all('diff', 'git', await gitDiffs(scratch, env, rounds.cheap))
  }
  if (rows.has('diff-all')) all('diff-all', 'timewarp', ownDiffs('all', rounds.dear))
}

async function fullRestores(plan: Plan, samples: Samples): Promise<void> {
  for (let round = 0; round < plan.rounds.dear; round++)
    for (const peer of byTurns(plan.peers, round)) {
      plan.say(`full restore, round ${round + 1}: ${peer.name}`)
      const { id } = await peer.snapshot()
      const dir = join(plan.scratch, 'restored', `${peer.name}-${round}`)
      mkdirSync(dir, { recursive: true })
      await flush(plan)
      const others = watchOthers()
      const { seconds, cpuSeconds } = await peer.restoreAll(id, dir)
      plan.say(sampleText(seconds, others()))
      add(samples['restore-all'], peer, seconds)
      add(samples['restore-all-cpu'], peer, cpuSeconds)
      checkCopy(plan.tree.root, dir, plan.tree.paths)
    }
}

/** Waits until everything written is on disk, so that nobody pays for the writes of another. Returns the seconds. */
async function flush({ scratch }: Plan): Promise<number> {
  return (await run({ argv: ['sync'], cwd: scratch, env: process.env })).seconds
}

const sampleText = (seconds: number, others: number): string =>
  `  ${seconds.toFixed(2)} s; others used ${Math.round(others * 100)} % of the processors`

const byTurns = <T>(all: readonly T[], round: number): readonly T[] =>
  all.map((_, at) => all[(at + round) % all.length] as T)

function add(figure: Partial<Record<PeerName, number[]>>, peer: { readonly name: PeerName }, value: number): void {
  ;(figure[peer.name] ??= []).push(value)
}
