import { z } from 'zod'
import type { FaultCode } from '../base/fault.ts'
import { hostPath } from './paths.ts'

/** How a spec is typed on the command line. What is not named here is a flag derived from the input. */
export interface Verb {
  /** The word after `timewarp`; by default the tool's name. */
  readonly name?: string
  /** Input fields filled by words in this order; the last may take all the rest: `paths…`. */
  readonly words?: readonly string[]
  /** A field filled by what stands behind `--`. */
  readonly tail?: string
  /**
   * Fields that `-` fills from standard input; each with the field that takes bytes that are not UTF-8, null where there
   * is none.
   */
  readonly stdin?: Readonly<Record<string, string | null>>
  /** One-letter flags: `{ m: 'label' }`. */
  readonly short?: Readonly<Record<string, string>>
  readonly examples?: readonly string[]
}

/** Which kind of work a tool is for: the heading in the help, and the set an agent may be given. */
export const GROUPS = ['timeline', 'edits', 'travel', 'memo', 'workshop', 'guards', 'store', 'setup'] as const
export type Group = (typeof GROUPS)[number]

/**
 * How a field leads beyond the files of the workspace: it names a file to read, a folder to write to, or a command to run.
 * What each asks of the user of an agent is in `consent.ts`.
 */
export type Reach = 'reads' | 'writes' | 'runs'

/** One capability, described once. The command line, the MCP server, the HTTP API and the docs are read off it. */
export interface Spec<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  readonly name: string
  /** Imperative, no full stop. Shown by `timewarp --help`, in the tool list and in the reference. */
  readonly summary: string
  /** What it may do: look, add to the records, or change files and records that exist. */
  readonly effect: 'read' | 'write' | 'danger'
  /**
   * False: an agent need not ask before, although files change. For edits: to change a file is what they are called for,
   * and the record of each takes it back.
   */
  readonly confirm?: false
  /** The fields that lead beyond the files of the workspace. */
  readonly reaches?: { readonly [K in keyof z.output<I>]?: Reach }
  /** Called again with the same input it changes nothing more. Of a tool that only reads, this need not be said. */
  readonly idempotent?: true
  /** Whether only a person may agree to this call: an agent cannot pass the consent on, and without a form is refused. */
  readonly needsPerson?: (input: z.input<I>) => boolean
  readonly group: Group
  /** False: it recovers by itself, or does not look at the workspace, and leaves what a crash cut short to the next tool that does. */
  readonly recovers?: false
  /** Text that is not well-formed is mended rather than refused: what it tells must not be lost. */
  readonly mendsText?: true
  /** It works for long without a pause, and may be killed at any moment: what it leaves is complete, or taken up by the next. */
  readonly blocks?: true
  /**
   * It runs in a process of its own and never in the daemon: it works for long without a pause, asks the person at the terminal,
   * or runs a command in the caller's environment.
   */
  readonly ownProcess?: true
  /** Done twice it comes to the same, so whoever got no answer may do it again. Of a tool that only reads, this need not be said. */
  readonly repeatable?: true
  /** It looks at the files of a workspace: with a daemon that watches them it is quicker. */
  readonly usesWatch?: true
  /** It takes note of the session it is called for by itself. */
  readonly meetsSession?: true
  /**
   * A session means one that a guard began, with a snapshot and prompts. The MCP server names no session of its own making to it;
   * without any, it takes the newest.
   */
  readonly guardedSession?: true
  readonly input: I
  readonly output: O
  /** Faults raised on purpose, besides those every tool may raise (see `COMMON_FAULTS`). */
  readonly faults: readonly FaultCode[]
  /** The answer for people. Without a full stop after an id or a path: people double-click those. */
  readonly text: (output: z.output<O>) => string
  /** Raw bytes instead of text, where bytes are the answer; undefined where text will do. */
  readonly bytes?: (output: z.output<O>) => Uint8Array | undefined
  /** The exit code of an answer that is not simply good; see `fsck`. */
  readonly exit?: (output: z.output<O>) => number
  /** What a person at a terminal is asked before it is done, by the answer of a dry run. */
  readonly question?: (plan: z.output<O>) => string
  readonly verb?: Verb
}

export const spec = <I extends z.ZodObject, O extends z.ZodObject>(s: Spec<I, O>): Spec<I, O> => s

/** Fields that every tool takes. */
export const common = {
  workspace: hostPath('The workspace: a folder in it, or its id (default: the current folder)').optional(),
  session_id: z.string().optional().describe('The session on whose behalf this is done'),
}

/** Fields of a tool that removes for good: it answers CONFIRM_NEEDED until the caller confirms what it would do. */
export const consent = {
  yes: z.boolean().default(false).describe('Do it without asking'),
  confirm: z
    .string()
    .optional()
    .describe('The token of the CONFIRM_NEEDED that showed what would be done; does just that'),
}

/** Faults any tool may raise. */
export const COMMON_FAULTS: readonly FaultCode[] = [
  'BAD_INPUT',
  'CONFIG_BAD',
  'WORKSPACE_UNKNOWN',
  'WORKSPACE_REFUSED',
  'ROOT_MISSING',
  'ROOT_LINKED',
  'WORKSPACE_BUSY',
  'STORE_BUSY',
  'STORE_NEWER',
  'NO_SPACE',
  'NO_PERMISSION',
  'READ_ONLY',
  'TOO_MANY_FILES',
  'PATH_TOO_LONG',
  'STORE_MISSING',
  'HOME_BAD',
  'RECORDS_DAMAGED',
  'OBJECT_MISSING',
  'OBJECT_DAMAGED',
  'PATH_DAMAGED',
  'PATH_TOO_LONG',
  'INTERNAL',
]
