import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Daemon, type DaemonPlace } from './daemon.ts'
import { median } from './reaches.ts'
import { makeTimeline } from './timeline.ts'

const EDITS = 100_000
/** Pages are asked for at so many places between the newest edit and the oldest. */
const DEPTHS = 10
const ASKED = 9

interface Page {
  readonly snapshots: readonly { readonly metadata: { readonly lines_changed: number | null } }[]
  readonly pagination: { readonly total: number }
}

/** Of each depth the median time of a page of the history, asked over the socket. */
export async function historyPages(place: DaemonPlace, dir: string): Promise<number[]> {
  mkdirSync(place.home)
  const workspace = makeTimeline(place.home, join(dir, 'history'), EDITS)
  const daemon = await Daemon.start(place)
  const page = async (cursor: string): Promise<number> => {
    const { output, seconds } = await daemon.call<Page>('get_edit_history', { workspace, cursor })
    if (output.snapshots.length === 20 && output.pagination.total === EDITS) return seconds
    throw new Error(`A page of ${output.snapshots.length} of ${output.pagination.total} edits.`)
  }
  try {
    const samples: number[] = []
    for (let depth = 0; depth < DEPTHS; depth++) {
      const times: number[] = []
      const from = EDITS - Math.floor((depth * (EDITS - 1000)) / (DEPTHS - 1))
      // No page is asked for twice.
      for (let at = 0; at < ASKED; at++) times.push(await page((from - at * 21).toString(36)))
      samples.push(median(times) ?? 0)
    }
    return samples
  } finally {
    await daemon.stop()
  }
}
