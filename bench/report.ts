import { readFileSync } from 'node:fs'
import type { Machine } from './machine.ts'
import type { Figure, Samples } from './measure.ts'
import { PEERS } from './peers.ts'
import { type Earlier, median, type Outcome } from './reaches.ts'

export interface Report {
  readonly machine: Machine
  readonly files: number
  readonly bytes: number
  readonly rounds: { readonly cheap: number; readonly dear: number }
  readonly samples: Samples
  readonly outcomes: readonly Outcome[]
  readonly notes: readonly string[]
}

const TITLES: Record<Figure, string> = {
  first: 'first snapshot',
  'first-cpu': '  its processor time',
  memory: '  its peak memory',
  flush: '  sync afterwards',
  size: 'store, on disk',
  apparent: '  store, apparent',
  unchanged: 'snapshot, nothing changed',
  changed: 'snapshot, 20 files changed',
  'restore-all': 'restore into an empty folder',
  'restore-all-cpu': '  its processor time',
  'restore-changed': 'restore of 20 changed files',
  'warm-unchanged': 'daemon asked, nothing changed',
  'warm-changed': 'daemon asked, 20 files changed',
  'warm-command': 'command with daemon, 20 changed',
  'warm-travel': 'daemon asked, travel, 20 files differ',
  'warm-return': '  and home',
  written: '  just to write the 20 files',
  'daemon-memory': 'daemon, resident memory',
  'daemon-idle': '  its processor time in an idle minute',
  edit: 'edit of a 1 MB file, recorded',
  history: 'page of 100,000 edits, by depth',
  diff: 'diff of 50,000 lines, 5 % changed',
  'diff-all': 'diff of 50,000 lines, all changed',
}
const BYTES: readonly Figure[] = ['memory', 'size', 'apparent', 'daemon-memory']

/** The report for people. */
export function reportText(report: Report): string {
  return [
    machineText(report),
    figuresText(report),
    outcomesText(report),
    report.notes.map((note) => `Note: ${note}`).join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** The report for programs: every sample, and the medians beside them. */
export function reportJson({ samples, ...rest }: Report): string {
  const figures = Object.entries(samples).map(([figure, byPeer]) => {
    const peers = Object.entries(byPeer).map(([peer, values]) => [
      peer,
      { median: median(values), ...spread(values), values },
    ])
    return [figure, { unit: BYTES.includes(figure as Figure) ? 'bytes' : 'seconds', ...Object.fromEntries(peers) }]
  })
  return `${JSON.stringify({ ...rest, figures: Object.fromEntries(figures) }, null, 2)}\n`
}

/** What a later run compares itself with, out of the report for programs. */
export function readEarlier(file: string): Earlier {
  const { files, figures } = JSON.parse(readFileSync(file, 'utf8')) as {
    files: number
    figures?: { 'warm-changed'?: { timewarp?: { median: number } } }
  }
  const warmChanged = figures?.['warm-changed']?.timewarp?.median
  if (warmChanged === undefined) throw new Error(`${file} is of a run without the row warm-changed.`)
  return { files, warmChanged }
}

function machineText({ machine, files, bytes, rounds }: Report): string {
  return [
    `${machine.cpu}, ${machine.cores} cores, ${amount(machine.memory_bytes)}; ${machine.kernel}; ${machine.file_system}`,
    `node ${machine.node}, git ${machine.git ?? 'missing'}, restic ${machine.restic ?? 'missing'}`,
    `${files.toLocaleString('en')} files, ${amount(bytes)}; medians of ${rounds.cheap} rounds (first and full restore: ${rounds.dear})`,
  ].join('\n')
}

function figuresText({ samples }: Report): string {
  const measured = (Object.keys(TITLES) as Figure[]).filter((figure) => Object.keys(samples[figure]).length > 0)
  const peers = PEERS.filter((peer) => measured.some((figure) => samples[figure][peer] !== undefined))
  const rows = measured.map((figure) => [TITLES[figure], ...peers.map((peer) => cell(figure, samples[figure][peer]))])
  return table([['', ...peers], ...rows])
}

function outcomesText({ outcomes }: Report): string {
  return table(
    outcomes.map(({ what, value, unit, bound, limit, ok }) => [
      what,
      value === undefined ? '–' : `${value.toFixed(digitsOf(value, unit))} ${unit}`,
      `${bound} ${limit} ${unit}`,
      ok === undefined ? 'not measured' : ok ? 'ok' : 'MISSED',
    ]),
  )
}

function digitsOf(value: number, unit: string): number {
  if (unit === 'MB' || value >= 100) return 0
  return unit === 's' && value < 0.1 ? 4 : 2
}

function cell(figure: Figure, values: readonly number[] = []): string {
  const middle = median(values)
  if (middle === undefined) return '–'
  const show = BYTES.includes(figure) ? amount : time
  const { min, max } = spread(values)
  return values.length === 1 ? show(middle) : `${show(middle)} (${show(min)} – ${show(max)})`
}

const spread = (values: readonly number[]) => ({ min: Math.min(...values), max: Math.max(...values) })

const time = (seconds: number): string =>
  seconds < 1 ? `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms` : `${seconds.toFixed(2)} s`

const amount = (bytes: number): string =>
  bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`

function table(rows: readonly (readonly string[])[]): string {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(width(column)))
        .join('   ')
        .trimEnd(),
    )
    .join('\n')
}
