import { type RedactOptions, redactCounting } from '../../secrets/redact.ts'

/** A message, or a use of a tool. */
export type Turn = (
  | { readonly role: 'user' | 'assistant'; readonly text: string }
  | {
      readonly role: 'tool'
      readonly name: string
      /** Undefined when it was shown in an earlier turn. */
      readonly input?: string | undefined
      /** Undefined when the transcript has none. */
      readonly output?: string | undefined
      readonly failed?: boolean
    }
) & {
  /** Milliseconds, if the transcript has the time. */
  readonly at?: number | undefined
}

/** How much of each text is shown. Messages are seldom longer; outputs of tools often are. */
const LONGEST = { said: 40_000, input: 4_000, output: 8_000 }
/** A secret may begin this much before the shown part, or end this much after it. */
const MARGIN = 64 * 1024

export function renderTurn(turn: Turn, options: RedactOptions): { text: string; redacted: number } {
  if (turn.role !== 'tool') {
    const said = shown(turn.text, LONGEST.said, options)
    return { text: `[${turn.role}] ${harmless(said.text)}`, redacted: said.redacted }
  }
  const input = turn.input === undefined ? undefined : shown(turn.input, LONGEST.input, options)
  const output = turn.output === undefined ? undefined : shown(turn.output, LONGEST.output, options)
  const parts = [
    `[tool:${turn.name.replaceAll(/[\s\]]+/g, () => '_') || 'unknown'}]${turn.failed ? ' (failed)' : ''}`,
    ...(input ? [`input: ${harmless(input.text)}`] : []),
    output ? `output:\n${harmless(output.text)}` : '(no output)',
  ]
  return { text: parts.join('\n'), redacted: (input?.redacted ?? 0) + (output?.redacted ?? 0) }
}

/** Redacts before it cuts: half a secret would not be recognised. */
function shown(text: string, longest: number, options: RedactOptions): { text: string; redacted: number } {
  if (text.length <= longest + 2 * MARGIN) {
    const { text: clean, redacted } = redactCounting(text.trimEnd(), options)
    return { text: cut(clean, clean, longest, clean.length), redacted }
  }
  const head = redactCounting(text.slice(0, longest + MARGIN), options)
  const tail = redactCounting(text.slice(-(longest + MARGIN)).trimEnd(), options)
  return { text: cut(head.text, tail.text, longest, text.length), redacted: head.redacted + tail.redacted }
}

/** The beginning of one text and the end of the other, with a line between them that says how much was cut. */
function cut(head: string, tail: string, longest: number, length: number): string {
  if (length <= longest) return head
  const first = wholeStart(head.slice(0, Math.ceil(longest * 0.7)))
  const last = wholeEnd(tail.slice(-Math.floor(longest * 0.3)))
  return `${first}\n[… ${length - first.length - last.length} characters cut …]\n${last}`
}

/** Cuts at the end of a line, if one is near; never inside a surrogate pair. */
function wholeStart(text: string): string {
  const at = text.lastIndexOf('\n')
  if (at > text.length * 0.8) return text.slice(0, at)
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text
}

function wholeEnd(text: string): string {
  const at = text.indexOf('\n')
  if (at !== -1 && at < text.length * 0.2) return text.slice(at + 1)
  return /^[\udc00-\udfff]/.test(text) ? text.slice(1) : text
}

/** Escapes lines that look like the header of a message, so that quoted text is not taken for a message. */
const harmless = (text: string): string =>
  text.replaceAll(/^(?=\[(?:user|assistant|tool:[^\]\n]*)\])/gm, (_, at: number) => (at === 0 ? '' : '\\'))
