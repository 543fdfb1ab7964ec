import type { z } from 'zod'
import type { Verb } from '../protocol/spec.ts'
import type { Context } from './context.ts'

/** A command that is not a tool. */
export interface Command<I extends z.ZodObject = z.ZodObject> {
  readonly name: string
  /** Imperative, no full stop. */
  readonly summary: string
  readonly group: 'start' | 'guards' | 'shell'
  readonly input: I
  readonly verb?: Verb
  /** Prints JSON, faults too, even without --json. */
  readonly alwaysJson?: true
  /** Returns the exit code. */
  readonly run: (context: Context, input: z.output<I>) => Promise<number>
}

export const command = <I extends z.ZodObject>(c: Command<I>): Command<I> => c
