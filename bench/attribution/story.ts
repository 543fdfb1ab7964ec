import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CallFailed, Daemon, type DaemonPlace } from '../daemon.ts'
import { mix, randomFrom } from '../random.ts'
import { run } from '../run.ts'
import { serve } from './agents.ts'
import { COMMON, EDITORS, ownFiles, type Pace, work } from './people.ts'
import { Truth } from './truth.ts'
import { changesIn, type Judged, judgeAll } from './verdict.ts'
import { claudeWire, type Line, otherWire } from './wires.ts'

/** People and agents at work in several workspaces under one daemon, and what the timelines say of it afterwards. */
export interface StoryOptions {
  readonly scratch: string
  readonly place: DaemonPlace
  readonly seed: number
  readonly seconds: number
  /** Everything takes so many times less than it would: commands, pauses, the window, the schedule. */
  readonly scale: number
  readonly workspaces: number
  readonly say: (text: string) => void
}

export interface Told {
  readonly agents: number
  readonly people: number
  readonly judged: readonly Judged[]
  /** Lines of people that a revert of an agent's prompt or session would have taken back. */
  readonly taken: readonly Taken[]
}

export interface Taken {
  readonly what: string
  readonly path: string
  readonly line: string
  readonly wasSeen: boolean
}

const WINDOW_S = 600
/** In every third workspace a second agent works beside the first. */
const agentsIn = (workspace: number): number => (workspace % 3 === 2 ? 2 : 1)
const peopleIn = (workspace: number): number => 1 + (workspace % 2)
const NAMES = ['ann', 'bob']
const CONNECTIONS = 64

export async function tellStory(options: StoryOptions): Promise<Told> {
  const { scratch, place, scale, workspaces } = options
  mkdirSync(place.home, { recursive: true, mode: 0o700 })
  writeFileSync(
    join(place.home, 'config.json'),
    JSON.stringify({
      attribution: { window_s: WINDOW_S / scale },
      schedule: { every_minutes: 5 / scale, debounce_seconds: Math.ceil(30 / scale) },
    }),
  )
  const daemon = await Daemon.start(place, CONNECTIONS)
  try {
    const sites = await Promise.all(
      Array.from({ length: workspaces }, (_, n) => newSite(options, daemon, join(scratch, `ws-${n}`), n)),
    )
    const end = Date.now() + options.seconds * 1000
    const pace: Pace = { ms: (seconds) => (seconds * 1000) / scale, isOver: () => Date.now() >= end }
    await Promise.all(sites.map((site) => live(options, site, pace)))
    options.say('comparing')
    for (const { truth } of sites) await daemon.call('snapshot', { workspace: truth.root })
    for (const site of sites) await lookBack(options, site)
    const judged: Judged[] = []
    for (const { truth } of sites) judged.push(...(await judgeAll(daemon, truth)))
    return {
      agents: sites.reduce((sum, { sessions }) => sum + sessions.length, 0),
      people: sites.reduce((sum, { people }) => sum + people.length, 0),
      judged,
      taken: sites.flatMap(({ taken }) => taken),
    }
  } finally {
    await daemon.stop()
  }
}

interface Site {
  readonly n: number
  readonly daemon: Daemon
  readonly truth: Truth
  readonly plans: string
  readonly sessions: readonly string[]
  readonly people: readonly string[]
  readonly taken: Taken[]
}

async function newSite(
  { scratch, scale, place }: StoryOptions,
  daemon: Daemon,
  root: string,
  n: number,
): Promise<Site> {
  const truth = new Truth(root, (WINDOW_S * 1000) / scale)
  const plans = join(scratch, `plans-${n}`)
  const people = NAMES.slice(0, peopleIn(n))
  for (const folder of [plans, join(root, 'gen'), join(root, 'notes')]) mkdirSync(folder, { recursive: true })
  for (const path of [...COMMON, ...people.flatMap(ownFiles)]) truth.write(path, `${path}\n`)
  truth.write('build.sh', `#!/bin/sh\n. ${plans}/$1\n`)
  chmodSync(truth.at('build.sh'), 0o755)
  await run({
    argv: [place.program.launcher, '-C', root, 'init'],
    cwd: root,
    env: { ...place.env, TIMEWARP_HOME: place.home },
  })
  await daemon.capture(root)
  const sessions = Array.from({ length: agentsIn(n) }, (_, agent) => `w${n}-agent-${agent}`)
  return { n, daemon, truth, plans, sessions, people, taken: [] }
}

async function live({ seed, place }: StoryOptions, site: Site, pace: Pace): Promise<void> {
  const { n, truth, plans, sessions, people, daemon } = site
  const agents = sessions.map(async (session, agent) => {
    const line: Line = { daemon, program: place.program, home: place.home, env: place.env, root: truth.root, session }
    const isClaude = (n + agent) % 3 !== 1
    await serve({
      session,
      truth,
      pace,
      plans,
      made: [],
      isCareful: isClaude,
      wire: await (isClaude ? claudeWire : otherWire)(line),
      random: randomFrom(mix(seed, n, agent, 1)),
      done: (prompt) => wouldTake(site, `prompt:${prompt}`),
    })
  })
  const persons = people.map((name, person) =>
    work({
      name,
      truth,
      pace,
      editor: EDITORS[(n + person) % EDITORS.length] ?? 'autosave',
      random: randomFrom(mix(seed, n, person, 2)),
    }),
  )
  await Promise.all([...agents, ...persons])
}

/** What people would lose if this were taken back now. */
async function wouldTake({ daemon, truth, taken }: Site, what: string): Promise<void> {
  const input = { workspace: truth.root, snapshot_id: what, dry_run: true }
  const answer = await daemon.call<Reversal>('reverse_op', input).catch((error: unknown) => {
    if (error instanceof CallFailed && error.code === 'NOTHING_TO_REVERT') return undefined
    throw error
  })
  if (answer !== undefined) noteTaken(truth, taken, what, answer.output)
}

interface Reversal {
  readonly reversed_diff?: string
  readonly conflicts?: readonly { readonly path: string }[]
}

/** Where later work stands in the way nothing is taken back. */
function noteTaken(truth: Truth, taken: Taken[], what: string, { reversed_diff = '', conflicts = [] }: Reversal): void {
  const kept = new Set(conflicts.map(({ path }) => path))
  for (const { path, removed } of changesIn(reversed_diff).filter((one) => !kept.has(one.path)))
    for (const found of truth.personsLines(path, removed))
      if (!taken.some(({ line }) => line === found.line)) taken.push({ what, path, ...found })
}

/** Whole sessions, and the command that people reach for. */
async function lookBack({ place }: StoryOptions, site: Site): Promise<void> {
  const { truth, sessions, taken } = site
  for (const session of sessions) await wouldTake(site, `session:${session}`)
  const answer = oopsJson(truth.root, place)
  // Where the last thing was a person's, it is theirs to take back.
  if (answer.of === 'prompt' || answer.of === 'session') noteTaken(truth, taken, 'oops', answer)
}

/** What `oops` would do. It ends with another code where something stands in the way. */
function oopsJson(root: string, { program, home, env }: DaemonPlace): Reversal & { readonly of?: string } {
  const { stdout, stderr } = spawnSync(program.launcher, ['--json', 'oops'], {
    cwd: root,
    env: { ...env, TIMEWARP_HOME: home },
    encoding: 'utf8',
  })
  if (stdout === '') throw new Error(`timewarp oops: ${stderr}`)
  return JSON.parse(stdout) as Reversal & { of?: string }
}
