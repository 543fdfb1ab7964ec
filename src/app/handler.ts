import type { z } from 'zod'
import type { Spec } from '../protocol/spec.ts'
import type { App } from './app.ts'

/** What a tool is given besides its input. */
export interface ToolCall {
  readonly app: App
  /** Where the caller stands; relative folders in the input start here. */
  readonly cwd: string
  /**
   * The folder in which a person typed the paths of the input: relative ones start there. Without it they start at the root of
   * the workspace.
   */
  readonly typedIn?: string | undefined
  /** Called now and then during long work. Must not throw. */
  readonly progress: (message: string, done?: number, total?: number) => void
  /** Fires when the caller wants it to stop: long work stops at a point where nothing is half done. */
  readonly signal?: AbortSignal | undefined
  /** Tells of something that happened beside the answer, where the answer has no place for it. Must not throw. */
  readonly announce?: ((sentence: string) => void) | undefined
}

/** The one place that does what a spec says. */
export interface Handler<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  readonly spec: Spec<I, O>
  readonly run: (call: ToolCall, input: z.output<I>) => Promise<z.output<O>>
}

export const handler = <I extends z.ZodObject, O extends z.ZodObject>(
  spec: Spec<I, O>,
  run: Handler<I, O>['run'],
): Handler<I, O> => ({ spec, run })
