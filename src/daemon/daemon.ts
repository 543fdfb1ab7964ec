import { join } from 'node:path'
import { App } from '../app/app.ts'
import type { ToolCall } from '../app/handler.ts'
import { captureContext } from '../app/workspace-lookup.ts'
import { Fault, type FaultCode } from '../base/fault.ts'
import { type Build, buildOf, buildText } from '../client/build.ts'
import type { DaemonFiles } from '../client/daemon-files.ts'
import { loadSettings } from '../config/settings.ts'
import { lstat } from '../host/files/fs.ts'
import { HeapTrimmer } from '../host/memory.ts'
import { findTool } from '../protocol/catalogue.ts'
import type { Spec } from '../protocol/spec.ts'
import { holderName } from '../records/leases.ts'
import { capture } from '../timeline/capture/capture.ts'
import type { Workspace } from '../timeline/workspace/workspace.ts'
import { callTool } from '../tools/call.ts'
import { keepGitInPassing } from '../tools/git/keep-git.ts'
import { EventPublisher } from './feed/event-publisher.ts'
import { Feed } from './feed/feed.ts'
import { runInChild } from './life/child-process.ts'
import type { Write } from './life/log.ts'
import { type DueTask, dueTasks, hasTime, type SchedulePace, type WorkspaceFacts } from './life/schedule.ts'
import { SettingsLog } from './life/settings-log.ts'
import { systemLoad } from './life/system-load.ts'
import { mergeInIdleTime, runUpkeep, smallPacks } from './life/upkeep.ts'
import { Auditor } from './watch/auditor.ts'
import { type StartWatch, WatchManager } from './watch/watch-manager.ts'

const DAEMON_LEASE = 'daemon'

export interface DaemonOptions {
  readonly home: string
  readonly place: DaemonFiles
  /** The file of the running program. */
  readonly program: string
  readonly log: Write
  /** Starts the watch of a workspace; by default with the operating system's file events. */
  readonly startWatch?: StartWatch
}

export const TICK_MS = 10_000
const SYNC_MS = 300
/** The daemon counts as quiet when the last call is this long ago. */
const QUIET_MS = 3000
/** A tick this late means that the machine slept. */
const SLEPT_MS = 60_000

/** When the daemon runs its scheduled work, and when it ends. */
interface Life {
  readonly everyMs: number
  /** Whether clients can still connect to it. */
  readonly isReachable: () => boolean
  /** Called when the daemon should end. */
  readonly onEnd: (why: string) => void
}

/** The background process of one home: an app whose workspaces are watched, and the scheduled work. */
export class Daemon {
  readonly #options: DaemonOptions
  readonly #build: Build
  readonly #keeper: WatchManager
  readonly #app: App
  readonly #heap = new HeapTrimmer()
  readonly #feed = new Feed()
  readonly #news: EventPublisher
  readonly #settingsLog: SettingsLog
  /** The inode of the database file that this daemon opened. */
  readonly #database: number | undefined
  readonly #started = Date.now()
  /** When the schedule last captured each workspace. */
  readonly #captured = new Map<string, number>()
  readonly #gitKept = new Map<string, number>()
  readonly #auditor: Auditor
  readonly #fence: number
  #calls = 0
  #served = 0
  #lastCall = Date.now()
  #lastUpkeep = Date.now()
  #lastTick = Date.now()
  #lastCheckpoint = 0
  #timer: NodeJS.Timeout | undefined
  #syncTimer: NodeJS.Timeout | undefined
  #isTicking = false
  #isOver = false

