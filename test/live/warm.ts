import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { daemonFilesOf } from '../../src/client/daemon-files.ts'
import { Daemon } from '../../src/daemon/daemon.ts'
import type { StartWatch } from '../../src/daemon/watch/watch-manager.ts'
import { openTimewarp, type Timewarp } from '../../src/library.ts'
import { beginStore, newWorkspace, type Workspace } from '../kit/workspace.ts'

/** A workspace that a daemon in this process keeps in mind, beside a store that is told nothing and looks for itself. */
export class Warm {
  readonly workspace: Workspace
  readonly daemon: Daemon
  readonly said: string[] = []
  readonly #other: Timewarp

  constructor(workspace: Workspace, startWatch?: StartWatch) {
    this.workspace = workspace
    const log = (message: string, data: object = {}): void => void this.said.push(`${message} ${JSON.stringify(data)}`)
    const program = join(import.meta.dirname, '../../src/bin/daemon.ts')
    beginStore(workspace.home)
    this.daemon = new Daemon({
      home: workspace.home,
      place: daemonFilesOf(workspace.home, {}),
      program,
      log,
      ...(startWatch ? { startWatch } : {}),
    })
    this.#other = openTimewarp({ home: join(workspace.temp, 'other'), cwd: workspace.root })
  }

  /** What the daemon captures. */
  async warm(): Promise<Captured> {
    const { output } = await this.daemon.call('snapshot', { workspace: this.workspace.root })
    return output as Captured
  }

  /** What a scan finds. */
  async cold(): Promise<Captured> {
    return this.#other.call('snapshot', {})
  }

  /** How it is watched. */
  get sight(): { sight: string; reason: string | null; folders: number; drifting: string[] } {
    const { workspaces } = this.daemon.health() as { workspaces: never[] }
    return workspaces[0] as never
  }

  async close(): Promise<void> {
    await this.daemon.stop()
    await this.#other.close()
  }
}

export interface Captured {
  readonly snapshot_id: string
  readonly created: boolean
  readonly base: string | null
  readonly tree: string
  readonly files: number
  readonly added: number
  readonly modified: number
  readonly deleted: number
  readonly warnings: readonly string[]
}

export function newWarm(files: Readonly<Record<string, string>> = {}, startWatch?: StartWatch): Warm {
  const warm = new Warm(newWorkspace(files), startWatch)
  onTestFinished(() => warm.close())
  return warm
}
