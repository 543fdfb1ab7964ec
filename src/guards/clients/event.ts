import type { z } from 'zod'
import type { RecordEvent } from '../../protocol/record-event.ts'

/** What a guard tells the engine, and what it hears back: the input and the output of `record_event`. */

export type ClientName = 'claude' | 'opencode' | 'codex' | 'gemini' | 'generic'

/** An event as a guard tells it: the input of `record_event`, with what every guard knows. Gaps are told by what missed them. */
export type GuardEvent = Reported<'workspace' | 'session_id' | 'client'> & {
  readonly event: Exclude<Input['event'], 'gap'>
}

/** How a tool call may change files; the glossary tells of it. */
export type ToolKind = NonNullable<Input['kind']>

type Input = z.input<typeof RecordEvent.input>
type Reported<Known extends keyof Input> = {
  readonly [Field in keyof Input]: Input[Field] extends string[] | undefined
    ? readonly string[] | undefined
    : Input[Field]
} & { readonly [Field in Known]: string }

/** What the engine made of an event: whether it is covered, why a call must not be made, a sentence for the model. */
export type Verdict = Pick<z.output<typeof RecordEvent.output>, 'covered' | 'reason' | 'deny' | 'note'>

/** What a client said, in the words of the engine. Nothing, with the reason, when it concerns nobody or makes no sense. */
export interface ParsedPayload {
  readonly events: readonly GuardEvent[]
  readonly ignored?: string
}

/** What stands around a hook besides its payload. */
export interface HookEnvironment {
  /** The folder the client was started for, where it says so apart from the folder it is in now. */
  readonly project?: string | undefined
}

/** A client's hooks: how its words are understood, and what it expects back. Neither ever throws. */
export interface Guard {
  hear(payload: Payload, around: HookEnvironment): ParsedPayload
  /** For the client's standard input; empty when there is nothing to say. */
  reply(payload: Payload, verdicts: readonly Verdict[]): string
  /** The edit that begins, if its file is to show when it is over. */
  announced?(payload: Payload): Announced | undefined
  /** Those of some calls that are over though no hook told of their end: denied, for example. */
  answered?(payload: Payload, calls: readonly string[]): readonly Answered[]
}

/** An edit that begins, of which no end may be told: the file it names, and what it makes of one that holds this, if that is known. */
export interface Announced {
  readonly file: string
  readonly makes: (before: Buffer | undefined) => Buffer | undefined
}

/** A call whose result the model was told. */
export interface Answered {
  readonly id: string
  readonly failed: boolean
  /** When, if it says so. */
  readonly at?: number
}

export type Payload = Readonly<Record<string, unknown>>

export const ignored = (why: string): ParsedPayload => ({ events: [], ignored: why })

/** A text that says something; undefined for everything else. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

export const object = (value: unknown): Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Payload) : {}

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Those of some values that are texts. */
export const texts = (...values: readonly unknown[]): string[] => values.flatMap((value) => text(value) ?? [])

const LONGEST_INPUT = 2000
const LONGEST_ERROR = 500

/** What a call was made with, long texts cut: their content is in the snapshots. */
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

/** The first thing that the engine wants to be said. */
export const wish = (verdicts: readonly Verdict[], what: 'deny' | 'note'): string | undefined =>
  verdicts.map((verdict) => text(verdict[what])).find((said) => said !== undefined)
