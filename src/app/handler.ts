import type { z } from 'zod'
import type { Spec } from '../protocol/spec.ts'
import type { App } from './app.ts'

/** What a handler is given besides its input. */
export interface ToolCall {
  readonly app: App
  /** The caller's current folder; relative folders in the input start here. */
  readonly cwd: string
  /**
   * The folder in which a person typed the paths of the input: relative paths start there. If undefined, they start at
   * the root of the workspace.
   */
  readonly typedIn?: string | undefined
  /** Reports progress; called now and then during long work. Must not throw. */
  readonly progress: (message: string, done?: number, total?: number) => void
  /** Fires when the caller wants the call to stop. Long work stops at a point where nothing is half done. */
  readonly signal?: AbortSignal | undefined
  /** Reports something that happened beside the answer and for which the output has no field. Must not throw. */
  readonly announce?: ((sentence: string) => void) | undefined
}

/** The implementation of a spec. */
export interface Handler<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  readonly spec: Spec<I, O>
  readonly run: (call: ToolCall, input: z.output<I>) => Promise<z.output<O>>
}

export const handler = <I extends z.ZodObject, O extends z.ZodObject>(
  spec: Spec<I, O>,
  run: Handler<I, O>['run'],
): Handler<I, O> => ({ spec, run })
