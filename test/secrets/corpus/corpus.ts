import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawer, lot } from '../secrets.ts'
import { type Made, VALUES } from './values.ts'

/**
 * Secrets and harmless look-alikes as they stand in prompts, commands, files and outputs.
 *
 * Two text files hold the forms, one on a line: `name :: text`, below the heading of its class. In a text, `«kind:argument»` is a
 * secret, `‹kind:argument›` is a value that is none, and `⏎` is a line end. The values are drawn when the corpus is made.
 *
 * A third of the forms, by a hash of their names, is kept out: rules are written by looking at the others only. Whole forms are kept
 * out, not values, so that what is measured there is how the rules do with ways of writing that nobody had in mind.
 */
export interface Sample {
  /** Class and form. */
  readonly name: string
  readonly text: string
  /** None of these may survive. A harmless sample has none, and its text must stay as it is. */
  readonly secrets: readonly string[]
}

export type Part = 'tuning' | 'held out'

interface Form {
  readonly name: string
  readonly text: string
}

const hashOf = (name: string): number => createHash('sha256').update(name).digest().readUInt32BE()

export const partOf = (name: string): Part => (hashOf(name) % 3 === 0 ? 'held out' : 'tuning')

function formsIn(file: string): Form[] {
  const forms: Form[] = []
  let heading = ''
  for (const line of readFileSync(join(import.meta.dirname, file), 'utf8').split('\n')) {
    if (line.startsWith('## ')) heading = line.slice(3)
    const at = line.indexOf(' :: ')
    if (at > 0) forms.push({ name: `${heading}/${line.slice(0, at)}`, text: line.slice(at + 4) })
  }
  return forms
}

/** Where texts stand in what a coding agent says, reads and gets back. */
const PLACES: readonly ((text: string) => string)[] = [
  (text) => `Please have a look at this:\n\n${text}\n\nand tell me what is wrong.`,
  (text) => JSON.stringify({ type: 'tool_result', content: [{ type: 'text', text: `$ run\n${text}\n` }] }),
  (text) => `I got\n\n\`\`\`\n${text}\n\`\`\`\n\nfrom the script.`,
  (text) =>
    `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n one\n${text
      .split('\n')
      .map((line) => `+${line}`)
      .join('\n')}\n two\n`,
  (text) => `[09:12:44] step 3 of 7\n${text}\n[09:12:45] step 4 of 7\n`,
]

const MARKED = /«([^»]+)»|‹([^›]+)›/g

function fill({ name, text }: Form, seed: number): { text: string; secrets: string[] } {
  const draw = drawer(lot(seed))
  const secrets: string[] = []
  const filled = text
    .replaceAll('⏎', () => '\n')
    .replaceAll(MARKED, (_, secret?: string, plain?: string) => {
      const [kind = '', argument = ''] = (secret ?? plain ?? '').split(':')
      const make = VALUES[kind]
      if (make === undefined) throw new Error(`${name}: there is no kind of value ${kind}`)
      const value = make(draw, argument)
      const made: Made = typeof value === 'string' ? { text: value } : value
      if (secret !== undefined) secrets.push(...(made.parts ?? [made.text]))
      return made.text
    })
  return { text: filled, secrets }
}

/** Each form by itself and in every place, with values of its own each time. */
function samplesOf(form: Form): Sample[] {
  const seed = hashOf(form.name)
  return [(text: string) => text, ...PLACES].map((place, i) => {
    const { text, secrets } = fill(form, seed + i)
    return { name: form.name, text: place(text), secrets }
  })
}

function samplesIn(kind: 'secrets' | 'harmless', part: Part): Sample[] {
  const split = formsIn(`${kind}.txt`).filter(({ name }) => partOf(name) === part)
  // Written while the rules were: these are for tuning, all of them.
  const added = part === 'tuning' ? formsIn(`${kind}-added.txt`) : []
  return [...split, ...added].flatMap(samplesOf)
}

export const secretsOf = (part: Part): Sample[] => samplesIn('secrets', part)
export const harmlessOf = (part: Part): Sample[] => samplesIn('harmless', part)

/** Whether a secret, or half of it in one piece, is still there. */
export function survives(out: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => {
    const size = Math.max(Math.min(6, secret.length), Math.ceil(secret.length / 2))
    for (let at = 0; at + size <= secret.length; at++) if (out.includes(secret.slice(at, at + size))) return true
    return out.includes(JSON.stringify(secret).slice(1, -1))
  })
}
