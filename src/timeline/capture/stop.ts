import { Fault } from '../../base/fault.ts'
import type { CaptureContext } from '../scan/context.ts'

/** Throws, at a point where nothing is half done, if the caller asked to cancel. */
export function stopIfAsked({ signal }: Pick<CaptureContext, 'signal'>): void {
  if (signal?.aborted) throw new Fault('CANCELLED', { taken_back: false })
}

/**
 * A context that cannot be cancelled, for work that must be finished: undoing an act, and recording the state after
 * files changed.
 */
export const unstoppable = (ctx: CaptureContext): CaptureContext => ({ ...ctx, signal: undefined })
