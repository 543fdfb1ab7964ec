import type { Arg } from './options.ts'

/** What a command may do, as its parts were read. Paths are absolute, with the marks of `paths.ts`. */
export type Effect =
  | {
      /** `destroy`: what is there goes away, with all below it; `write`: a file is made or changed. */
      readonly do: 'destroy' | 'write'
      readonly path: string
      /** All below the path as well. */
      readonly deep: boolean
      readonly by: string
      /** It is surely run, and with just this path; left out where the walk itself is to say. */
      readonly sure?: boolean
      /** Of a copy or a move: the paths it is made of. */
      readonly from?: readonly string[]
    }
  /** Only git's own folder of the repository around this folder. */
  | { readonly do: 'git'; readonly at: string; readonly rewrites: boolean; readonly by: string }
  /** A command of Timewarp itself that removes history or weakens its protection. */
  | { readonly do: 'history'; readonly by: string }
  /** A command of Timewarp itself that changes its store or stops its daemon, and removes nothing. */
  | { readonly do: 'store'; readonly by: string }
  /** Anything in and around this folder, and in those that these words name; no folder: anything anywhere. */
  | { readonly do: 'anything'; readonly at?: string; readonly said?: readonly Arg[]; readonly by: string }
