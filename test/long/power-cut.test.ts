import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { sleep } from '../../src/host/clock.ts'
import { errorCode } from '../../src/host/files/fs.ts'
import { rounds } from '../kit/rounds.ts'
import { KEEP_NOTHING, seeded } from '../kit/world.ts'
import { type CutEvent, expectation, type Seen } from './power-cut-model.ts'

/**
 * A machine whose power is cut: the store and the workspace are on a file system in an image. While a workload runs, the
 * image's bytes are copied; what the system had not written back is not in them. The copy is mounted in a name space of its
 * own, at the same place and under another boot id, and looked at there.
 */

const CUTS = rounds(500)
const CUTS_EACH = 5
const STEPS = 9
const SEED = Number(process.env['TIMEWARP_SEED'] ?? '20260228')
const NODE = [process.execPath, '--disable-warning=ExperimentalWarning']

function sh(script: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', script, 'sh', ...words], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`"${script}" failed: ${stderr}`)
  return stdout
}

interface Machine {
  readonly dir: string
  readonly image: string
  readonly mount: string
  readonly home: string
  readonly ws: string
}

/** In memory where that is possible: a disk below would only cost time. */
function boot(): Machine {
  const dir = realpathSync(mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'timewarp-power-')))
  const mount = join(dir, 'disk')
  const machine = { dir, mount, image: join(dir, 'image'), home: join(mount, 'home'), ws: join(mount, 'ws') }
  mkdirSync(mount)
  sh('truncate -s 96M "$1"; mkfs.ext4 -q -F "$1"; mount -o loop "$1" "$2"', machine.image, mount)
  mkdirSync(machine.ws)
  mkdirSync(machine.home, { mode: 0o700 })
  writeFileSync(join(machine.home, 'config.json'), JSON.stringify(KEEP_NOTHING))
  sh('sync -f "$1"', mount)
  return machine
}

function shutDown({ dir, mount }: Machine): void {
  sh('umount "$1" || umount -l "$1"', mount)
  rmSync(dir, { recursive: true, force: true })
}

/** The workload in a process group of its own, so that it can be stopped as a whole. */
function startWorkload({ home, ws }: Machine, seed: number, daemon: boolean) {
  const script = join(import.meta.dirname, 'power-cut-workload.ts')
  const argument = JSON.stringify({ home, ws, seed, steps: STEPS, daemon })
  const [node = '', ...flags] = NODE
  const child = spawn(node, [...flags, script, argument], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const seen: Seen[] = []
  let err = ''
  child.stderr.on('data', (data: Buffer) => (err += data))
  createInterface({ input: child.stdout }).on('line', (line) => {
    seen.push({ event: JSON.parse(line) as CutEvent, at: performance.now() })
  })
  return { child, seen, failure: () => err }
}

/** False when it has ended meanwhile, which is reported a moment later. */
function signal(child: ChildProcess, name: NodeJS.Signals): boolean {
  try {
    return process.kill(-(child.pid as number), name)
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false
    throw error
  }
}
const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** Waits for a moment worth a cut: right at an answer, shortly after one, or anywhere. */
async function untilMoment(child: ChildProcess, seen: readonly Seen[], random: () => number): Promise<void> {
  const from = seen.length
  const wanted = ['answer', 'settled', 'begin', 'wrote'][Math.floor(random() * 4)]
  const delay = random() < 0.4 ? 0 : random() * (random() < 0.7 ? 40 : 900)
  const isThere = (): boolean => seen.slice(from).some(({ event }) => event.kind === wanted)
  while (!isThere() && !hasEnded(child)) await sleep(1)
  if (delay > 0) await sleep(delay)
}

/** Looks at the copy of an image as another boot finds it. */
function lookAtCopy({ dir, mount }: Machine, copy: string, facts: string): [string, string][] {
  const boot = join(dir, 'boot-id')
  writeFileSync(boot, '99999999-2222-3333-4444-555555555555\n')
  const check = join(import.meta.dirname, 'power-cut-check.ts')
  const script = 'mount -o loop "$1" "$2"; mount --bind "$3" /proc/sys/kernel/random/boot_id; shift 3; exec "$@"'
  const words = [copy, mount, boot, ...NODE, check, facts]
  const run = spawnSync('unshare', ['-m', 'sh', '-ec', script, 'sh', ...words], { encoding: 'utf8', timeout: 120_000 })
  if (run.status !== 0) return [['check failed', `${run.stderr} ${run.stdout}`.slice(-2000)]]
  return JSON.parse(run.stdout) as [string, string][]
}

/** Cuts the power some times while one workload runs; returns what is wrong, by kind. */
async function cutSome(seed: number, cuts: number, found: Map<string, string[]>): Promise<number> {
  const random = seeded(seed)
  const daemon = random() < 0.5
  const machine = boot()
  const { child, seen, failure } = startWorkload(machine, seed, daemon)
  const copies: { image: string; facts: string; last: string }[] = []
  try {
    while (copies.length < cuts && !hasEnded(child)) {
      await untilMoment(child, seen, random)
      if (hasEnded(child) || !signal(child, 'SIGSTOP')) break
      const cutAt = performance.now()
      // What was reported before the stop is read.
      await sleep(10)
      const image = join(machine.dir, `cut-${copies.length}`)
      sh('cp --sparse=always "$1" "$2"', machine.image, image)
      const { home, ws } = machine
      const facts = expectation(seen, cutAt, { home, ws, seed: seed + copies.length, daemon })
      writeFileSync(`${image}.json`, JSON.stringify(facts))
      copies.push({ image, facts: `${image}.json`, last: facts.last })
      signal(child, 'SIGCONT')
    }
    if (child.exitCode !== null && child.exitCode !== 0) throw new Error(`the workload failed (${seed}): ${failure()}`)
  } finally {
    const ended = hasEnded(child) ? undefined : new Promise((done) => child.once('exit', done))
    signal(child, 'SIGKILL')
    await ended
  }
  try {
    for (const [i, { image, facts, last }] of copies.entries()) {
      for (const [kind, detail] of lookAtCopy(machine, image, facts)) {
        const line = `seed ${seed}, cut ${i}, ${daemon ? 'daemon' : 'no daemon'}, after ${last}: ${detail}`
        found.set(kind, [...(found.get(kind) ?? []), line])
      }
      rmSync(image)
    }
  } finally {
    shutDown(machine)
  }
  return copies.length
}

test(`${CUTS} power cuts lose nothing that is durable, and leave nothing that rests on bytes that are not there`, async () => {
  expect(process.getuid?.(), 'this test mounts images: it must be run as root').toBe(0)
  const found = new Map<string, string[]>()
  let cuts = 0
  for (let seed = SEED; cuts < CUTS; seed++) {
    cuts += await cutSome(seed, Math.min(CUTS_EACH, CUTS - cuts), found)
    if (seed % 10 === 0) console.log(`${cuts} cuts, ${[...found.values()].flat().length} findings`)
  }
  const summary = [...found].map(([kind, lines]) => `${kind}: ${lines.length}\n  ${lines.slice(0, 5).join('\n  ')}`)
  expect(summary.join('\n'), `of ${cuts} cuts`).toBe('')
})
