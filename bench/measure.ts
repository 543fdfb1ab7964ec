import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkCopy, sizeOf } from './disk.ts'
import { watchOthers } from './machine.ts'
import type { Peer, PeerName } from './peers.ts'
import { run } from './run.ts'
import { changeFiles, filesOfRound, type Tree } from './tree.ts'

export const ROWS = ['first', 'size', 'unchanged', 'changed', 'restore-all', 'restore-changed'] as const
export type Row = (typeof ROWS)[number]
/** What is measured: the rows, and what comes along with them. */
export type Figure = Row | 'first-cpu' | 'memory' | 'flush' | 'apparent' | 'restore-all-cpu'

/** All samples of a figure by peer, in seconds or bytes. */
export type Samples = Record<Figure, Partial<Record<PeerName, number[]>>>

export interface Plan {
  readonly scratch: string
  readonly tree: Tree
  readonly peers: readonly Peer[]
  readonly rows: ReadonlySet<Row>
  /** Of the rows that take milliseconds, and of those that take seconds. */
  readonly rounds: { readonly cheap: number; readonly dear: number }
  readonly say: (text: string) => void
}

const EVERYDAY = ['unchanged', 'changed', 'restore-changed'] as const
const CHANGED_FILES = 20

/** Files younger than this may be read again by any of the peers, because their times prove nothing yet. */
const QUIET_MS = 2500

/**
 * Takes all samples, the peers by turns within each round.
 *
 * Nothing is deleted before the end: on some file systems the peer that comes next would pay for it (see `inodes.ts`).
 */
export async function measure(plan: Plan): Promise<Samples> {
  const samples: Samples = {
    first: {},
    'first-cpu': {},
    memory: {},
    flush: {},
    size: {},
    apparent: {},
    unchanged: {},
    changed: {},
    'restore-changed': {},
    'restore-all': {},
    'restore-all-cpu': {},
  }
  await sleep(QUIET_MS)
  await firstSnapshots(plan, samples)
  if (plan.rows.has('size')) measureStores(plan, samples)
  if (['unchanged', 'changed', 'restore-changed'].some((row) => plan.rows.has(row as Row)))
    await everyday(plan, samples)
  if (plan.rows.has('restore-all')) await fullRestores(plan, samples)
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

async function everyday(plan: Plan, samples: Samples): Promise<void> {
  const rows = EVERYDAY.filter((row) => plan.rows.has(row))
  let edition = 0
  for (let round = 0; rows.length > 0 && round < plan.rounds.cheap; round++) {
    plan.say(`everyday commands, round ${round + 1}`)
    for (const peer of byTurns(plan.peers, round)) {
      await sleep(QUIET_MS)
      for (const row of rows) add(samples[row], peer, await everydayRow[row](plan, peer, edition++))
    }
  }
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

const byTurns = (peers: readonly Peer[], round: number): readonly Peer[] =>
  peers.map((_, at) => peers[(at + round) % peers.length] as Peer)

function add(figure: Partial<Record<PeerName, number[]>>, peer: Peer, value: number): void {
  ;(figure[peer.name] ??= []).push(value)
}
