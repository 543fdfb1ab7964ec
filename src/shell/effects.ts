import type { Arg } from './options.ts'

/** What a part of a command may do. Paths are absolute, with the placeholders of `paths.ts`. */
export type Effect =
  | {
      /** `destroy`: deletes what is there, recursively; `write`: creates or changes a file. */
      readonly do: 'destroy' | 'write'
      readonly path: string
      /** Everything below the path as well. */
      readonly deep: boolean
      readonly by: string
      /** The part certainly runs, and with exactly this path; left out where the walker decides. */
      readonly sure?: boolean
      /** For a copy or a move: its sources. */
      readonly from?: readonly string[]
    }
  /** Only the git folder of the repository around this folder. */
  | { readonly do: 'git'; readonly at: string; readonly rewrites: boolean; readonly by: string }
  /** A command of Timewarp that removes history or weakens its protection. */
  | { readonly do: 'history'; readonly by: string }
  /** A command of Timewarp that changes its store or stops its daemon, and removes nothing. */
  | { readonly do: 'store'; readonly by: string }
  /**
   * Anything in and around this folder, and in the folders that these words name; without a folder: anything anywhere.
   */
  | { readonly do: 'anything'; readonly at?: string; readonly said?: readonly Arg[]; readonly by: string }
