import type { State } from '../edits/file-change.ts'
import type { RelPath } from '../schema/path.ts'
import type { Wished } from '../timeline/restore/graft.ts'

export const nothingAt = (path: RelPath): Wished => ({ path, wish: { kind: 'nothing' } })

/** `hash` is that of the bytes, where it is known. */
export const stateAt = (path: RelPath, state: State, hash?: Uint8Array): Wished => ({
  path,
  wish:
    state.kind === 'symlink'
      ? { kind: 'symlink', target: state.bytes, ...timeOf(state) }
      : { kind: 'file', bytes: state.bytes, mode: state.mode, ...timeOf(state), ...(hash ? { hash } : {}) },
})

const timeOf = ({ mtime }: State): { mtime?: number } => (mtime === undefined ? {} : { mtime })
