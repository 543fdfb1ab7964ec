import { Fault } from '../../base/fault.ts'
import { ROOT } from '../../schema/path.ts'
import type { CaptureContext } from '../scan/context.ts'
import type { Scan } from '../scan/scan-result.ts'
import { scanBasics, scanView } from '../scan/scan-view.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type Assembled, assemble } from './assemble.ts'
import { stopIfAsked } from './stop.ts'
import { Trees } from './trees.ts'

/** The present state, without storing anything: for dry runs, diffs with the present, and `status`. */
export async function preview(
  ctx: CaptureContext,
  workspace: Workspace,
): Promise<{ assembled: Assembled; trees: Trees }> {
  for (;;) {
    const seen = await look(ctx, workspace)
    if (seen !== 'lost') return see(ctx, seen, workspace)
  }
}

/** After `lost`, the next scan is a full one, which cannot be lost. */
async function look(ctx: CaptureContext, workspace: Workspace): Promise<Scan | 'lost'> {
  const epoch = ctx.store.index.epoch()
  const view = await ctx.live?.view(workspace, { epoch, index: ctx.store.index }, new Map())
  try {
    return await scanView(view, undefined, options(ctx, workspace, epoch))
  } finally {
    view?.end()
  }
}

const options = (ctx: CaptureContext, workspace: Workspace, epoch: number) => ({
  ...scanBasics(ctx, workspace, epoch, undefined),
  onBlocks: () => {},
  progress: (folders: number) => {
    stopIfAsked(ctx)
    ctx.progress('Looking', folders)
  },
})

function see(ctx: CaptureContext, seen: Scan, workspace: Workspace): { assembled: Assembled; trees: Trees } {
  if (seen.gone.has(ROOT)) throw new Fault('ROOT_MISSING', { root: workspace.root })
  const trees = new Trees(ctx.store.reader)
  const assembled = assemble(seen, () => {})
  trees.lend(assembled.folders, seen.before, assembled.remade)
  return { assembled, trees }
}
