import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Captured, Daemon } from '../bench/daemon.ts'
import { copyProgram, type Program } from '../bench/program.ts'
import { randomFrom } from '../bench/random.ts'
import { run } from '../bench/run.ts'
import { makeAll, rootOf } from './acts.ts'
import { differences } from './differences.ts'

/** A workspace in a scratch folder, the home of a daemon that watches it, and a second home that is told nothing. */
export class Scene {
  readonly root: string
  readonly #scratch: string
  readonly #program: Program
  readonly #env: NodeJS.ProcessEnv
  readonly #warm: string
  readonly #cold: string

  constructor(scratch: string, seed: number) {
    this.#scratch = scratch
    this.#program = copyProgram(join(scratch, 'program'))
    const [root = '', warm = '', cold = '', user = ''] = ['tree', 'warm', 'cold', 'user'].map((name) => {
      mkdirSync(join(scratch, name))
      return join(scratch, name)
    })
    this.root = root
    this.#warm = warm
    this.#cold = cold
    this.#env = { PATH: process.env['PATH'], HOME: user, TMPDIR: user }
    makeAll(rootOf(root), randomFrom(seed))
  }

  async startDaemon(): Promise<Daemon> {
    await this.#command(this.#warm, 'init', '--no-snapshot')
    await this.#command(this.#cold, 'init', '--no-snapshot')
    return Daemon.start({ program: this.#program, home: this.#warm, env: this.#env })
  }

  /** What a look at everything finds that knows of no look before it. */
  async captureCold(): Promise<Captured> {
    const cache = join(this.#cold, 'cache')
    for (const name of readdirSync(cache)) if (name.endsWith('.scan')) rmSync(join(cache, name))
    return JSON.parse(await this.#command(this.#cold, 'snapshot')) as Captured
  }

  /** The paths that a snapshot of the daemon's and one of the second home do not have alike. */
  async compare(warm: Captured, cold: Captured): Promise<readonly string[]> {
    const [a, b] = [join(this.#scratch, 'warm-drift'), join(this.#scratch, 'cold-drift')]
    await this.#command(this.#warm, 'materialise', warm.snapshot_id, a)
    await this.#command(this.#cold, 'materialise', cold.snapshot_id, b)
    return differences(a, b)
  }

  /** Throws when the store is not whole. */
  async check(): Promise<void> {
    await this.#command(this.#warm, 'fsck')
  }

  /** What the daemon wrote down, of the messages given. */
  said(wanted: RegExp): readonly string[] {
    const logs = join(this.#warm, 'logs')
    const lines = readdirSync(logs).flatMap((name) => readFileSync(join(logs, name), 'utf8').trimEnd().split('\n'))
    return lines.filter((line) => wanted.test((JSON.parse(line) as { message: string }).message))
  }

  async #command(home: string, ...args: readonly string[]): Promise<string> {
    const argv = [this.#program.launcher, '--no-daemon', '--home', home, '-C', this.root, ...args, '--json']
    return (await run({ argv, cwd: this.#scratch, env: this.#env })).stdout
  }
}
