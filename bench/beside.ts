import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyProgram, isBuilt, type Program } from './program.ts'
import { median } from './reaches.ts'
import { changeFiles, makeTree, type Tree } from './tree.ts'
import { Warm } from './warm.ts'

/**
 * Two builds of Timewarp side by side: this checkout and another one, usually of the commit before. Each has a daemon, a
 * store and a copy of the tree of its own, and they take turns, so that the machine's mood is the same for both.
 */

const CHANGED_FILES = 20
/** Of each kind, in a round; and before the first one, uncounted: a young daemon is slower than an older one. */
const CALLS = 20
const WARM_UP = 40
/** A build may take this much longer than the other one. */
const LIMIT = 1.1

const FIGURES = ['nothing changed', '20 files changed', 'two hooks of a command that writes'] as const
type Figure = (typeof FIGURES)[number]

interface Side {
  readonly name: 'this build' | 'the other'
  readonly tree: Tree
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  readonly program: Program
  readonly warm: Warm
  readonly samples: Record<Figure, number[]>
}

export interface BesideOptions {
  /** Another built checkout. */
  readonly beside: string
  readonly files: number
  readonly rounds: number
  readonly dir: string
  readonly strict: boolean
}

export async function benchBeside(options: BesideOptions): Promise<number> {
  if (!isBuilt(options.beside)) throw new Error(`${options.beside} is not a built checkout: run npm ci there.`)
  const dir = mkdtempSync(join(options.dir, 'timewarp-beside-'))
  const sides: Side[] = []
  try {
    sides.push(await startSide('the other', options.beside, dir, options.files))
    sides.push(await startSide('this build', undefined, dir, options.files))
    await measure(sides, WARM_UP, -1)
    for (const { samples } of sides) for (const figure of FIGURES) samples[figure].length = 0
    for (let round = 0; round < options.rounds; round++) {
      await measure(sides, CALLS, round)
      say(`round ${round + 1} of ${options.rounds}`)
    }
    return report(sides) || !options.strict ? 0 : 1
  } finally {
    for (const { warm } of sides) await warm.end()
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function startSide(name: Side['name'], from: string | undefined, dir: string, files: number): Promise<Side> {
  const at = join(dir, name.replaceAll(' ', '-'))
  const user = join(at, 'user')
  mkdirSync(user, { recursive: true })
  const tree = await makeTree(join(at, 'tree'), files)
  const program = copyProgram(join(at, 'program'), from)
  const home = join(at, 'store')
  const env = { PATH: process.env['PATH'], HOME: user, TMPDIR: user, GIT_CONFIG_NOSYSTEM: '1', TIMEWARP_HOME: home }
  const warm = await Warm.start({ program, home, env }, tree.root)
  mkdirSync(join(tree.root, 'hooks'))
  const samples = Object.fromEntries(FIGURES.map((figure) => [figure, [] as number[]])) as Side['samples']
  return { name, tree, home, env, program, warm, samples }
}

/** The two take turns call by call, another one first each time. */
async function measure(sides: readonly Side[], calls: number, round: number): Promise<void> {
  for (const figure of FIGURES)
    for (let call = 0; call < calls; call++)
      for (const side of call % 2 === 0 ? sides : [...sides].reverse())
        side.samples[figure].push(await MEASURE[figure](side, (round + 1) * 1000 + call))
}

const MEASURE: Record<Figure, (side: Side, edition: number) => Promise<number>> = {
  'nothing changed': ({ warm }) => warm.capture(),
  '20 files changed': ({ warm, tree }, edition) =>
    warm.capture({ files: CHANGED_FILES, make: () => changeFiles(tree, CHANGED_FILES, edition) }),
  'two hooks of a command that writes': (side, edition) => guardedCommand(side, `${edition}`),
}

/** What the hooks before and after a command take together, from the start of each process to its end. */
async function guardedCommand(side: Side, id: string): Promise<number> {
  const file = join(side.tree.root, 'hooks', `${id}.txt`)
  const before = await hook(side, 'PreToolUse', id, file)
  writeFileSync(file, id)
  return before + (await hook(side, 'PostToolUse', id, file))
}

async function hook(side: Side, event: string, id: string, file: string): Promise<number> {
  const payload = {
    session_id: 'beside',
    hook_event_name: event,
    cwd: side.tree.root,
    tool_use_id: id,
    tool_name: 'Bash',
    tool_input: { command: `echo ${id} > ${file}` },
    tool_response: {},
  }
  const script = join(side.program.launcher, '..', 'timewarp-hook')
  const started = performance.now()
  const child = spawn(script, ['claude', side.home], {
    env: { ...side.env, CLAUDE_PROJECT_DIR: side.tree.root },
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  child.stdin.end(JSON.stringify(payload))
  const code = await new Promise((done) => child.on('close', done))
  if (code !== 0) throw new Error(`${script} ended with ${String(code)}`)
  return (performance.now() - started) / 1000
}

function report(sides: readonly Side[]): boolean {
  const [other, own] = sides as [Side, Side]
  let isReached = true
  for (const figure of FIGURES) {
    const [was, is] = [median(other.samples[figure]) ?? 0, median(own.samples[figure]) ?? 0]
    const ratio = is / was
    isReached &&= ratio <= LIMIT
    const times = `${(was * 1000).toFixed(2)} ms → ${(is * 1000).toFixed(2)} ms`
    process.stdout.write(`${figure.padEnd(36)} ${times.padEnd(24)} ${ratio.toFixed(2)} × (at most ${LIMIT})\n`)
  }
  return isReached
}

const say = (text: string): void => void process.stderr.write(`${text}\n`)
