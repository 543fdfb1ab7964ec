import type { Figure, Samples } from './measure.ts'
import type { PeerName } from './peers.ts'

type Bound = '≥' | '≤' | '<'

/** Something that Timewarp sets out to reach. */
interface Reach {
  readonly what: string
  readonly bound: Bound
  readonly limit: number
  readonly unit: '×' | 'MB'
  /** Undefined when a figure it needs was left out. */
  readonly value: (samples: Samples) => number | undefined
}

export interface Outcome extends Omit<Reach, 'value'> {
  readonly value: number | undefined
  readonly ok: boolean | undefined
}

const MB = 1e6

const timesAsFast = (figure: Figure, peer: PeerName) => (samples: Samples) =>
  ratio(median(samples[figure][peer]), median(samples[figure].timewarp))

const shareOf = (figure: Figure, peer: PeerName) => (samples: Samples) =>
  ratio(median(samples[figure].timewarp), median(samples[figure][peer]))

/** The one reach that a single round can miss: memory has to suffice every time. */
const peakMemory = ({ memory }: Samples) => memory.timewarp && Math.max(...memory.timewarp) / MB

const smallRestore = (samples: Samples) =>
  ratio(median(samples['restore-changed'].timewarp), median(samples.unchanged.timewarp))

const REACHES: readonly Reach[] = [
  { what: 'first snapshot, times as fast as git', bound: '≥', limit: 5, unit: '×', value: timesAsFast('first', 'git') },
  {
    what: 'first snapshot, times as fast as restic',
    bound: '≥',
    limit: 2,
    unit: '×',
    value: timesAsFast('first', 'restic'),
  },
  { what: 'first snapshot, peak memory', bound: '<', limit: 500, unit: 'MB', value: peakMemory },
  { what: "store on disk, of git's loose objects", bound: '≤', limit: 0.5, unit: '×', value: shareOf('size', 'git') },
  { what: "nothing changed, of git's time", bound: '≤', limit: 1, unit: '×', value: shareOf('unchanged', 'git') },
  { what: "full restore, of git's time", bound: '<', limit: 1, unit: '×', value: shareOf('restore-all', 'git') },
  { what: 'restore of 20 files, of nothing changed', bound: '≤', limit: 1.2, unit: '×', value: smallRestore },
]

export function judge(samples: Samples): readonly Outcome[] {
  return REACHES.map((reach) => {
    const value = reach.value(samples)
    return { ...reach, value, ok: value === undefined ? undefined : keeps(reach, value) }
  })
}

export function median(values: readonly number[] = []): number | undefined {
  if (values.length === 0) return undefined
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2
}

function keeps({ bound, limit }: Reach, value: number): boolean {
  if (bound === '≥') return value >= limit
  return bound === '≤' ? value <= limit : value < limit
}

function ratio(above: number | undefined, below: number | undefined): number | undefined {
  return above === undefined || below === undefined ? undefined : above / below
}
