import type { z } from 'zod'
import type { RecordEvent } from '../../protocol/record-event.ts'

/** What a guard reports and what it gets back: the input and the output of `record_event`. */

export type ClientName = 'claude' | 'opencode' | 'codex' | 'gemini' | 'generic'

/**
 * An event from a guard: the input of `record_event`, with the fields that every guard knows. Gaps are reported
 * separately.
 */
export type GuardEvent = Reported<'workspace' | 'session_id' | 'client'> & {
  readonly event: Exclude<Input['event'], 'gap'>
}

/** How a tool call may change files. */
export type ToolKind = NonNullable<Input['kind']>

type Input = z.input<typeof RecordEvent.input>
type Reported<Known extends keyof Input> = {
  readonly [Field in keyof Input]: Input[Field] extends string[] | undefined
    ? readonly string[] | undefined
    : Input[Field]
} & { readonly [Field in Known]: string }

/** The result of an event: whether it is covered, why a call is denied, a sentence for the model. */
export type Verdict = Pick<z.output<typeof RecordEvent.output>, 'covered' | 'reason' | 'deny' | 'note'>

/**
 * The events in a client's payload. Empty, with the reason, when the payload is of no interest or cannot be understood.
 */
export interface ParsedPayload {
  readonly events: readonly GuardEvent[]
  readonly ignored?: string
}

/** The environment of a hook besides its payload. */
export interface HookEnvironment {
  /** The folder the client was started for, where the client reports it separately from its current folder. */
  readonly project?: string | undefined
}

/** A client's hooks: how to parse its payloads, and what to answer. Neither ever throws. */
export interface Guard {
  hear(payload: Payload, around: HookEnvironment): ParsedPayload
  /** The answer to the client; empty when there is none. */
  reply(payload: Payload, verdicts: readonly Verdict[]): string
  /** The edit that begins, if its end is to be detected from its file. */
  announced?(payload: Payload): Announced | undefined
  /** Those of some calls that are over although no hook reported their end: denied ones, for example. */
  answered?(payload: Payload, calls: readonly string[]): readonly Answered[]
}

/**
 * An edit that begins and whose end may not be reported: its file, and a function from the file's content to the
 * result, undefined if that is not known.
 */
export interface Announced {
  readonly file: string
  readonly makes: (before: Buffer | undefined) => Buffer | undefined
}

/** A call whose result the model has received. */
export interface Answered {
  readonly id: string
  readonly failed: boolean
  /** The time of the result, if the transcript has it. */
  readonly at?: number
}

export type Payload = Readonly<Record<string, unknown>>

export const ignored = (why: string): ParsedPayload => ({ events: [], ignored: why })

/** A string that is not empty; undefined for everything else. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

export const object = (value: unknown): Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Payload) : {}

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Those of some values that are non-empty strings. */
export const texts = (...values: readonly unknown[]): string[] => values.flatMap((value) => text(value) ?? [])

const LONGEST_INPUT = 2000
const LONGEST_ERROR = 500

/** The input of a call with long texts cut: their content is in the snapshots. */
export function clipped(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return clip(value, LONGEST_INPUT)
  if (typeof value !== 'object' || value === null) return value
  if (depth > 4) return '…'
  if (Array.isArray(value)) return value.slice(0, 50).map((item) => clipped(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clipped(item, depth + 1)]))
}

export const errorText = (value: unknown): string | undefined => {
  const said = text(value)
  return said && clip(said, LONGEST_ERROR)
}

const clip = (said: string, most: number): string =>
  said.length > most ? `${said.slice(0, most)}… (${said.length - most} more characters)` : said

/** The first denial or note among the verdicts. */
export const wish = (verdicts: readonly Verdict[], what: 'deny' | 'note'): string | undefined =>
  verdicts.map((verdict) => text(verdict[what])).find((said) => said !== undefined)
