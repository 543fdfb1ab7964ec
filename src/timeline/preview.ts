import { Fault } from '../base/fault.ts'
import { type Assembled, assemble } from './assemble.ts'
import { indexFile } from './index-file.ts'
import type { CaptureRoom } from './publish.ts'
import { scan } from './scan.ts'
import { Trees } from './trees.ts'
import type { Workspace } from './workspace.ts'

/** The present state without storing anything: what a dry run, a diff with the present, and `status` look at. */
export async function preview(
  room: CaptureRoom,
  workspace: Workspace,
): Promise<{ assembled: Assembled; trees: Trees }> {
  const seen = await scan({
    setup: {
      root: workspace.root,
      rules: workspace.rules,
      maxBytes: workspace.config.max_file_bytes,
      store: undefined,
    },
    indexFile: indexFile(room.home, workspace.id),
    objects: room.store.index,
    epoch: room.store.index.epoch(),
    onBlocks: () => {},
    progress: (folders) => room.progress('Looking', folders),
  })
  if (seen.gone.has('')) throw new Fault('ROOT_MISSING', { root: workspace.root })
  const trees = new Trees(room.store.reader)
  const assembled = assemble(seen, () => {})
  trees.lend(assembled.folders, seen.before)
  return { assembled, trees }
}
