import { Fault } from '../base/fault.ts'
import type { Handler } from './handler.ts'

/** Which file does what a tool says. Loaded when the tool is called. */
const HANDLERS: Readonly<Record<string, () => Promise<unknown>>> = {
  snapshot: () => import('./snapshot.ts').then((m) => m.snapshot),
}

export async function loadHandler(tool: string): Promise<Handler> {
  const load = HANDLERS[tool]
  if (load === undefined) throw new Fault('UNKNOWN_TOOL', { name: tool })
  return (await load()) as Handler
}
