/** Detects where a piece of work seems to end, and proposes milestones, each with the rule that fired. Pure. */

/** One recorded change, with what the rules use. */
export interface DetectedStep {
  readonly id: string
  readonly created_at: number
  readonly tool: string | null
  readonly label: string | null
  readonly description: string | null
  /** Empty: the step changed nothing, and only describes the steps before it. */
  readonly paths: readonly string[]
}

export interface MilestoneProposal {
  readonly rule: string
  readonly why: string
  /** The oldest first. */
  readonly steps: readonly DetectedStep[]
}

interface Setting {
  readonly pauseMinutes: number
  readonly now: number
}

interface Rule {
  readonly name: string
  /** Whether the work ends with this step, or before it. */
  readonly ends: 'with' | 'before'
  /**
   * The reason why the work in `open` ends at this step; undefined: it goes on. For `with` rules, `open` includes the
   * step.
   */
  readonly why: (step: DetectedStep, open: readonly DetectedStep[], setting: Setting) => string | undefined
}

const TESTS_PASSED = [
  /\b(?:tests?|specs?|suite)(?:\s+(?:suite|run|all|now|are|is|have|has|again))*\s+(?:pass(?:ed|es|ing)?|green|succeed(?:ed|s)?)\b/i,
  /\bpass(?:ed|es|ing)?\s+(?:all\s+)?(?:the\s+)?tests?\b/i,
  /\b\d+\s+(?:tests?\s+)?passed\b(?![^\n]*\b[1-9]\d*\s+failed)/i,
  /测试[^。；，\n]{0,6}通过/,
]
const DONE = [/\b(?:done|finished|completed)\b/i, /\bcomplete[.!]?$/i, /完成|搞定|做完/]
const NOT = /\b(?:not|no|never|nothing|isn|aren|don|didn)\b|未|没|不/i

/**
 * A step in a new folder does not end the work before this many steps: work in two folders has touched both by then.
 */
const SETTLED_STEPS = 2

export const RULES: readonly Rule[] = [
  {
    name: 'tests_passed',
    ends: 'with',
    why: ({ tool, label, description }) => quoted('the tests passed', [tool, label, description], TESTS_PASSED),
  },
  {
    name: 'said_done',
    ends: 'with',
    why: ({ label, description }) => quoted('somebody said so', [label, description], DONE),
  },
  {
    name: 'long_pause',
    ends: 'before',
    why: (step, open, { pauseMinutes }) => pauseBetween(open.at(-1), step.created_at, pauseMinutes),
  },
  {
    name: 'other_module',
    ends: 'before',
    why: (step, open) => {
      const [next, before] = [modulesOf([step]), modulesOf(open)]
      if (open.filter(isWork).length < SETTLED_STEPS || !next.isDisjointFrom(before)) return undefined
      return `work went on from ${[...before].join(', ')} to ${[...next].join(', ')}`
    },
  },
]

/** `steps` must be ordered from the oldest. Work that no rule has ended is not proposed: it is still under way. */
export function detectMilestones(steps: readonly DetectedStep[], setting: Setting): MilestoneProposal[] {
  const proposals: MilestoneProposal[] = []
  let open: DetectedStep[] = []
  const close = ({ rule, why }: Fired): void => {
    if (open.some(isWork)) proposals.push({ rule, why, steps: open.filter(isWork) })
    open = []
  }
  for (const step of steps) {
    const before = isWork(step) ? firing('before', step, open, setting) : undefined
    if (before) close(before)
    open.push(step)
    const after = firing('with', step, open, setting)
    if (after) close(after)
  }
  const idle = pauseBetween(open.at(-1), setting.now, setting.pauseMinutes)
  if (idle) close({ rule: 'long_pause', why: idle })
  return proposals
}

interface Fired {
  readonly rule: string
  readonly why: string
}

function firing(
  ends: Rule['ends'],
  step: DetectedStep,
  open: readonly DetectedStep[],
  setting: Setting,
): Fired | undefined {
  for (const rule of RULES) {
    const why = rule.ends === ends ? rule.why(step, open, setting) : undefined
    if (why !== undefined) return { rule: rule.name, why }
  }
  return undefined
}

const isWork = ({ paths }: DetectedStep): boolean => paths.length > 0

/** The folders directly below the root; `.` for files in the root itself. */
const modulesOf = (steps: readonly DetectedStep[]): Set<string> =>
  new Set(steps.flatMap(({ paths }) => paths.map((path) => (path.includes('/') ? (path.split('/')[0] ?? '') : '.'))))

function pauseBetween(last: DetectedStep | undefined, next: number, minutes: number): string | undefined {
  const pause = last === undefined ? 0 : Math.floor((next - last.created_at) / 60_000)
  return last !== undefined && pause >= minutes ? `nothing was changed for ${pause} minutes` : undefined
}

function quoted(why: string, texts: readonly (string | null)[], patterns: readonly RegExp[]): string | undefined {
  const text = texts.find((one) => one !== null && patterns.some((pattern) => says(one, pattern)))
  return text ? `${why}: "${text}"` : undefined
}

const BEFORE_CHARS = 10

/** Whether the text matches the pattern, without a negation just before or within the match. */
function says(text: string, pattern: RegExp): boolean {
  const match = pattern.exec(text)
  return match !== null && !NOT.test(text.slice(Math.max(0, match.index - BEFORE_CHARS), match.index + match[0].length))
}
