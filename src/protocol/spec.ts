import { z } from 'zod'
import type { FaultCode } from '../base/fault.ts'
import { hostPath } from './paths.ts'

/** How a tool is typed on the command line. Fields that are not named here become flags. */
export interface Verb {
  /** The command after `timewarp`; by default the tool's name. */
  readonly name?: string
  /** Input fields filled by operands, in this order; the last may take all the rest: `paths…`. */
  readonly words?: readonly string[]
  /** A field filled by what follows `--`. */
  readonly tail?: string
  /**
   * Fields that `-` fills from standard input, each with the field for bytes that are not UTF-8; null where there is
   * none.
   */
  readonly stdin?: Readonly<Record<string, string | null>>
  /** One-letter flags: `{ m: 'label' }`. */
  readonly short?: Readonly<Record<string, string>>
  readonly examples?: readonly string[]
}

/** The kind of work a tool is for: the heading in the help, and the set of tools that an agent may be given. */
export const GROUPS = ['timeline', 'edits', 'travel', 'memo', 'workshop', 'guards', 'store', 'setup'] as const
export type Group = (typeof GROUPS)[number]

/**
 * How a field reaches beyond the files of the workspace: it names a file to read, a folder to write to, or a command to
 * run. `consent.ts` decides what each requires of the agent's user.
 */
export type Reach = 'reads' | 'writes' | 'runs'

/** One capability, described once. The command line, the MCP server, the HTTP API and the docs are derived from it. */
export interface Spec<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  readonly name: string
  /** Imperative, no full stop. Shown by `timewarp --help`, in the tool list and in the reference. */
  readonly summary: string
  /** What it may do: read, add to the records, or change existing files and records. */
  readonly effect: 'read' | 'write' | 'danger'
  /**
   * False: an agent need not ask first, although files change. For edits: changing a file is their purpose, and each
   * can be undone from its record.
   */
  readonly confirm?: false
  /** The fields that reach beyond the files of the workspace. */
  readonly reaches?: { readonly [K in keyof z.output<I>]?: Reach }
  /** A second call with the same input changes nothing more. Not needed for a tool that only reads. */
  readonly idempotent?: true
  /**
   * Whether only a person can agree to this call: an agent cannot pass on the consent, and without a form the call is
   * refused.
   */
  readonly needsPerson?: (input: z.input<I>) => boolean
  readonly group: Group
  /**
   * False: it recovers by itself, or does not use the workspace's files; an act that a crash interrupted is left to the
   * next tool that recovers.
   */
  readonly recovers?: false
  /** Text that is not well-formed is repaired instead of refused: the report must not be lost. */
  readonly mendsText?: true
  /**
   * It works for a long time without yielding, and may be killed at any moment: its result is complete, or the next
   * call continues it.
   */
  readonly blocks?: true
  /**
   * It runs in its own process and never in the daemon: it works for a long time without yielding, asks the person at
   * the terminal, or runs a command in the caller's environment.
   */
  readonly ownProcess?: true
  /**
   * Doing it twice has the same result as once, so a caller that got no answer may repeat it. Not needed for a tool
   * that only reads.
   */
  readonly repeatable?: true
  /** It reads the files of a workspace: with a daemon that watches them it is faster. */
  readonly usesWatch?: true
  /** It records the session it is called for by itself. */
  readonly meetsSession?: true
  /**
   * A session here means one that a guard began, with a snapshot and prompts. The MCP server does not pass a session
   * that it made itself; without any, the tool takes the newest.
   */
  readonly guardedSession?: true
  readonly input: I
  readonly output: O
  /** Faults thrown on purpose, besides those that every tool may throw (see `COMMON_FAULTS`). */
  readonly faults: readonly FaultCode[]
  /** The answer for people. No full stop after an id or a path, because people double-click those. */
  readonly text: (output: z.output<O>) => string
  /** Raw bytes instead of text, where the answer is bytes; undefined where text will do. */
  readonly bytes?: (output: z.output<O>) => Uint8Array | undefined
  /** The exit code for an answer that is not a plain success; see `fsck`. */
  readonly exit?: (output: z.output<O>) => number
  /** What a person at a terminal is asked before the call, made from the answer of a dry run. */
  readonly question?: (plan: z.output<O>) => string
  readonly verb?: Verb
}

export const spec = <I extends z.ZodObject, O extends z.ZodObject>(s: Spec<I, O>): Spec<I, O> => s

/** Fields of every tool. */
export const common = {
  workspace: hostPath('The workspace: a folder in it, or its id (default: the current folder)').optional(),
  session_id: z.string().optional().describe('The session on whose behalf this is done'),
}

/** Fields of a tool that removes permanently: it answers CONFIRM_NEEDED until the caller confirms its plan. */
export const consent = {
  yes: z.boolean().default(false).describe('Do it without asking'),
  confirm: z
    .string()
    .optional()
    .describe('The token of the CONFIRM_NEEDED that showed what would be done; does just that'),
}

/** Faults that any tool may throw. */
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
