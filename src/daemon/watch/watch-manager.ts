import { lstat } from '../../host/files/fs.ts'
import type { RelPath } from '../../schema/path.ts'
import { isAsFound } from '../../timeline/scan/as-found.ts'
import type { Folders } from '../../timeline/scan/folders.ts'
import type { LiveView, WatchStatus, WatchView } from '../../timeline/scan/live-view.ts'
import type { ScanState } from '../../timeline/scan/scan-result.ts'
import type { ScanScope } from '../../timeline/scan/scan-scope.ts'
import { isStale, type StoreState } from '../../timeline/scan/store-state.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'
import { Cookies } from './cookies.ts'
import { EventCount } from './event-count.ts'
import { FolderWatch } from './folder-watch.ts'
import { Mounts } from './mounts.ts'
import { RecursiveWatch } from './recursive-watch.ts'
import type { Watch, WatchListener } from './watch.ts'
import { type WatchedContext, WatchedWorkspace } from './watched-workspace.ts'

export interface WatchManagerOptions {
  readonly home: string
  readonly cookies: string
  readonly now: () => number
  readonly log: WatchedContext['log']
  readonly startWatch?: StartWatch | undefined
}

/** Starts to watch a workspace. */
export type StartWatch = (root: string, listener: WatchListener, events: EventCount) => Watch

/** Linux has one watch per folder, macOS and Windows one for a whole tree. */
const systemWatch: StartWatch = (root, listener, events) =>
  process.platform === 'linux' ? new FolderWatch(root, listener, events) : new RecursiveWatch(root, listener, events)

/** The live view of all workspaces: watches them and holds the result of each one's last scan in memory. */
export class WatchManager implements LiveView {
  readonly #watched = new Map<string, WatchedWorkspace>()
  readonly #ctx: WatchedContext
  readonly #cookies: Cookies
  readonly #events: EventCount
  readonly #mounts = new Mounts()

  constructor({ home, cookies, now, log, startWatch = systemWatch }: WatchManagerOptions) {
    this.#cookies = new Cookies(cookies)
    // All watches share one queue: when it overflows, any workspace may have lost events.
    this.#events = new EventCount(() => {
      for (const watched of this.#watched.values()) watched.lost()
    })
    this.#ctx = {
      home,
      cookies: this.#cookies,
      mounts: this.#mounts,
      now,
      log,
      startWatch: (root, listener) => startWatch(root, listener, this.#events),
    }
  }

  open(): void {
    this.#cookies.open()
  }

  view(workspace: Workspace, basis: StoreState, also: ScanScope): Promise<WatchView> {
    return this.#of(workspace).view(workspace, basis, also)
  }

  advance(id: string, from: ScanState, to: ScanState, linked: readonly RelPath[]): boolean {
    return this.#watched.get(id)?.advance(from, to, linked) ?? false
  }

  async isStill(workspace: Workspace, basis: StoreState, paths: readonly RelPath[]): Promise<boolean> {
    // The request arrived in this turn of the event loop. At the end of the turn, all earlier events have been
    // delivered.
    await new Promise((done) => setImmediate(done))
    const state = this.#watched.get(workspace.id)?.stillState()
    if (state === undefined || isStale(state, workspace, basis)) return false
    return paths.every((path) => isAsFound(workspace.root, state.folders, path))
  }

  #of(workspace: { id: string; root: string }): WatchedWorkspace {
    const known = this.#watched.get(workspace.id)
    if (known && known.root === workspace.root) return known
    known?.close()
    const watched = new WatchedWorkspace(workspace, this.#ctx)
    this.#watched.set(workspace.id, watched)
    return watched
  }

  sightOf(id: string): WatchStatus | undefined {
    return this.#watched.get(id)?.describe()
  }

  foldersOf(id: string): Folders | undefined {
    return this.#watched.get(id)?.folders
  }

  get(id: string): WatchedWorkspace | undefined {
    return this.#watched.get(id)
  }

  all(): WatchedWorkspace[] {
    return [...this.#watched.values()]
  }

  /** Stops watching workspaces whose folder is gone; returns their ids. */
  dropGone(): string[] {
    const gone = this.all().filter(({ root, isBusy }) => !isBusy && !lstat(root)?.isDirectory())
    for (const watched of gone) {
      watched.close()
      this.#watched.delete(watched.id)
    }
    return gone.map(({ id }) => id)
  }

  /** The machine slept, or the clock jumped: events may have been lost. */
  doubt(): void {
    for (const watched of this.#watched.values()) watched.lost()
  }

  get events(): number {
    return this.#events.total
  }

  close(): void {
    for (const watched of this.#watched.values()) watched.close()
    this.#watched.clear()
    this.#cookies.close()
    this.#mounts.close()
  }
}
