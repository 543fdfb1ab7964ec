/**
 * Plays random sequences of what people and agents do, and looks at everything after each step: see `--help`. What was
 * found is told with the command that plays it again.
 */
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { mix } from '../../bench/random.ts'
import { ACT_NAMES } from './choice.ts'
import { type Outcome, play } from './play.ts'
import { shrink } from './shrink.ts'

const HELP = `Usage: node test/harness/main.ts [options]

  --minutes N   How long to play one story after the other (default 1)
  --seed N      Play this story alone
  --steps N     So many steps of it (default 60)
  --skip N,N    Leave these steps out
  --without A,B Leave these kinds of acts out: ${ACT_NAMES.join(', ')}
  --shrink      Look for the steps that what was found needs
  --dir DIR     Make the scratch folders in DIR instead of the system's temporary folder
  --program DIR Try the build of another checkout
  --keep        Leave the scratch folder of the story
  --trace       Say each step when it is made
`

function number(flag: string, text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value >= 0) return value
  throw new Error(`--${flag} takes a number, not "${text}".`)
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string' },
    steps: { type: 'string', default: '60' },
    skip: { type: 'string', default: '' },
    without: { type: 'string', default: '' },
    shrink: { type: 'boolean', default: false },
    dir: { type: 'string', default: tmpdir() },
    program: { type: 'string' },
    keep: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const say = (text: string): void => void process.stdout.write(`${text}\n`)

function tell(seed: number, { wrong, at, lines, scratch }: Outcome): void {
  say(`FOUND with seed ${seed}, at step ${at}:`)
  for (const what of wrong) say(`  ${what}`)
  say(lines.slice(-25).join('\n'))
  say(`Again with: node test/harness/main.ts --seed ${seed} --steps ${at} --trace${values.keep ? ` (${scratch})` : ''}`)
}

async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const steps = number('steps', values.steps)
  const without = new Set(values.without.split(',').filter(Boolean))
  const common = {
    dir: resolve(values.dir),
    steps,
    without,
    keep: values.keep,
    ...(values.trace ? { trace: say } : {}),
  }
  const skip = new Set(values.skip.split(',').filter(Boolean).map(Number))
  const end = Date.now() + number('minutes', values.minutes) * 60_000
  const first = Date.now() % 1_000_000
  let found = 0
  let [stories, played, snapshots] = [0, 0, 0]
  for (let story = 0; values.seed === undefined ? Date.now() < end : story === 0; story++) {
    const seed = values.seed === undefined ? mix(first, story) : number('seed', values.seed)
    const outcome = await play({ ...common, seed, skip, ...(values.seed === undefined ? { until: end } : {}) })
    stories++
    played += outcome.steps
    snapshots += outcome.snapshots
    if (outcome.wrong.length === 0) continue
    found++
    tell(seed, outcome)
    if (values.shrink) say(`Needed: ${await shrink({ ...common, seed, steps: outcome.at, skip })}`)
  }
  say(`${stories} stories, ${played} steps, ${snapshots} snapshots brought back; ${found} findings`)
  return found === 0 ? 0 : 1
}

process.exitCode = await main()
