import { joinPath, nameOf, parentOf, type RelPath, ROOT } from '../../schema/path.ts'
import type { Folders } from '../../timeline/scan/folders.ts'
import { indexFile } from '../../timeline/scan/index-file.ts'
import type { FullView, LinkedPaths, SomeView, WatchView } from '../../timeline/scan/live-view.ts'
import type { ScanState } from '../../timeline/scan/scan-result.ts'
import type { ScanScope } from '../../timeline/scan/scan-scope.ts'
import { isStale, type StoreState } from '../../timeline/scan/store-state.ts'
import type { Workspace } from '../../timeline/workspace/workspace.ts'
import { Mutex } from '../life/mutex.ts'
import type { Cookies } from './cookies.ts'
import { fileSystemWithoutEvents } from './file-systems-without-events.ts'
import { holdersOf, LinkedFolders } from './linked-folders.ts'
import type { Mounts } from './mounts.ts'
import { belowMoved, PendingChanges } from './pending-changes.ts'
import { RememberedScan } from './remembered-scan.ts'
import { RootCheck } from './root-check.ts'
import type { Blindness, Watch, WatchListener } from './watch.ts'
import { WatchHealth } from './watch-health.ts'
import type { AuditStart } from './watched-state.ts'
import { BLINDNESS } from './watched-state.ts'

/** What a watched workspace needs from outside. */
export interface WatchedContext {
  readonly home: string
  readonly cookies: Cookies
  readonly mounts: Mounts
  readonly now: () => number
  readonly startWatch: (root: string, listener: WatchListener) => Watch
  readonly log: (message: string, data: object) => void
}

/** What a view scans: reported names, and folders as a whole. */
interface Taken {
  readonly told: PendingChanges
  readonly whole: Set<RelPath>
}

/** One watched workspace: the state of the last scan, in memory, and what events have reported since. */
export class WatchedWorkspace implements WatchListener {
  readonly id: string
  readonly root: string
  readonly #ctx: WatchedContext
  readonly #mutex = new Mutex()
  readonly #health = new WatchHealth()
  #watch: Watch | undefined
  /** Whether all known folders are watched, and no event was lost since. */
  #isArmed = false
  readonly #rootCheck: RootCheck
  readonly #kept: RememberedScan
  #told = new PendingChanges()
  /** Folders in which something changed without an event: every scan reads them as a whole. */
  readonly #drifting = new Set<RelPath>()
  readonly #linked = new LinkedFolders()
  /** For each audit under way: what was reported since it began, and what was pending then. */
  readonly #audits = new Set<PendingChanges>()
  lastEvent = 0
  #lastLook = 0

  constructor(workspace: { id: string; root: string }, ctx: WatchedContext) {
    this.id = workspace.id
    this.root = workspace.root
    this.#ctx = ctx
    this.#kept = new RememberedScan(indexFile(ctx.home, workspace.id))
    this.#rootCheck = new RootCheck(workspace.root, ctx.mounts)
  }

