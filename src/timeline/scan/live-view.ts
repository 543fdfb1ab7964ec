import type { RelPath } from '../../schema/path.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { Folders } from './folders.ts'
import type { ScanIndex } from './scan-index.ts'
import type { Scan, ScanState } from './scan-result.ts'
import type { NamesOf, ScanScope } from './scan-scope.ts'
import type { StoreState } from './store-state.ts'

/**
 * Whoever watches workspaces, so that a look at one costs what changed. Events are a hint and a scan is the
 * truth: a view that knows too little says `all`, and the answer is the same as without it.
 */
export interface LiveView {
  /** Undefined: nobody watches this workspace. `also` is to be looked at in any case. */
  view(workspace: Workspace, basis: StoreState, also: ScanScope): Promise<WatchView | undefined>
  /**
   * A state that was reached from `from` by a look at some places alone, without a view: it becomes the one in mind, if that
   * is still `from`. What was told is still to be looked at. False when nothing is in mind: then somebody else keeps it.
   */
  advance(workspace: string, from: ScanState, to: ScanState, linked: readonly RelPath[]): boolean
  /**
   * Whether nothing has changed since the last look, as far as it was told by now, and these paths surely have not. In doubt:
   * no. It costs next to nothing, and is no look: what the system has not told yet is found by the next one.
   */
  isStill(workspace: Workspace, basis: StoreState, paths: readonly RelPath[]): Promise<boolean>
  /** How well a workspace is watched; undefined when it is not. */
  sightOf(workspace: string): WatchStatus | undefined
  /** The folders as the last look found them; undefined when nobody has them in mind. */
  foldersOf(workspace: string): Folders | undefined
}

export interface WatchStatus {
  /** warm: the next look costs what changed; cold: the next one is at everything; blind: every one is. */
  readonly sight: 'warm' | 'cold' | 'blind'
  readonly reason: string | null
  readonly folders: number
  /** Folders in which things change that nobody tells of: they are looked at every time. */
  readonly drifting: readonly RelPath[]
}

/** One look at a watched workspace. Until `end` is called, no other look at it begins. */
export interface WatchView {
  /** The folders that may not be as they were, or everything. */
  readonly folders: SomeView | FullView
  /** Folders nobody knew of: they are watched from now on, and listed after that, so that nothing falls in between. */
  watch(paths: readonly RelPath[]): void
  /** What is still to be looked at. `lost`: the watches cannot be trusted, and nothing that was seen counts. */
  again(seen: Scan): Promise<Rescan | 'lost'>
  /** Whether this look was at this path, or its folder is not known from the look before. */
  hasLookedAt(path: RelPath): boolean
  /** What was looked at is recorded: this is the state from which the next view counts. */
  keep(state: ScanState, linked: LinkedPaths): void
  /** Without `keep` before it, everything that had to be looked at still has to. */
  end(): void
}

/**
 * What is still to be looked at: folders among those just looked at in which something has happened since, and folders that
 * hold other names of files found in them, for of a new name only its own folder is told.
 */
export interface Rescan {
  readonly folders: readonly RelPath[]
  /** Those of them whose name came or went: nothing that was seen below them counts any more. */
  readonly moved: readonly RelPath[]
}

/** SomeView folders alone; the rest is as the last look left it. */
export interface SomeView {
  readonly of: 'some'
  readonly paths: readonly RelPath[]
  readonly since: ScanState
  /** The names in a folder that something happened to; undefined: any. */
  readonly names: NamesOf
}

/** Every folder, beginning with what this scan knew. */
export interface FullView {
  readonly of: 'all'
  readonly last: ScanIndex | undefined
}

/** The folders a look found to hold files with several names, and those it found to hold none. */
export interface LinkedPaths {
  readonly linked: readonly RelPath[]
  readonly looked: readonly RelPath[] | 'all'
}
