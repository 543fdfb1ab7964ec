import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Taken, tellStory } from './attribution/story.ts'
import { type Judged, MAKERS, TOLD } from './attribution/verdict.ts'
import { copyProgram } from './program.ts'
import { endAll } from './run.ts'

/**
 * How often the timeline is right about who made a change: simulated people and agents in several workspaces under one
 * daemon, with real files, commands and hooks; what it says is compared with what they did.
 */

const HELP = `Usage: npm run bench -- attribution [options]

  --seed N       Another story (default 1)
  --minutes N    How long it lasts (default 8)
  --changes N    At least so many changes must have been recorded (default 2000)
  --scale N      So many times quicker than in life: commands, pauses, the window and the schedule (default 5)
  --workspaces N At the same time (default 6)
  --dir DIR      Make the scratch folder in DIR instead of the system's temporary folder
  --verbose      Print every change about which the timeline is wrong

Exits with 1 when a figure is missed.
`

export interface AttributionOptions {
  readonly seed: number
  readonly seconds: number
  readonly changes: number
  readonly scale: number
  readonly workspaces: number
  readonly dir: string
  readonly verbose: boolean
}

function parse(args: readonly string[]): AttributionOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: '1' },
      minutes: { type: 'string', default: '8' },
      changes: { type: 'string', default: '2000' },
      scale: { type: 'string', default: '5' },
      workspaces: { type: 'string', default: '6' },
      dir: { type: 'string', default: tmpdir() },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const number = (flag: 'seed' | 'minutes' | 'changes' | 'scale' | 'workspaces'): number => {
    const found = Number(values[flag])
    if (Number.isFinite(found) && found >= 0) return found
    throw new Error(`--${flag} takes a number, not "${values[flag]}".`)
  }
  return {
    seed: number('seed'),
    seconds: number('minutes') * 60,
    changes: number('changes'),
    scale: Math.max(1, number('scale')),
    workspaces: Math.max(1, number('workspaces')),
    dir: resolve(values.dir),
    verbose: values.verbose,
  }
}

export async function benchAttribution(args: readonly string[]): Promise<number> {
  const options = parse(args)
  if (options === undefined) {
    process.stdout.write(HELP)
    return 0
  }
  const { text, isReached } = await playAttribution(options, (line) => void process.stderr.write(`${line}\n`))
  process.stdout.write(`${text}\n`)
  return isReached ? 0 : 1
}

export interface Played {
  readonly text: string
  readonly isReached: boolean
}

export async function playAttribution(options: AttributionOptions, say: (text: string) => void): Promise<Played> {
  const scratch = mkdtempSync(join(options.dir, 'timewarp-attribution-'))
  try {
    const user = join(scratch, 'user')
    mkdirSync(user)
    const env = { PATH: process.env['PATH'], HOME: user, TMPDIR: user, GIT_CONFIG_NOSYSTEM: '1' }
    const place = { program: copyProgram(join(scratch, 'program')), home: join(scratch, 'store'), env }
    const { seed, seconds, scale, workspaces } = options
    say(`${workspaces} workspaces for ${seconds} s in ${scratch}`)
    const told = await tellStory({ scratch, place, seed, seconds, scale, workspaces, say })
    return report(options, told)
  } finally {
    endAll()
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
  }
}

interface Figure {
  readonly what: string
  readonly part: readonly Judged[]
  readonly of: number
  readonly bound?: readonly ['≥' | '≤', number]
}

