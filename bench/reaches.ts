import type { Figure, Samples } from './measure.ts'
import type { PeerName } from './peers.ts'

type Bound = '≥' | '≤' | '<'

/** Something that Timewarp sets out to reach. */
interface Reach {
  readonly what: string
  readonly bound: Bound
  readonly limit: number
  readonly unit: '×' | 'MB' | 's'
  /** Undefined when a figure it needs was left out. */
  readonly value: (samples: Samples) => number | undefined
}

export interface Outcome extends Omit<Reach, 'value'> {
  readonly value: number | undefined
  readonly ok: boolean | undefined
}

const MB = 1e6

const timesAsFast =
  (figure: Figure, peer: PeerName, own: Figure = figure) =>
  (samples: Samples) =>
    ratio(median(samples[figure][peer]), median(samples[own].timewarp))

const shareOf = (figure: Figure, peer: PeerName) => (samples: Samples) =>
  ratio(median(samples[figure].timewarp), median(samples[figure][peer]))

/** What a single sample can miss: memory has to suffice every time. */
const mostMemory = (figure: Figure) => (samples: Samples) =>
  samples[figure].timewarp && Math.max(...samples[figure].timewarp) / MB

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
  { what: 'first snapshot, peak memory', bound: '<', limit: 500, unit: 'MB', value: mostMemory('memory') },
  { what: "store on disk, of git's loose objects", bound: '≤', limit: 0.5, unit: '×', value: shareOf('size', 'git') },
  { what: "nothing changed, of git's time", bound: '≤', limit: 1, unit: '×', value: shareOf('unchanged', 'git') },
  { what: "full restore, of git's time", bound: '<', limit: 1, unit: '×', value: shareOf('restore-all', 'git') },
  { what: 'restore of 20 files, of nothing changed', bound: '≤', limit: 1.2, unit: '×', value: smallRestore },
]

/** The slowest of all places. */
const slowest = (figure: Figure) => (samples: Samples) =>
  samples[figure].timewarp && Math.max(...samples[figure].timewarp)

const EDIT_REACHES: readonly Reach[] = [
  {
    what: 'edit of a 1 MB file, times as fast as git add and commit',
    bound: '≥',
    limit: 20,
    unit: '×',
    value: timesAsFast('edit', 'git'),
  },
  { what: 'page of 100,000 edits, at any depth', bound: '<', limit: 0.02, unit: 's', value: slowest('history') },
  {
    what: "diff of 50,000 lines, 5 % changed, of git's time",
    bound: '≤',
    limit: 2,
    unit: '×',
    value: shareOf('diff', 'git'),
  },
  { what: 'diff of 50,000 lines, all changed', bound: '<', limit: 2, unit: 's', value: slowest('diff-all') },
]

/** What an earlier run, of another number of files, needed for the same. */
export interface Earlier {
  readonly files: number
  readonly warmChanged: number
}

const daemonReaches = (files: number, earlier: Earlier | undefined): readonly Reach[] => [
  {
    what: 'daemon asked, nothing changed, times as fast as git',
    bound: '≥',
    limit: 200,
    unit: '×',
    value: timesAsFast('unchanged', 'git', 'warm-unchanged'),
  },
  {
    what: 'daemon asked, 20 files changed, times as fast as git',
    bound: '≥',
    limit: 50,
    unit: '×',
    value: timesAsFast('changed', 'git', 'warm-changed'),
  },
  {
    what: 'command with daemon, 20 changed, times as fast as git',
    bound: '≥',
    limit: 5,
    unit: '×',
    value: timesAsFast('changed', 'git', 'warm-command'),
  },
  {
    what: 'travel with 20 files that differ, less writing them, of a warm capture of 20',
    bound: '≤',
    limit: 3,
    unit: '×',
    value: ({ 'warm-travel': there, written, 'warm-changed': changed }) => {
      const [all, files] = [median(there.timewarp), median(written.timewarp)]
      return all === undefined || files === undefined ? undefined : ratio(all - files, median(changed.timewarp))
    },
  },
  {
    what: 'daemon, resident memory',
    bound: '<',
    limit: memoryLimit(files),
    unit: 'MB',
    value: mostMemory('daemon-memory'),
  },
  {
    what: 'daemon, processor time in an idle minute',
    bound: '<',
    limit: 0.1,
    unit: 's',
    value: (samples) => median(samples['daemon-idle'].timewarp),
  },
  ...(earlier ? [growth(earlier)] : []),
]

/** 300 MB for up to 100,000 files, 1.2 GB for a million, and a straight line through both. */
const memoryLimit = (files: number): number => Math.round(300 + (Math.max(0, files - 100_000) * 900) / 900_000)

const growth = ({ files, warmChanged }: Earlier): Reach => ({
  what: `daemon asked, 20 files changed, of its time with ${files.toLocaleString('en')} files`,
  bound: '≤',
  limit: 2,
  unit: '×',
  value: (samples) => ratio(median(samples['warm-changed'].timewarp), warmChanged),
})

export function judge(samples: Samples, files: number, earlier: Earlier | undefined): readonly Outcome[] {
  return [...REACHES, ...daemonReaches(files, earlier), ...EDIT_REACHES].map((reach) => {
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
