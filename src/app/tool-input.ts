import { knownSecrets } from '../secrets/known-secrets.ts'
import { redact, redactValue } from '../secrets/redact.ts'

/** How much of each text is kept, and how much is looked through for secrets: one that is cut in two is not known any more. */
const LONGEST = 400
const LOOKED_THROUGH = 4000
const MOST_ITEMS = 50

/**
 * What a tool was asked for, as it is recorded: without contents, which are in the snapshot, and without secrets. All
 * that reaches the store or an answer of a tool's input passes through here.
 */
export function recordedInput(root: string, input: unknown): unknown {
  return shortened(redactValue(shortened(input, LOOKED_THROUGH), { known: secretsOf(root) }), LONGEST)
}

/** The same for what a person wrote or typed, such as a prompt or a command. */
export const recordedText = (root: string, text: string): string => redact(text, { known: secretsOf(root) })

function shortened(value: unknown, longest: number): unknown {
  if (typeof value === 'string') return value.length > longest ? `${value.slice(0, longest)}…` : value
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map((item) => shortened(item, longest))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item, longest)]))
}

/** Looking for the secrets of a workspace takes a few milliseconds; a client makes many calls in a row. */
const KEPT_MS = 30_000
const lately = new Map<string, { readonly at: number; readonly secrets: readonly string[] }>()

function secretsOf(root: string): readonly string[] {
  const known = lately.get(root)
  if (known && performance.now() - known.at < KEPT_MS) return known.secrets
  const secrets = knownSecrets(root)
  lately.set(root, { at: performance.now(), secrets })
  return secrets
}
