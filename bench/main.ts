/**
 * Timewarp's command line beside shadow git and restic, in one run on one machine: see `--help`.
 *
 * Everything happens in one scratch folder, which is removed at the end.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { benchAttribution } from './attribution.ts'
import { benchBeside } from './beside.ts'
import { benchGuards } from './guards.ts'
import { InodeWatch } from './inodes.ts'
import { cautions, describeMachine, type Machine, watchOthers } from './machine.ts'
import { measure, type Plan, ROWS, type Row } from './measure.ts'
import { git, PEERS, type Peer, type PeerName, restic, timewarp } from './peers.ts'
import { copyProgram } from './program.ts'
import { judge } from './reaches.ts'
import { type Report, readEarlier, reportJson, reportText } from './report.ts'
import { endAll } from './run.ts'
import { makeTree, stopMaking } from './tree.ts'
import { Warm } from './warm.ts'

const HELP = `Usage: npm run bench -- [options]
       npm run bench -- attribution [options]   How often it is right about who made a change; see its --help

  --files N      Files of the tree (default 100000)
  --rounds N     Rounds of the quick rows (default 7); the slow ones get a third of it, at most 3
  --only NAME,…  Only these rows (${ROWS.join(', ')}) or peers (${PEERS.join(', ')})
  --json FILE    Write all samples there
  --compare FILE Set the daemon's time for 20 changed files beside that of an earlier run, written with --json
  --dir DIR      Make the scratch folder in DIR instead of the system's temporary folder
  --keep         Leave the scratch folder
  --guards       Measure what guards cost inside a real client, instead of all else (needs: npm run clients -- claude)
  --beside DIR   Set the warm captures and hooks of this build beside those of another built checkout, instead of all else
  --strict       Exit with 1 when a reach is missed
`
/** With fewer, what an earlier run deleted does not matter. */
const MANY_FILES = 20_000

/** What a file takes on disk, in the tree and the daemon's store, and for each slow round in all stores and copies. */
const DISK_PER_FILE = { tree: 12_000, round: 32_000 }

/** Whose figures of the peers a row is set beside. */
const BESIDE: Partial<Record<Row, Row>> = {
  'warm-unchanged': 'unchanged',
  'warm-changed': 'changed',
  'warm-command': 'changed',
  'warm-travel': 'warm-changed',
}

interface Options {
  readonly files: number
  readonly rounds: { readonly cheap: number; readonly dear: number }
  readonly rows: ReadonlySet<Row>
  readonly peers: ReadonlySet<PeerName>
  readonly json: string | undefined
  readonly compare: string | undefined
  readonly dir: string
  readonly keep: boolean
  readonly guards: boolean
  readonly beside: string | undefined
  readonly strict: boolean
}

function parseOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      files: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '7' },
      only: { type: 'string', default: '' },
      json: { type: 'string' },
      compare: { type: 'string' },
      dir: { type: 'string', default: tmpdir() },
      keep: { type: 'boolean', default: false },
      guards: { type: 'boolean', default: false },
      beside: { type: 'string' },
      strict: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const only = values.only.split(',').filter(Boolean)
  const cheap = wholeNumber('--rounds', values.rounds, 1, 1000)
  return {
    files: wholeNumber('--files', values.files, 100, 5_000_000),
    rounds: { cheap, dear: Math.min(3, Math.ceil(cheap / 3)) },
    rows: withBeside(chosen(ROWS, only)),
    peers: chosen(PEERS, only),
    json: values.json,
    compare: values.compare,
    dir: resolve(values.dir),
    keep: values.keep,
    guards: values.guards,
    beside: values.beside && resolve(values.beside),
    strict: values.strict,
  }
}

function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= least && number <= most) return number
  throw new Error(`${flag} takes a whole number from ${least} to ${most}, not "${text}".`)
}

/** The names that were asked for; all of them when none of their kind was. */
function chosen<T extends string>(all: readonly T[], only: readonly string[]): ReadonlySet<T> {
  const unknown = only.find((name) => ![...ROWS, ...PEERS].some((known) => known === name))
  if (unknown !== undefined) throw new Error(`--only does not know "${unknown}".`)
  const some = all.filter((name) => only.includes(name))
  return new Set(some.length > 0 ? some : all)
}

const withBeside = (rows: ReadonlySet<Row>): ReadonlySet<Row> =>
  new Set([...rows].flatMap((row) => [row, BESIDE[row] ?? row]))

