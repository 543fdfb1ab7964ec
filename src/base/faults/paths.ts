import { fault } from '../fault-kind.ts'
import { shellWord } from '../shell-word.ts'

/** Paths that cannot be used. */
export const PATH_FAULTS = {
  PATH_NOT_FOUND: fault<{
    path: string
    snapshot_id: string
    /** Another place that does not have it either. */
    nor?: string
    /** The path relative to the person's current folder. */
    typed?: string
  }>({
    kind: 'missing',
    message: (d) =>
      d.nor === undefined
        ? `${d.path} is not in snapshot ${d.snapshot_id}`
        : `${d.path} is neither in snapshot ${d.snapshot_id} nor in ${d.nor}`,
    hint: (d) => `Which snapshots have it: timewarp history ${shellWord(d.typed ?? d.path)}`,
  }),
  PATH_OUTSIDE: fault<{ path: string; root?: string }>({
    kind: 'usage',
    message: (d) => `${d.path} is not a path inside the workspace.`,
    hint: (d) =>
      d.root === undefined
        ? 'Give a path relative to the root of the workspace, without "..".'
        : `Give a path in ${d.root} relative to the current folder, or absolute.`,
  }),
  PATH_TOO_LONG: fault<{ path: string; what: 'name' | 'path'; limit: number }>({
    kind: 'usage',
    message: (d) => `${d.path} is too long: a ${d.what} has at most ${d.limit} bytes.`,
    hint: () => 'Give a shorter path.',
  }),
  PATH_DAMAGED: fault<{ path: string }>({
    kind: 'corrupt',
    message: (d) => `The store names the path ${d.path} which cannot be inside a workspace; it is not used.`,
    hint: () => 'See what is affected with: timewarp fsck',
  }),
  PATH_EXCLUDED: fault<{ path: string }>({
    kind: 'conflict',
    message: (d) => `${d.path} is not captured, so it could not be brought back: it is not edited.`,
    hint: () => 'What is left out, and why: timewarp status',
  }),
}
