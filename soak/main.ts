/**
 * Churns a workspace while a daemon captures it, and now and then compares what the daemon has in mind with what is
 * there: see `--help`. Everything happens in one scratch folder, which is removed unless something was wrong.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { endAll } from '../bench/run.ts'
import { Scene } from './scene.ts'
import { soak } from './soak.ts'
import { Tally } from './tally.ts'

const HELP = `Usage: npm run soak -- [options]

  --seconds N  How long (default 600)
  --seed N     Let the writers choose what they chose in another run
  --dir DIR    Make the scratch folder in DIR instead of the system's temporary folder
  --keep       Leave the scratch folder, also when all is well
`

function parseOptions() {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '600' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      dir: { type: 'string', default: tmpdir() },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const { keep } = values
  return {
    seconds: wholeNumber('--seconds', values.seconds, 5),
    seed: wholeNumber('--seed', values.seed, 0),
    dir: resolve(values.dir),
    keep,
  }
}

function wholeNumber(flag: string, text: string, least: number): number {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= least) return number
  throw new Error(`${flag} takes a whole number from ${least} on, not "${text}".`)
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

function endOn(signal: NodeJS.Signals, code: number, tidy: () => void): void {
  process.once(signal, () => {
    tidy()
    process.exit(code)
  })
}

async function main(): Promise<number> {
  const options = parseOptions()
  if (options === undefined) {
    process.stdout.write(HELP)
    return 0
  }
  const { seconds, seed, dir, keep } = options
  const scratch = mkdtempSync(join(dir, 'timewarp-soak-'))
  const remove = () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
  const stopping = new AbortController()
  const tidy = () => {
    stopping.abort()
    endAll()
    remove()
  }
  endOn('SIGINT', 130, tidy)
  endOn('SIGTERM', 143, tidy)
  say(`soaking for ${seconds} s in ${scratch}, seed ${seed}`)
  const scene = new Scene(scratch, seed)
  const tally = new Tally()
  const progress = process.stderr.isTTY ? () => say(`  ${tally.brief()}`) : () => {}
  const wrong = await soak({ scene, tally, seconds, seed, progress, stopping: stopping.signal })
  process.stdout.write(`${tally.summary()}\n`)
  if (wrong.length === 0 && !keep) remove()
  else say(`The scratch folder is left: ${scratch}`)
  if (wrong.length === 0) return 0
  process.stdout.write(`\nWrong, with --seed ${seed}:\n${wrong.map((each) => `  ${each}`).join('\n')}\n`)
  return 1
}

process.exitCode = await main().catch((cause: unknown) => {
  endAll()
  say(`Error: ${cause instanceof Error ? cause.message : String(cause)}`)
  return 2
})
