import { findSecrets } from './find.ts'
import { knownOf } from './known.ts'
import { MARK, marked } from './range.ts'
import { strengthOf } from './rules/names.ts'
import { isListOfCookies } from './rules/pairs.ts'
import { isSecret } from './rules/values.ts'
import { LARGE, Redaction } from './stream.ts'

/**
 * Redaction: every secret becomes `***REDACTED***`; names stay readable. It is synchronous and takes well under a
 * millisecond for a prompt, so chats, hooks and tool inputs all use the same function. Text that is already redacted
 * stays: redacting twice changes nothing more. docs/privacy.md describes what is found and what cannot be.
 */

export interface RedactOptions {
  /**
   * Values that are secret whatever they look like, such as those in the workspace's `.env` files. See `knownSecrets`.
   */
  readonly known?: readonly string[]
}

export interface Redacted {
  readonly text: string
  /** How many secrets were replaced. */
  readonly redacted: number
}

/** The text without its secrets. */
export const redact = (text: string, options: RedactOptions = {}): string => redactCounting(text, options).text

/** The same, and how many secrets there were. */
export function redactCounting(text: string, options: RedactOptions = {}): Redacted {
  if (text.length > LARGE) return inSteps(text, options)
  const known = knownOf(options.known)
  // Most names and many values are a plain word, which is a secret only if the caller declared it.
  if (known === undefined && PLAIN_WORD.test(text)) return { text, redacted: 0 }
  const ranges = findSecrets(text, known)
  return { text: marked(text, ranges), redacted: ranges.length }
}

const PLAIN_WORD = /^[a-z_]{0,16}$/

function inSteps(text: string, options: RedactOptions): Redacted {
  const redaction = new Redaction(options)
  const parts: string[] = []
  for (let at = 0; at < text.length; at += LARGE) parts.push(redaction.push(text.slice(at, at + LARGE)))
  parts.push(redaction.end())
  return { text: parts.join(''), redacted: redaction.redacted }
}

/**
 * The same for JSON, such as the input of a tool: all strings in it, and every value under the name of a secret. Does
 * not change its argument. Replaces values that are nested too deeply as a whole.
 */
export const redactValue = (value: unknown, options: RedactOptions = {}): unknown => redactInside(value, options, 0)

const DEEPEST = 200

function redactInside(value: unknown, options: RedactOptions, depth: number): unknown {
  if (typeof value === 'string') return redact(value, options)
  if (typeof value !== 'object' || value === null) return value
  if (depth > DEEPEST) return MARK
  if (Array.isArray(value)) return value.map((item) => redactInside(item, options, depth + 1))
  const told = toldName(value as Record<string, unknown>)
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redact(key, options),
      redactNamed(told && key === 'value' ? told : key, item, options, depth + 1),
    ]),
  )
}

/** `{ "name": "Authorization", "value": "…" }` */
function toldName({ name, key, value }: Record<string, unknown>): string | undefined {
  if (typeof value !== 'string') return undefined
  return typeof name === 'string' ? name : typeof key === 'string' ? key : undefined
}

/** Names whose values may be partly secret: headers with a scheme, cookies. */
const TELLING = /auth|cookie|key|token|secret|sig/i

function redactNamed(name: string, value: unknown, options: RedactOptions, depth: number): unknown {
  if (Array.isArray(value) && depth <= DEEPEST) return value.map((item) => redactNamed(name, item, options, depth + 1))
  if (typeof value === 'number') return strengthOf(name) === 'sure' && value > 999 ? MARK : value
  if (typeof value !== 'string') return redactInside(value, options, depth)
  const strength = strengthOf(name)
  if (strength && !isListOfCookies(name, value) && isSecret(value, strength, 'quoted')) return MARK
  const plain = redact(value, options)
  if (plain !== value || !TELLING.test(name)) return plain
  // With its name before it, by which a header or a cookie is recognised.
  const named = redact(`${name}: ${value}`, options)
  return named.startsWith(`${name}: `) ? named.slice(name.length + 2) : plain
}
