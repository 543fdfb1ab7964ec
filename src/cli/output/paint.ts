/** Colours, on a terminal only, and few: ids, faults and diffs. */

export interface Paint {
  /** The answer of a tool. */
  answer(text: string): string
  diff(text: string): string
  /** Faults, hints and warnings; each starts with that word. */
  remark(text: string): string
  title(text: string): string
}

type Env = Readonly<Record<string, string | undefined>>

/** NO_COLOR overrides FORCE_COLOR, which overrides whether the stream is a terminal. */
export function wantsColour(env: Env, isTerminal: boolean): boolean {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0'
  return isTerminal && env.TERM !== 'dumb'
}

const sgr = (code: number) => (text: string) => `\x1b[${code}m${text}\x1b[0m`
const bold = sgr(1)
const red = sgr(31)
const green = sgr(32)
const yellow = sgr(33)
const cyan = sgr(36)

const same = (text: string): string => text
const ids = (text: string): string => text.replace(/\b[a-z]+_\d{8}_\d{6}_[0-9a-z]{6}\b/g, cyan)
const remarks = (text: string): string => text.replace(/^Error:/gm, red).replace(/^(Hint|Warning):/gm, yellow)

const PLAIN: Paint = { answer: same, diff: same, remark: same, title: same }
const COLOURED: Paint = {
  answer: (text) => remarks(ids(text)),
  diff: (text) => text.split('\n').map(diffLine).join('\n'),
  remark: remarks,
  title: bold,
}

export const paintFor = (env: Env, isTerminal: boolean): Paint => (wantsColour(env, isTerminal) ? COLOURED : PLAIN)

function diffLine(line: string): string {
  if (/^(diff |index |--- |\+\+\+ |\*\*\* )/.test(line)) return bold(line)
  if (line.startsWith('@@') || line.startsWith('***************')) return cyan(line)
  if (line.startsWith('+')) return green(line)
  if (line.startsWith('-')) return red(line)
  return line
}
