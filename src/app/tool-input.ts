import { knownSecrets } from '../secrets/known-secrets.ts'
import { redact, redactValue } from '../secrets/redact.ts'

/**
 * LONGEST: how much of each text is recorded. LOOKED_THROUGH: how much is searched for secrets before the text is cut,
 * because a secret that is cut in two is no longer recognised.
 */
const LONGEST = 400
const LOOKED_THROUGH = 4000
const MOST_ITEMS = 50

/**
 * A tool's input as it is recorded: shortened, since the contents are in the snapshot, and without secrets. Every tool
 * input that reaches the store or an answer passes through here.
 */
export function recordedInput(root: string, input: unknown): unknown {
  return shortened(redactValue(shortened(input, LOOKED_THROUGH), { known: secretsOf(root) }), LONGEST)
}

/** The same for text that a person wrote, such as a prompt or a command. */
export const recordedText = (root: string, text: string): string => redact(text, { known: secretsOf(root) })

function shortened(value: unknown, longest: number): unknown {
  if (typeof value === 'string') return value.length > longest ? `${value.slice(0, longest)}…` : value
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map((item) => shortened(item, longest))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item, longest)]))
}

/**
 * Collecting the secrets of a workspace takes a few milliseconds, and a client makes many calls in a row: they are
 * cached.
 */
const KEPT_MS = 30_000
const lately = new Map<string, { readonly at: number; readonly secrets: readonly string[] }>()

function secretsOf(root: string): readonly string[] {
  const known = lately.get(root)
  if (known && performance.now() - known.at < KEPT_MS) return known.secrets
  const secrets = knownSecrets(root)
  lately.set(root, { at: performance.now(), secrets })
  return secrets
}
