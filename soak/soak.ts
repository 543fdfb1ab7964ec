import { setTimeout as sleep } from 'node:timers/promises'
import { CallFailed, type Captured, type Daemon } from '../bench/daemon.ts'
import type { Scene } from './scene.ts'
import type { Tally } from './tally.ts'
import { Writers } from './writers.ts'

export interface Soak {
  readonly scene: Scene
  readonly tally: Tally
  readonly seconds: number
  readonly seed: number
  /** Called every few seconds. */
  readonly progress: () => void
  /** Fires when everything must end at once. */
  readonly stopping: AbortSignal
}

const WRITERS = 4
const CAPTURE_EVERY_MS = 100
const CAPTURE_WITHIN_MS = 60_000
const MEMORY_EVERY_MS = 500
const PROGRESS_EVERY_MS = 5000
const QUIET_EVERY_MS = 10_000

/** What a capture may be answered while others write: it is asked for again. */
const PASSING: ReadonlySet<string> = new Set(['WORKSPACE_BUSY', 'CAPTURE_UNSETTLED'])
const QUIET_TRIES = 20
/** What the daemon writes down when something went wrong in it. */
const TROUBLE = /bug|failed|could not|cannot be watched|never told|disorder/
const SHOWN_DIFFERENCES = 20

/** Runs it all and returns what was wrong: nothing, if all is well. Stops at the first drift, so that it can be looked at. */
export async function soak(plan: Soak): Promise<readonly string[]> {
  const { scene, tally } = plan
  const daemon = await scene.startDaemon()
  const wrong: string[] = []
  let isAsked = false
  daemon.onEnd((how, said) => {
    if (!isAsked || how !== 0) wrong.push(`The daemon ended ${isAsked ? '' : 'unasked '}with ${how}. ${said}`.trimEnd())
  })
  const writers = new Writers(scene.root, plan.seed, WRITERS, (why) => wrong.push(why))
  plan.stopping.addEventListener('abort', () => writers.end())
  try {
    await churn(plan, daemon, writers, wrong)
  } catch (error) {
    wrong.push(String(error))
  } finally {
    writers.end()
  }
  isAsked = true
  await daemon.stop()
  if (tally.isGrowing) wrong.push('The daemon grows: see its memory.')
  wrong.push(...scene.said(TROUBLE))
  await scene.check().catch((error: unknown) => wrong.push(String(error)))
  return wrong
}

/** Captures all the time; what else is due happens between two captures. */
async function churn(plan: Soak, daemon: Daemon, writers: Writers, wrong: string[]): Promise<void> {
  const { scene, tally, progress } = plan
  const isMemoryDue = clock(MEMORY_EVERY_MS)
  const isProgressDue = clock(PROGRESS_EVERY_MS)
  const isQuietDue = clock(QUIET_EVERY_MS)
  while (tally.seconds < plan.seconds && wrong.length === 0) {
    const next = sleep(CAPTURE_EVERY_MS)
    await captureOnce(scene, daemon, tally)
    if (isMemoryDue()) await lookAt(daemon, tally, wrong)
    if (isQuietDue()) await comparePoint(scene, daemon, writers, tally, wrong)
    if (isProgressDue()) progress()
    await next
  }
  if (wrong.length === 0) await comparePoint(scene, daemon, writers, tally, wrong)
}

/** Says whether it is time again. */
function clock(everyMs: number): () => boolean {
  let due = performance.now() + everyMs
  return () => {
    if (performance.now() < due) return false
    due = performance.now() + everyMs
    return true
  }
}

/** Undefined when others wrote too much for a capture. */
async function captureOnce(scene: Scene, daemon: Daemon, tally: Tally): Promise<Captured | undefined> {
  try {
    const { output, seconds } = await daemon.capture(scene.root, CAPTURE_WITHIN_MS)
    tally.captured(seconds, output.files)
    return output
  } catch (error) {
    if (!(error instanceof CallFailed && PASSING.has(error.code))) throw error
    tally.faulted(error.code)
    return undefined
  }
}

async function lookAt(daemon: Daemon, tally: Tally, wrong: string[]): Promise<void> {
  const { output } = await daemon.health()
  tally.resides(output.memory.rss_bytes)
  if (output.pid !== daemon.pid) wrong.push(`The daemon is another process: ${output.pid}, not ${daemon.pid}.`)
}

/** While all writers stand still, what the daemon captures must be what a look at everything finds. */
async function comparePoint(
  scene: Scene,
  daemon: Daemon,
  writers: Writers,
  tally: Tally,
  wrong: string[],
): Promise<void> {
  await writers.pause()
  const warm = await captureQuiet(scene, daemon, tally)
  const cold = await scene.captureCold()
  tally.quietPoints++
  if (warm.tree === cold.tree && warm.files === cold.files) return writers.resume()
  tally.drifts++
  const again = await captureQuiet(scene, daemon, tally)
  const paths = await scene.compare(warm, cold)
  wrong.push(
    `Drift: the daemon has ${warm.tree} of ${warm.files} files, a look finds ${cold.tree} of ${cold.files}; ` +
      `asked again, the daemon has ${again.tree === cold.tree ? 'the same as the look' : again.tree}.`,
    ...paths.slice(0, SHOWN_DIFFERENCES),
    `${paths.length} paths differ (the daemon's / what is there).`,
  )
}

async function captureQuiet(scene: Scene, daemon: Daemon, tally: Tally): Promise<Captured> {
  for (let tries = 0; tries < QUIET_TRIES; tries++) {
    const captured = await captureOnce(scene, daemon, tally)
    if (captured) return captured
    await sleep(CAPTURE_EVERY_MS)
  }
  throw new Error(`No capture succeeded in ${QUIET_TRIES} tries, although nobody wrote.`)
}
