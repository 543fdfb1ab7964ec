import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Part, Sample } from './corpus.ts'

/**
 * Lines by somebody who did not write the rules, with made-up values as they stand. Half of them is kept out: rules are written by looking
 * at the others only.
 */
interface Line {
  readonly id: string
  readonly text: string
  readonly secrets?: readonly string[]
}

export function linesOf(kind: 'secrets' | 'harmless', part: Part): Sample[] {
  const file = `lines-${kind}-${part === 'tuning' ? 'tuning' : 'held-out'}.jsonl`
  return readFileSync(join(import.meta.dirname, file), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)
    .map(({ id, text, secrets = [] }) => ({ name: id, text, secrets }))
}
