import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Captured, Daemon, type DaemonPlace, type Timed } from './daemon.ts'
import { processSeconds } from './proc.ts'
import { run } from './run.ts'

/** Calls of an agent come one after the other: so many samples per turn, after some that are not counted. */
const UNCHANGED_SAMPLES = 30
const CHANGED_SAMPLES = 6
const EDIT_SAMPLES = 6
const UNCOUNTED = 20
const TRAVEL_SAMPLES = 4
const TRAVEL_UNCOUNTED = 2
const IDLE_MS = 60_000

/** What makes a change of so many files, to be seen by the next capture. */
interface Change {
  readonly files: number
  make(): void
}

interface Edited {
  readonly snapshot_id: string | null
  readonly lines_added: number
}

/** Timewarp with its daemon, which has the tree in mind: a home of its own, and every way to ask for a capture. */
export class Warm {
  readonly #daemon: Daemon
  readonly #place: DaemonPlace
  readonly #root: string

  private constructor(daemon: Daemon, place: DaemonPlace, root: string) {
    this.#daemon = daemon
    this.#place = place
    this.#root = root
  }

  /** Starts a daemon and waits until it has `root` in mind and nothing left to do. */
  static async start(place: DaemonPlace, root: string): Promise<Warm> {
    mkdirSync(place.home)
    const warm = new Warm(await Daemon.start(place), place, root)
    await warm.#command('init', '--no-snapshot')
    await warm.#daemon.capture(root)
    await warm.#daemon.settle()
    const { output } = await warm.#daemon.health()
    const [known] = output.workspaces
    if (known?.sight !== 'warm') throw new Error(`The daemon does not watch ${root}: ${known?.reason ?? 'unknown'}`)
    return warm
  }

  /** Each first takes in what others changed, untimed, as the peers do. */
  async unchanged(): Promise<readonly number[]> {
    for (let at = 0; at < UNCOUNTED; at++) await this.#daemon.capture(this.#root)
    const samples: number[] = []
    for (let at = 0; at < UNCHANGED_SAMPLES; at++) {
      const { output, seconds } = await this.#daemon.capture(this.#root)
      if (output.created) throw new Error('The daemon saw a change where there was none.')
      samples.push(seconds)
    }
    return samples
  }

  async changed(change: Change): Promise<readonly number[]> {
    await this.#daemon.capture(this.#root)
    const samples: number[] = []
    for (let at = 0; at < UNCOUNTED + CHANGED_SAMPLES; at++) {
      change.make()
      samples.push(checked(await this.#daemon.capture(this.#root), change))
    }
    return samples.slice(UNCOUNTED)
  }

  /** One capture, of a change or of none. */
  async capture(change?: Change): Promise<number> {
    change?.make()
    const taken = await this.#daemon.capture(this.#root)
    return change ? checked(taken, change) : taken.seconds
  }

  /** The same through the command line, its process included. */
  async command(change: Change): Promise<readonly number[]> {
    await this.#daemon.capture(this.#root)
    const before = (await this.#daemon.health()).output.calls
    change.make()
    const { stdout, seconds } = await this.#command('snapshot')
    if ((await this.#daemon.health()).output.calls === before) throw new Error('The command did not ask the daemon.')
    return [checked({ output: JSON.parse(stdout) as Captured, seconds }, change)]
  }

  /** Edits of one file, one after the other: each goes from `{n}` to `{n+1}`, which must be in it once. */
  async edits(path: string, counter: { n: number }): Promise<readonly number[]> {
    await this.#daemon.capture(this.#root)
    const samples: number[] = []
    for (let at = 0; at < UNCOUNTED + EDIT_SAMPLES; at++) {
      const input = { workspace: this.#root, path, search_block: `{${counter.n}}`, replace_block: `{${++counter.n}}` }
      const { output, seconds } = await this.#daemon.call<Edited>('apply_edit_block', input)
      if (output.snapshot_id === null || output.lines_added !== 1) throw new Error('The edit was not recorded.')
      samples.push(seconds)
    }
    return samples.slice(UNCOUNTED)
  }

  /** Into the past and home again, between two moments that differ in the files changed. */
  async travels(change: Change): Promise<{ there: readonly number[]; home: readonly number[] }> {
    const there: number[] = []
    const home: number[] = []
    for (let at = 0; at < TRAVEL_UNCOUNTED + TRAVEL_SAMPLES; at++) {
      const { output } = await this.#daemon.capture(this.#root)
      change.make()
      await this.#daemon.capture(this.#root)
      const where = { workspace: this.#root, snapshot_id: output.snapshot_id }
      const gone = await this.#daemon.call<{ restored: string[] }>('timewarp_travel', where)
      const back = await this.#daemon.call<{ verified: boolean }>('timewarp_return', { workspace: this.#root })
      if (gone.output.restored.length < change.files || !back.output.verified)
        throw new Error('The journey went wrong.')
      there.push(gone.seconds)
      home.push(back.seconds)
    }
    return { there: there.slice(TRAVEL_UNCOUNTED), home: home.slice(TRAVEL_UNCOUNTED) }
  }

  async residentBytes(): Promise<number> {
    return (await this.#daemon.health()).output.memory.rss_bytes
  }

  /** Its processor time in a minute in which nobody asks and nothing changes. */
  async idleSeconds(): Promise<number> {
    await this.#daemon.settle()
    const before = processSeconds(this.#daemon.pid)
    await sleep(IDLE_MS)
    return processSeconds(this.#daemon.pid) - before
  }

  async end(): Promise<void> {
    await this.#daemon.stop()
  }

  #command(...args: readonly string[]) {
    const { program, home, env } = this.#place
    return run({
      argv: [program.launcher, '-C', this.#root, ...args, '--json'],
      cwd: dirname(this.#root),
      env: { ...env, TIMEWARP_HOME: home },
    })
  }
}

function checked({ output, seconds }: Timed<Captured>, { files }: Change): number {
  if (output.created && output.modified === files) return seconds
  throw new Error(`The daemon saw ${output.created ? output.modified : 'no'} changed files, not ${files}.`)
}
