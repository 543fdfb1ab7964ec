import type { StoredState } from '../edits/file-change.ts'
import type { RelPath } from '../schema/path.ts'
import type { TreeEdits } from '../timeline/restore/tree-edits.ts'

export const removal = (path: RelPath): TreeEdits => ({ path, wish: { kind: 'nothing' } })

/** `hash`: the hash of the bytes, if it is known. */
export const targetEntry = (path: RelPath, state: StoredState, hash?: Uint8Array): TreeEdits => ({
  path,
  wish:
    state.kind === 'symlink'
      ? { kind: 'symlink', target: state.bytes, ...timeOf(state) }
      : { kind: 'file', bytes: state.bytes, mode: state.mode, ...timeOf(state), ...(hash ? { hash } : {}) },
})

const timeOf = ({ mtime }: StoredState): { mtime?: number } => (mtime === undefined ? {} : { mtime })
