import type { RelPath } from '../../schema/path.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { Folders } from './folders.ts'
import type { ScanIndex } from './scan-index.ts'
import type { Scan, ScanState } from './scan-result.ts'
import type { NamesOf, ScanScope } from './scan-scope.ts'
import type { StoreState } from './store-state.ts'

/**
 * The daemon's view of the workspaces it watches, so that a scan costs only what changed. Events are a hint and a scan
 * is the truth: a view that knows too little answers `all`, and the result of the scan is the same as without it.
 */
export interface LiveView {
  /** Begins a scan. Undefined: this workspace is not watched. The places in `also` are scanned in any case. */
  view(workspace: Workspace, basis: StoreState, also: ScanScope): Promise<WatchView | undefined>
  /**
   * Replaces the state in memory by `to`, which a scan of some folders reached from `from` without a view, if the state
   * in memory is still `from`. Reported events stay queued for the next scan. False when there is no state in memory:
   * then the caller has to save it.
   */
  advance(workspace: string, from: ScanState, to: ScanState, linked: readonly RelPath[]): boolean
  /**
   * Whether no event has been reported since the last scan and these paths are certainly unchanged. False in doubt. It
   * costs next to nothing and does not replace a scan: the next scan finds what the system has not reported yet.
   */
  isStill(workspace: Workspace, basis: StoreState, paths: readonly RelPath[]): Promise<boolean>
  /** How well a workspace is watched; undefined when it is not watched. */
  sightOf(workspace: string): WatchStatus | undefined
  /** The folders as the last scan saw them; undefined when they are not in memory. */
  foldersOf(workspace: string): Folders | undefined
}

export interface WatchStatus {
  /** warm: the next scan costs what changed; cold: the next scan is a full one; blind: every scan is a full one. */
  readonly sight: 'warm' | 'cold' | 'blind'
  readonly reason: string | null
  readonly folders: number
  /** Folders in which files change without events: they are part of every scan. */
  readonly drifting: readonly RelPath[]
}

/** One scan of a watched workspace. Until `end` is called, no other scan of it begins. */
export interface WatchView {
  /** The folders that may have changed, or all of them. */
  readonly folders: SomeView | FullView
  /**
   * Starts to watch folders that were unknown so far. The scan lists them afterwards, so that no change is missed in
   * between.
   */
  watch(paths: readonly RelPath[]): void
  /** What has to be scanned again. `lost`: the watches cannot be trusted, and the results so far must be discarded. */
  again(seen: Scan): Promise<Rescan | 'lost'>
  /** Whether this scan covered the path, or the previous scan did not know the path's folder. */
  hasLookedAt(path: RelPath): boolean
  /** Records what was scanned: `state` is what the next view starts from. */
  keep(state: ScanState, linked: LinkedPaths): void
  /** Ends the scan. Unless `keep` was called before, everything that had to be scanned still has to be. */
  end(): void
}

/**
 * What has to be scanned again: folders just scanned in which something has happened since, and folders that hold other
 * hard links of files found in them, because an event for a new link names only that link's own folder.
 */
export interface Rescan {
  readonly folders: readonly RelPath[]
  /** Those of them that were created, deleted or renamed: the results for everything below them are discarded. */
  readonly moved: readonly RelPath[]
}

/** Some folders only; the rest is as the last scan saw it. */
export interface SomeView {
  readonly of: 'some'
  readonly paths: readonly RelPath[]
  readonly since: ScanState
  /** The names in a folder for which events were reported; undefined: any name may have changed. */
  readonly names: NamesOf
}

/** Every folder, compared with the index `last`. */
export interface FullView {
  readonly of: 'all'
  readonly last: ScanIndex | undefined
}

/** The folders in which a scan found files with several hard links, and all the folders it scanned. */
export interface LinkedPaths {
  readonly linked: readonly RelPath[]
  readonly looked: readonly RelPath[] | 'all'
}
