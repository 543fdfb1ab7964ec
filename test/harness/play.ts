import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { mix, pick, randomFrom } from '../../bench/random.ts'
import { describeTools } from '../../src/protocol/describe.ts'
import { comeHome } from './acts.ts'
import { agree, capture, type Play } from './calls.ts'
import { someAct } from './choice.ts'
import { byHand } from './hands.ts'
import { Model } from './model.ts'
import { Scene } from './scene.ts'
import { Surfaces } from './surfaces.ts'

const REPOSITORY = join(import.meta.dirname, '../..')

export interface Options {
  /** Where the scratch folder is made. */
  readonly dir: string
  /** The checkout whose build is tried; this one by default. */
  readonly program?: string
  readonly seed: number
  readonly steps: number
  /** Steps that are left out; each step chooses by itself, so that all others stay what they are. */
  readonly skip?: ReadonlySet<number>
  /** False: no disk is mounted, also where that is allowed. */
  readonly mounts?: boolean
  /** Kinds of acts that are left out. */
  readonly without?: ReadonlySet<string>
  /** Milliseconds after which no further step begins. */
  readonly until?: number
  readonly keep?: boolean
  readonly trace?: (line: string) => void
}

export interface Outcome {
  readonly steps: number
  readonly snapshots: number
  /** What was wrong, and at which step; nothing else is played then. */
  readonly wrong: readonly string[]
  readonly at: number
  readonly lines: readonly string[]
  readonly scratch: string
}

/** Plays one story: a workspace of its own, so many steps, and a look at everything after each. */
export async function play(options: Options): Promise<Outcome> {
  const { seed, steps, skip = new Set() } = options
  const scratch = mkdtempSync(join(options.dir, 'timewarp-harness-'))
  const scene = new Scene(scratch, `CANARY-${mix(seed, 77)}`, options.program ?? REPOSITORY)
  const isSmall = options.mounts !== false && mix(seed, 5) % 5 === 0 && scene.mountHome(48 * 1024 * 1024)
  const surfaces = new Surfaces(scene)
  const model = new Model(scene, surfaces)
  const tools = await describeTools()
  const wrong: string[] = []
  const lines: string[] = []
  const say = (line: string): void => {
    lines.push(line)
    options.trace?.(line)
  }
  const common = { scene, surfaces, model, tools, isSmall, recovering: false, say }
  const at = (step: number): Play => ({
    ...common,
    random: randomFrom(mix(seed, step)),
    wrong: (what) => void (what && wrong.push(what)),
  })
  let done = 0
  const isOver = (): boolean => wrong.length > 0 || (options.until !== undefined && Date.now() > options.until)
  try {
    await begin(at(0))
    const outside = scene.outside()
    for (let step = 1; step <= steps && !isOver(); step++) {
      if (skip.has(step)) continue
      done = step
      say(`${step}:`)
      const playing = at(step)
      await someAct(playing.random, options.without ?? new Set())(playing)
      await look(playing, outside)
    }
    if (wrong.length === 0) await finish(at(steps + 1), outside)
  } catch (error) {
    wrong.push(`the harness itself: ${error instanceof Error ? error.stack : String(error)}`)
  }
  await surfaces.closeAgent()
  if (!options.keep) await scene.remove()
  return { steps: done, snapshots: model.ids.length, wrong, at: done, lines, scratch }
}

async function begin(playing: Play): Promise<void> {
  const { scene, random, surfaces } = playing
  for (let i = 0; i < 30; i++) byHand(scene.root, random)
  // What retention takes away is no loss; here it would look like one.
  await surfaces.call('cli-alone', 'config', { key: 'retention.auto', value: 'false', home: true })
  if (random() < 0.7) await scene.startDaemon()
  await capture(playing)
}

/** After each step: nothing outside has changed, and a snapshot chosen by chance comes back as it was. */
async function look(playing: Play, outside: string): Promise<void> {
  const { scene, model, random } = playing
  const found = scene.outside()
  if (found !== outside) playing.wrong(`something outside has changed: ${firstDifference(outside, found)}`)
  if (random() < 0.2) await agree(playing)
  if (random() < 0.35) await capture(playing)
  if (model.ids.length > 0 && random() < 0.5) playing.wrong(await model.check(pick(random, model.ids)))
}

/** In the end everything comes back. */
async function finish(playing: Play, outside: string): Promise<void> {
  playing.say('the end')
  await comeHome(playing)
  await capture(playing)
  for (const id of playing.model.ids) playing.wrong(await playing.model.check(id))
  if (playing.scene.outside() !== outside) playing.wrong('something outside has changed')
}

function firstDifference(a: string, b: string): string {
  const [was, is] = [new Set(a.split('\n')), new Set(b.split('\n'))]
  const gone = [...was].find((line) => !is.has(line))
  const come = [...is].find((line) => !was.has(line))
  return `${gone ?? 'nothing'} → ${come ?? 'nothing'}`.slice(0, 600)
}
