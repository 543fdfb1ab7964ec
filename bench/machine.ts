import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem, type } from 'node:os'
import type { PeerName } from './peers.ts'
import { machineTicks, ownTicks } from './proc.ts'
import { isBuilt } from './program.ts'

export const BARE_EXT4 = 'ext4 without a journal'

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memory_bytes: number
  readonly kernel: string
  readonly file_system: string
  readonly node: string
  readonly git: string | undefined
  readonly restic: string | undefined
}

export function describeMachine(scratch: string): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memory_bytes: totalmem(),
    kernel: `${type()} ${release()}`,
    file_system: fileSystem(scratch),
    node: process.version,
    git: answerOf('git', ['--version'])?.replace('git version ', ''),
    restic: answerOf('restic', ['version'])?.split(' ')[1],
  }
}

interface Circumstances {
  readonly machine: Machine
  readonly files: number
  readonly peers: ReadonlySet<PeerName>
  /** The share of the processors that others used. */
  readonly others: number
}

/** What a reader must know before comparing this run with another. */
export function cautions({ machine, files, peers, others }: Circumstances): readonly string[] {
  const notes: string[] = []
  if (machine.restic === undefined && peers.has('restic')) notes.push('restic is not installed; it was left out.')
  if (others > 0.05)
    notes.push(`Other processes used ${Math.round(others * 100)} % of the processors: repeat this on an idle machine.`)
  if (files < 50_000)
    notes.push('The reaches are set for 100,000 files; with few, starting a process is most of the time.')
  if (machine.file_system === 'tmpfs') notes.push('The scratch folder is in memory; use --dir to measure a disk.')
  if (!isBuilt() && peers.has('timewarp'))
    notes.push('Timewarp ran from its sources, not built: each command started later than it would.')
  return notes
}

/** Starts counting; the answer is the share of all processor time since then that went to anybody else. */
export function watchOthers(): () => number {
  const start = { all: machineTicks(), own: ownTicks() }
  const share = () => {
    const all = machineTicks()
    const busy = all.busy - start.all.busy - (ownTicks() - start.own)
    return Math.max(0, busy / (all.total - start.all.total))
  }
  return start.all.total > 0 ? share : () => 0
}

function fileSystem(folder: string): string {
  const named = answerOf('stat', ['-f', '-c', '%T', folder]) ?? 'unknown'
  if (named !== 'ext2/ext3') return named
  return hasJournal(folder) ? 'ext4' : BARE_EXT4
}

/** The kernel lists each journal under the name of its device. */
function hasJournal(folder: string): boolean {
  const device = answerOf('df', ['--output=source', folder])?.split('\n')[1]?.split('/').at(-1)
  if (device === undefined || !existsSync('/proc/fs/jbd2')) return false
  return readdirSync('/proc/fs/jbd2').some((name) => name.startsWith(`${device}-`))
}

function answerOf(file: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}