function checkSpace({ dir, files, rounds }: Options): void {
  const { bavail, bsize } = statfsSync(dir)
  const needed = files * (DISK_PER_FILE.tree + rounds.dear * DISK_PER_FILE.round)
  if (bavail * bsize > needed) return
  throw new Error(`${dir} needs ${Math.ceil(needed / 1e9)} GB free. Lower --files or --rounds, or use --dir.`)
}

/** No configuration of this machine, nothing written outside the scratch folder. */
function environment(home: string): NodeJS.ProcessEnv {
  mkdirSync(home)
  return {
    PATH: process.env['PATH'],
    HOME: home,
    TMPDIR: home,
    GIT_CONFIG_NOSYSTEM: '1',
    RESTIC_PROGRESS_FPS: '0.01',
  }
}

async function bench(options: Options, scratch: string): Promise<Report> {
  const { files, rows, rounds, compare } = options
  const earlier = compare === undefined ? undefined : readEarlier(compare)
  const machine = describeMachine(scratch)
  const inodes = new InodeWatch(machine, scratch)
  if (files >= MANY_FILES) await inodes.settle(say)
  say(`making ${files} files in ${scratch}`)
  const started = performance.now()
  const tree = await makeTree(join(scratch, 'tree'), files)
  say(`made in ${((performance.now() - started) / 1000).toFixed(1)} s`)
  const others = watchOthers()
  const samples = await measure({ scratch, tree, ...contestants(options, machine, scratch), rows, rounds, say })
  const notes = [...cautions({ machine, files, peers: options.peers, others: others() }), ...inodes.cautions()]
  return { machine, files, bytes: tree.bytes, rounds, samples, outcomes: judge(samples, files, earlier), notes }
}

function contestants(
  options: Options,
  machine: Machine,
  scratch: string,
): Pick<Plan, 'peers' | 'startWarm' | 'historyPlace' | 'env'> {
  const env = environment(join(scratch, 'home'))
  const root = join(scratch, 'tree')
  const program = copyProgram(join(scratch, 'program'))
  const place = { root, launcher: program.launcher, env }
  const isThere = ({ name }: Peer) => options.peers.has(name) && (name !== 'restic' || machine.restic !== undefined)
  return {
    peers: [timewarp(place), git(place), restic(place)].filter(isThere),
    startWarm: options.peers.has('timewarp')
      ? () => Warm.start({ program, home: join(scratch, 'daemon'), env }, root)
      : undefined,
    historyPlace: options.peers.has('timewarp') ? { program, home: join(scratch, 'timeline'), env } : undefined,
    env,
  }
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Side by side: on a disk with `discard`, removing a million files one after the other takes minutes. */
function remove(scratch: string): void {
  say(`removing ${scratch}`)
  spawnSync('sh', ['-c', 'for each in "$0"/restored/* "$0"/*; do rm -rf "$each" & done; wait; rm -rf "$0"', scratch])
}

function endOn(signal: NodeJS.Signals, code: number, tidy: () => void): void {
  process.on(signal, async () => {
    endAll()
    await stopMaking()
    tidy()
    process.exit(code)
  })
}

async function main(): Promise<number> {
  const [first, ...rest] = process.argv.slice(2)
  if (first === 'attribution') return benchAttribution(rest)
  const options = parseOptions()
  if (options === undefined) {
    process.stdout.write(HELP)
    return 0
  }
  checkSpace(options)
  const { beside } = options
  if (beside !== undefined) return benchBeside({ ...options, beside, rounds: options.rounds.cheap })
  if (options.guards) return benchGuards({ ...options, rounds: options.rounds.cheap })
  const scratch = mkdtempSync(join(options.dir, 'timewarp-bench-'))
  const tidy = () => (options.keep ? say(`kept ${scratch}`) : remove(scratch))
  endOn('SIGINT', 130, tidy)
  endOn('SIGTERM', 143, tidy)
  try {
    const report = await bench(options, scratch)
    process.stdout.write(`${reportText(report)}\n`)
    if (options.json !== undefined) writeFileSync(options.json, reportJson(report))
    return options.strict && report.outcomes.some(({ ok }) => ok === false) ? 1 : 0
  } finally {
    endAll()
    tidy()
  }
}

process.exitCode = await main().catch((cause: unknown) => {
  say(`Error: ${cause instanceof Error ? cause.message : String(cause)}`)
  return 2
})