  /** Begins a scan, and holds the lock until the caller calls `end` of the view. */
  async view(workspace: Workspace, basis: StoreState, also: ScanScope): Promise<WatchView> {
    const release = await this.#mutex.take()
    try {
      this.#lastLook = this.#ctx.now()
      // The mounts are checked at the end of the scan (`again`): that check then covers the whole scan.
      await this.#catchUp(() => this.#rootCheck.rootDoubt())
      if (this.isWarm && isStale(this.#kept.now, workspace, basis)) this.#lose('the rules or the store changed')
      const since = this.isWarm ? this.#kept.now : undefined
      return since ? this.#lookAtSome(since, also, release) : this.#lookAtAll(release)
    } catch (error) {
      release()
      throw error
    }
  }

  /**
   * Waits until all events so far have arrived. If they do not, or if the watches are of other folders than those at
   * their paths, the workspace becomes cold. With `wasLookedAt` false nothing was scanned, so there is no event to
   * await.
   */
  async #catchUp(doubtOf: () => string | undefined, wasLookedAt = true): Promise<void> {
    if (!this.isWarm) return
    if (wasLookedAt && !(await this.#ctx.cookies.sync())) this.#lose('the system did not tell of a test file')
    // Only now: an event that the root's watch ended has arrived by now.
    const doubt = doubtOf()
    if (doubt) this.#lose(doubt)
  }

  #lookAtSome(since: ScanState, also: ScanScope, release: () => void): WatchView {
    const told = this.#told
    this.#told = new PendingChanges()
    const whole = new Set([...this.#drifting, ...this.#linked, ...belowMoved(told.moved, since)])
    for (const [folder, names] of also)
      if (names) for (const name of names) told.mark(folder, name)
      else whole.add(folder)
    // A folder that is not known yet is found by scanning its parent, which was reported, too.
    const known = [...new Set([...told.dirty.keys(), ...whole])].filter((path) => since.folders.has(path)).sort()
    // Watches again the folders whose watches were dropped, if they still exist. Parents come before children: if a
    // folder is swapped in between, only the watch of its parent reports that, so that its own watch is dropped.
    this.#extend(known)
    const names = (path: RelPath) => (whole.has(path) ? undefined : told.dirty.get(path))
    return this.#viewOf({ of: 'some', paths: known, since, names }, { told, whole }, release)
  }

  #lookAtAll(release: () => void): WatchView {
    this.#kept.save()
    this.#health.retry(this.#ctx.now(), () => this.#rootCheck.isThere)
    if (this.#isArmed && this.#rootCheck.doubt()) this.#isArmed = false
    const last = this.#kept.load()
    if (this.#health.sight === 'cold' && !this.#isArmed) this.#start(last?.paths ?? [])
    // The scan that started the watch was not kept. Since then another process may have saved a scan with more folders;
    // this scan takes them as known, so they must be watched.
    else if (this.#isArmed) this.#extend(last?.paths ?? [])
    this.#told = new PendingChanges()
    return this.#viewOf({ of: 'all', last }, { told: new PendingChanges(), whole: new Set() }, release)
  }

  /** Watches all known folders before the scan reads them. */
  #start(known: readonly RelPath[]): void {
    this.#watch?.close()
    if (fileSystemWithoutEvents(this.root)) return this.#blind('silent')
    this.#rootCheck.begin()
    this.#watch = this.#ctx.startWatch(this.root, this)
    this.#isArmed = true
    this.#extend([ROOT, ...known])
  }

  #extend(paths: readonly RelPath[]): void {
    const blind = this.#watch?.add(paths)
    if (blind) this.#blind(blind)
  }

  #viewOf(folders: SomeView | FullView, taken: Taken, release: () => void): WatchView {
    let kept = false
    const looked = new Set(folders.of === 'some' ? folders.paths : [])
    const listed = new Set<RelPath>()
    const isSeen = (path: RelPath): boolean => listed.has(path) || taken.whole.has(path)
    const searched = new Set<number>()
    return {
      folders,
      watch: (paths) => {
        for (const path of paths) {
          looked.add(path)
          listed.add(path)
        }
        this.#extend(paths)
      },
      again: async (seen) => {
        await this.#catchUp(() => this.#rootCheck.doubt(), looked.size > 0)
        if (!this.isWarm) return 'lost'
        const isKnown = (path: RelPath): boolean => looked.has(path) || this.#kept.now?.folders.has(path) === true
        const { dirty, moved } = this.#told.hand(taken.told, (path) => looked.has(path), isKnown)
        const below = [...new Set([...moved, ...this.#below(moved)])].sort()
        // A folder of which only some names were scanned may hold another name of a hard-linked file.
        const sharing = holdersOf(seen, searched, this.folders).filter((path) => !isSeen(path))
        for (const path of [...below, ...sharing]) {
          taken.whole.add(path)
          looked.add(path)
        }
        // Also folders that only this scan found: an event about a folder above dropped the watches of all below it.
        const folders = [...new Set([...dirty, ...below, ...sharing])].sort()
        this.#extend(folders)
        return { folders, moved }
      },
      hasLookedAt: (path) => {
        const folder = parentOf(path)
        if (this.folders?.has(folder) !== true || isSeen(folder)) return true
        return looked.has(folder) && taken.told.dirty.get(folder)?.has(nameOf(path)) === true
      },
      keep: (state, linked) => {
        kept = true
        this.#keep(state, linked)
      },
      end: () => {
        if (!kept) this.#told.add(taken.told)
        release()
      },
    }
  }

  #below(moved: readonly RelPath[]): RelPath[] {
    return this.#kept.now ? belowMoved(moved, this.#kept.now) : []
  }

  #keep(state: ScanState, linked: LinkedPaths): void {
    this.#kept.set(state)
    this.#linked.update(linked)
    // If events were lost during this scan, it may have missed the changes they reported.
    if (this.#watch && this.#isArmed) this.#health.signal('looked')
  }

  /**
   * Replaces the state after a scan of single names, which says nothing about other names in their folders. The state
   * stays as it is if it is no longer `from` or a scan is under way. False when the workspace is not warm.
   */
  advance(from: ScanState, to: ScanState, linked: readonly RelPath[]): boolean {
    if (!this.isWarm) return false
    if (this.#kept.now !== from || this.#mutex.isTaken) return true
    this.#kept.set(to)
    this.#linked.add(linked)
    return true
  }

  rootTouched(): void {
    this.#rootCheck.touch()
    this.changed(ROOT, '', false)
  }

  changed(folder: RelPath, name: string, moved: boolean): void {
    this.lastEvent = this.#ctx.now()
    this.#told.mark(folder, name)
    for (const reported of this.#audits) reported.mark(folder, name)
    if (name === '') return
    const child = joinPath(folder, name)
    if (moved) {
      // If it is a folder, its watch would go on reporting under a name that is no longer its own.
      this.#watch?.drop(child)
      this.#told.moved.add(child)
      for (const reported of this.#audits) reported.moved.add(child)
    } else if (this.#watch?.has(child)) this.#told.mark(child, '')
  }

  lost(): void {
    this.#lose('events were lost')
  }

  #lose(why: string): void {
    this.#isArmed = false
    this.#audits.clear()
    if (!this.isWarm) return
    this.#health.lose(why)
    this.#ctx.log('a workspace is looked at as a whole next time', { workspace: this.id, why })
  }

  #blind(blindness: Blindness): void {
    this.#isArmed = false
    this.#audits.clear()
    this.#watch?.close()
    this.#watch = undefined
    this.#health.blind(blindness, this.#ctx.now())
    this.#ctx.log('a workspace cannot be watched', { workspace: this.id, why: BLINDNESS[blindness] })
  }

  /** Saves the state of the last scan to its file, unless a scan is under way. */
  async settle(): Promise<void> {
    if (this.#kept.isSaved || this.#mutex.isTaken) return
    const release = await this.#mutex.take()
    try {
      this.#kept.settle()
    } finally {
      release()
    }
  }

  /** These folders changed without an event; a watch may have ended. From now on every scan reads them as a whole. */
  drift(paths: readonly RelPath[]): void {
    for (const path of paths) this.#drifting.add(path)
    if (paths.length > 0) this.#lose('something changed that was never reported')
  }

  isAlwaysLookedAt(path: RelPath): boolean {
    return this.#drifting.has(path) || this.#linked.has(path)
  }

  /** Undefined when the next scan reads everything anyway. The caller must pass the result to `endAudit`. */
  async beginAudit(workspace: Workspace, basis: StoreState): Promise<AuditStart | undefined> {
    const release = await this.#mutex.take()
    try {
      const isTrusted = this.isWarm && !isStale(this.#kept.now, workspace, basis)
      const last = isTrusted ? this.#kept.loadSaved() : undefined
      const state = this.#kept.now
      if (last === undefined || state === undefined) return undefined
      const reported = new PendingChanges()
      reported.add(this.#told)
      this.#audits.add(reported)
      return { state, last, reported }
    } finally {
      release()
    }
  }

  /** Whether everything that changed during the audit has been reported to it. */
  async endAudit({ reported }: AuditStart): Promise<boolean> {
    const isSynced = await this.#ctx.cookies.sync()
    // Losing the watches ends all audits.
    return this.#audits.delete(reported) && isSynced
  }

  /** The folders as of the last scan. */
  get folders(): Folders | undefined {
    return this.#kept.now?.folders
  }

  /** The state of the last scan, if no change was reported since and every change would be reported. */
  stillState(): ScanState | undefined {
    this.#lastLook = this.#ctx.now()
    const hasBlindSpot = this.#drifting.size > 0 || this.#linked.size > 0
    const isStill = this.isWarm && !hasBlindSpot && !this.isBusy && !this.isChanged
    return isStill && this.#rootCheck.doubt() === undefined ? this.#kept.now : undefined
  }

  get isChanged(): boolean {
    return !this.#told.isEmpty
  }

  get isWarm(): boolean {
    return this.#health.isWarm
  }

  /** Whether a capture now would make the next one cheaper. */
  get isCold(): boolean {
    return this.#health.sight === 'cold'
  }

  get isBusy(): boolean {
    return this.#mutex.isTaken
  }

  /** The time of the last event in it, or of the last scan or question about it. */
  get lastActive(): number {
    return Math.max(this.lastEvent, this.#lastLook)
  }

  /** For `status`. */
  describe() {
    return {
      sight: this.#health.sight,
      reason: this.#health.reason,
      folders: this.#watch?.size ?? 0,
      changed_folders: this.#told.dirty.size,
      linked_folders: this.#linked.size,
      drifting: [...this.#drifting],
    }
  }

  close(): void {
    this.#kept.save()
    this.#watch?.close()
    this.#watch = undefined
  }
}
