import { Fault } from '../../base/fault.ts'
import type { CaptureContext } from '../scan/context.ts'

/** Stops, at a point where nothing is half done, if the caller asked for it. */
export function stopIfAsked({ signal }: Pick<CaptureContext, 'signal'>): void {
  if (signal?.aborted) throw new Fault('CANCELLED', { taken_back: false })
}

/** For what has to be done to the end: the way back, and what follows files that have changed. */
export const unstoppable = (ctx: CaptureContext): CaptureContext => ({ ...ctx, signal: undefined })