/** What is promised of each grade. */
function figuresOf(judged: readonly Judged[]): Figure[] {
  const told = (grade: Judged['told']): Judged[] => judged.filter((one) => one.told === grade)
  const right = (some: readonly Judged[]): Judged[] => some.filter(({ isRight }) => isRight)
  const isUnseen = ({ writers, wasSeen }: Judged): boolean => [...writers].some(isOfPerson) && !wasSeen
  const [certain, likely, shared] = [told('certain'), told('likely'), told('shared')]
  const seen = likely.filter((one) => !isUnseen(one))
  const elsewhere = judged.filter(({ maker, wasTouched }) => (maker === 'named' || maker === 'opaque') && !wasTouched)
  const alone = elsewhere.filter(({ hadCompany }) => !hadCompany)
  const unseen = judged.filter((one) => one.maker === 'person' && !one.wasSeen)
  const isShared = ({ told: grade }: Judged): boolean => grade === 'shared'
  return [
    { what: 'certain: right', part: right(certain), of: certain.length, bound: ['≥', 1] },
    {
      what: 'likely: right, people in files they were seen at',
      part: right(seen),
      of: seen.length,
      bound: ['≥', 0.99],
    },
    { what: 'likely: right, also in files nobody had seen them at', part: right(likely), of: likely.length },
    {
      what: '  changes of people in such files that a command was given',
      part: unseen.filter((one) => one.told === 'likely' || one.told === 'certain'),
      of: unseen.length,
    },
    { what: 'shared: everybody who had a hand in it is named', part: right(shared), of: shared.length },
    {
      what: 'made by commands, shared, while people work in other files',
      part: alone.filter(isShared),
      of: alone.length,
      bound: ['≤', 0.05],
    },
    {
      what: '  with commands of two agents at the same time',
      part: elsewhere.filter((one) => one.hadCompany && isShared(one)),
      of: elsewhere.length - alone.length,
    },
    {
      what: 'made by agents, told as somebody else’s',
      part: judged.filter((one) => one.told === 'nobody' && !one.isRight),
      of: judged.filter(({ maker }) => maker !== 'person').length,
    },
  ]
}

const isOfPerson = (writer: string): boolean => writer.startsWith('P ')

function report(
  options: AttributionOptions,
  {
    agents,
    people,
    judged,
    taken,
  }: { agents: number; people: number; judged: readonly Judged[]; taken: readonly Taken[] },
): Played {
  const figures = figuresOf(judged)
  const lost = taken.filter(({ wasSeen }) => wasSeen)
  const isKept = ({ part, of, bound }: Figure): boolean =>
    bound === undefined || of === 0 || (bound[0] === '≥' ? part.length / of >= bound[1] : part.length / of <= bound[1])
  const isReached = figures.every(isKept) && lost.length === 0 && judged.length >= options.changes
  const minutes = options.seconds / 60
  const lines = [
    `${judged.length} changes by ${agents} agents and ${people} people in ${options.workspaces} workspaces, seed ${options.seed}.`,
    `${minutes.toFixed(1)} minutes, everything ${options.scale} times quicker than in life: they stand for ${(minutes * options.scale).toFixed(0)} minutes,`,
    `commands of 0.05 to 60 s took ${(0.05 / options.scale).toFixed(3)} to ${(60 / options.scale).toFixed(1)} s, the window of 600 s was ${(600 / options.scale).toFixed(0)} s.`,
    '',
    ['made by'.padEnd(12), ...TOLD.map((told) => told.padStart(9))].join(''),
    ...MAKERS.map((maker) =>
      [
        maker.padEnd(12),
        ...TOLD.map((told) =>
          String(judged.filter((one) => one.maker === maker && one.told === told).length).padStart(9),
        ),
      ].join(''),
    ),
    '',
    ...figures.map((figure) => figureText(figure, isKept(figure))),
    `${'lines of people taken back unasked, where they were seen'.padEnd(WIDTH)} ${lost.length} (must be 0)${lost.length > 0 ? '  MISSED' : ''}`,
    `${'  and where nobody had seen them'.padEnd(WIDTH)} ${taken.length - lost.length}`,
    ...(judged.length < options.changes ? [`Too few changes: at least ${options.changes} are needed.  MISSED`] : []),
    ...(options.verbose || !isReached ? wrongText(judged, lost) : []),
  ]
  return { text: lines.join('\n'), isReached }
}

const WIDTH = 62

function figureText({ what, part, of, bound }: Figure, isKept: boolean): string {
  const share = of === 0 ? '–' : `${((100 * part.length) / of).toFixed(2)} %`
  const wanted = bound === undefined ? '' : ` (${bound[0]} ${100 * bound[1]} %)${isKept ? '' : '  MISSED'}`
  return `${what.padEnd(WIDTH)} ${part.length}/${of}  ${share}${wanted}`
}

const SHOWN = 40

function wrongText(judged: readonly Judged[], lost: readonly Taken[]): string[] {
  const wrong = judged.filter(({ isRight }) => !isRight)
  return [
    '',
    ...wrong
      .slice(0, SHOWN)
      .map(
        ({ told, path, snapshot, writers, wasSeen, cause }) =>
          `wrong: ${told} (${cause.known_by ?? '–'}) ${cause.call_id ?? ''} ${path} ${snapshot}, made by ${[...writers].join(', ')}${wasSeen ? ', seen' : ''}`,
      ),
    ...lost.slice(0, SHOWN).map(({ what, path, line }) => `taken: ${what} ${path} ${line}`),
  ]
}