  /** Takes the daemon's lease of its home. Throws DAEMON_RUNNING, with the holder, when another process has it. */
  constructor(options: DaemonOptions) {
    this.#options = options
    this.#build = buildOf(options.program)
    const { home, place, log } = options
    this.#keeper = new WatchManager({
      home,
      cookies: place.cookies,
      now: () => Date.now(),
      log,
      startWatch: options.startWatch,
    })
    this.#app = new App({ home, live: this.#keeper })
    this.#fence = this.#takeLease()
    this.#keeper.open()
    this.#database = this.#inode()
    this.#settingsLog = new SettingsLog(log)
    this.#auditor = new Auditor({
      watched: () => this.#keeper.all(),
      workspace: (id) => this.#workspace(id),
      ctx: () => captureContext(this.#quietCall()),
      onDrift: (id, folders) => {
        log('something changed that was never told', { workspace: id, folders: folders.slice(0, 20) })
        this.#feed.tell('drift', { workspace_id: id, folders })
      },
    })
    this.#news = new EventPublisher(this.#app.records.snapshots, this.#feed, log)
  }

  #takeLease(): number {
    const answer = this.#app.records.leases.tryTake(DAEMON_LEASE, 'serve')
    if (answer.taken) return answer.fence
    const { by } = answer
    this.#app.close()
    throw new Fault('DAEMON_RUNNING', {
      home: this.#options.home,
      holder: holderName(by),
      since: new Date(by.since).toISOString(),
    })
  }

  get build(): Build {
    return this.#build
  }

  /** Whether the program on the disk is no longer the one that runs. */
  get isOutdated(): boolean {
    return buildText(buildOf(this.#options.program)) !== buildText(this.#build)
  }

  /**
   * Whether the database file is another one than this daemon opened, such as after a repair. What the daemon records
   * would then be lost.
   */
  get isAstray(): boolean {
    return this.#inode() !== this.#database
  }

  #inode(): number | undefined {
    return lstat(join(this.#options.home, 'timewarp.db'))?.ino
  }

  /** Whether a call is under way. */
  get isServing(): boolean {
    return this.#calls > 0
  }

  /** Whether scheduled work is under way. */
  get isTicking(): boolean {
    return this.#isTicking
  }

  /** Runs a tool for a caller whose current folder is `cwd`. */
  async call(
    name: string,
    input: unknown,
    { cwd = '/', typedIn, progress = () => {}, announce, signal }: Partial<Omit<ToolCall, 'app'>> = {},
  ): Promise<{ spec: Spec; output: object }> {
    if (this.isAstray) throw new Fault('DAEMON_LOST', { home: this.#options.home })
    this.#calls++
    this.#served++
    this.#lastCall = Date.now()
    try {
      const spec = await findTool(name)?.load()
      if (spec?.ownProcess) return { spec, output: await this.#runApart(spec.name, input, cwd) }
      return await callTool({ app: this.#app, cwd, typedIn, progress, announce, signal }, name, input)
    } finally {
      this.#calls--
      this.#syncSoon()
      if (this.#feed.hasListeners) this.#news.tell()
    }
  }

  async #runApart(tool: string, input: unknown, cwd: string): Promise<object> {
    const { home, program } = this.#options
    const out = await runInChild({ home, program, cwd }, ['call', tool, '-'], JSON.stringify(input ?? {}), false)
    const answer = JSON.parse(out) as { error?: { code: FaultCode; data: never } }
    if (answer.error) throw new Fault(answer.error.code, answer.error.data)
    return answer
  }

  /** Schedules a sync of the store: soon after an answer, its data survives a crash of the machine. */
  #syncSoon(): void {
    if (this.#isOver) return
    this.#syncTimer ??= setTimeout(() => {
      this.#syncTimer = undefined
      this.#app.store
        .syncGently()
        .catch((error: unknown) => this.#options.log('syncing failed', { error: String(error) }))
    }, SYNC_MS)
  }

  /** First publishes what was recorded so far, so that a new listener does not get it as news. */
  subscribe: Feed['subscribe'] = (listener, after) => {
    this.#news.tell()
    return this.#feed.subscribe(listener, after)
  }

  health(): object {
    const { heapUsed, rss } = process.memoryUsage()
    return {
      ok: true,
      pid: process.pid,
      version: this.#build.version,
      home: this.#options.home,
      started_at: new Date(this.#started).toISOString(),
      calls: this.#served,
      events: this.#keeper.events,
      memory: { rss_bytes: rss, heap_bytes: heapUsed },
      workspaces: this.#keeper.all().map((watched) => ({
        workspace_id: watched.id,
        root: watched.root,
        ...watched.describe(),
      })),
    }
  }

  /** Starts the scheduled work. */
  begin(life: Life): void {
    this.#timer = setInterval(() => void this.#tick(life), life.everyMs)
  }

  async #tick(life: Life): Promise<void> {
    if (this.#isTicking) return
    this.#isTicking = true
    try {
      await this.#turn(life)
    } catch (error) {
      this.#options.log('a turn failed', { error: String(error) })
    } finally {
      this.#isTicking = false
    }
  }

  async #turn({ isReachable, onEnd }: Life): Promise<void> {
    const now = Date.now()
    const slept = now - this.#lastTick > SLEPT_MS
    this.#lastTick = now
    if (!isReachable() || this.isAstray) return onEnd('nobody can find it any more')
    if (this.isOutdated && this.#calls === 0) return onEnd('the program was replaced')
    if (slept) this.#keeper.doubt()
    for (const id of this.#keeper.dropGone()) this.#feed.tell('dropped', { workspace_id: id })
    if (this.#lastCall > this.#lastCheckpoint && now - this.#lastCall > QUIET_MS) {
      await this.#app.store.tidy()
      this.#heap.trim()
      this.#lastCheckpoint = now
    }
    const [facts, pace, load] = [this.#facts(), this.#pace(), systemLoad()]
    const packs = smallPacks(this.#app.store)
    const todo = dueTasks(now, facts, pace, load, this.#lastCall, this.#lastUpkeep, packs)
    for (const duty of todo) await this.#do(duty, now)
    const drifted = await this.#auditor.runDue(hasTime(now, facts, load, this.#lastCall))
    if (pace.everyMs > 0) for (const id of drifted) await this.#capture(id)
  }

  #pace(): SchedulePace {
    const { every_minutes, debounce_seconds } = loadSettings(this.#options.home, undefined).schedule
    return { everyMs: every_minutes * 60_000, debounceMs: debounce_seconds * 1000 }
  }

  #facts(): WorkspaceFacts[] {
    const { records } = this.#app
    return records.workspaces
      .all()
      .filter(({ root }) => lstat(root)?.isDirectory())
      .map(({ id }) => {
        const watched = this.#keeper.get(id)
        return {
          id,
          watched: watched !== undefined && !watched.isCold,
          changed: watched?.isChanged ?? false,
          busy: watched?.isBusy ?? false,
          newest: records.snapshots.newest(id)?.created_at ?? 0,
          lastEvent: watched?.lastEvent ?? 0,
          captured: this.#captured.get(id) ?? this.#started,
          gitKept: this.#gitKept.get(id) ?? this.#started,
        }
      })
  }

  async #do(duty: DueTask, now: number): Promise<void> {
    if (duty.do === 'merge') return mergeInIdleTime(this.#app, this.#options)
    if (duty.do === 'upkeep') {
      this.#lastUpkeep = now
      return runUpkeep(this.#app, this.#options, now)
    }
    if (duty.do === 'settle') return this.#keeper.get(duty.workspace)?.settle()
    if (duty.do === 'keep git') return this.#keepGit(duty.workspace, now)
    this.#captured.set(duty.workspace, now)
    await this.#capture(duty.workspace)
  }

  async #capture(id: string): Promise<void> {
    try {
      const workspace = this.#workspace(id)
      if (workspace === undefined) return
      const ctx = captureContext(this.#quietCall())
      const request = { source: 'scheduled', label: 'scheduled', cause: { role: 'change' }, ifChanged: true } as const
      await capture(ctx, this.#settingsLog.reported(workspace), request)
    } catch (error) {
      this.#options.log('a scheduled capture failed', { workspace: id, error: String(error) })
    }
    this.#syncSoon()
    this.#news.tell()
  }

  /** Does not wait for the keep, which may take long. */
  #keepGit(id: string, now: number): void {
    this.#gitKept.set(id, now)
    const workspace = this.#workspace(id)
    if (workspace) void keepGitInPassing(this.#quietCall(), workspace, 'schedule').then(() => this.#syncSoon())
  }

  /** Scans all of a workspace; returns the folders in which something changed that no event reported. */
  async audit(id: string): Promise<string[]> {
    return this.#auditor.run(id)
  }

  #workspace(id: string): Workspace | undefined {
    const record = this.#app.records.workspaces.get(id)
    return record && this.#app.workspace(record)
  }

  #quietCall(): ToolCall {
    return { app: this.#app, cwd: '/', progress: () => {} }
  }

  /** Closes everything and releases the lease, so that another daemon can take it. */
  async stop(): Promise<void> {
    this.#isOver = true
    clearInterval(this.#timer)
    this.#news.close()
    clearTimeout(this.#syncTimer)
    this.#app.store.sync()
    this.#keeper.close()
    this.#app.records.leases.release(DAEMON_LEASE, this.#fence)
    this.#app.close()
  }
}
