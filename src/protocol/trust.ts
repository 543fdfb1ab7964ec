import { z } from 'zod'
import { count } from '../base/text.ts'
import { common, consent, spec } from './spec.ts'

const STATES = ['absent', 'trusted', 'changed', 'untrusted'] as const

export const Trust = spec({
  name: 'trust',
  summary: 'Accept the settings that a workspace brings along',
  effect: 'danger',
  needsPerson: ({ dry_run, revoke }) => !dry_run && !revoke,
  group: 'setup',
  ownProcess: true,
  input: z.object({
    ...common,
    dry_run: z.boolean().default(false).describe('Show what the files ask for, and change nothing'),
    revoke: z.boolean().default(false).describe('Trust the files of this workspace no longer'),
    ...consent,
  }),
  output: z.object({
    workspace_id: z.string(),
    root: z.string(),
    files: z.array(
      z.object({
        path: z.string(),
        sha256: z.string().nullable(),
        state: z
          .enum(STATES)
          .describe('changed: it was trusted with other contents, and what was trusted then stays in force'),
      }),
    ),
    asks: z
      .array(
        z.object({
          file: z.string(),
          setting: z.string(),
          asked: z.unknown(),
          holds: z.unknown().describe('Its value without the file'),
          weakens: z.boolean().describe('false: it counts without trust'),
        }),
      )
      .describe('Where the files differ from what holds without them'),
    changed: z.boolean().describe('Whether this call changed what is trusted'),
    revoked: z.boolean(),
    dry_run: z.boolean(),
    warnings: z.array(z.string()),
  }),
  faults: ['CONFIRM_NEEDED', 'CONFIRM_WRONG'],
  text: (out) =>
    [
      ...out.files
        .filter(({ state }) => state !== 'absent')
        .map(({ path, sha256, state }) => `${path}: ${STATE_TEXT[state]}${sha256 ? ` (sha256 ${sha256})` : ''}`),
      ...out.asks.map(out.revoked ? takenBackText : askText),
      outcomeOf(out),
      ...out.warnings.map((warning) => `Warning: ${warning}`),
    ].join('\n'),
  question: () => 'Trust these files as they are now?',
  verb: { examples: ['timewarp trust --dry-run', 'timewarp trust', 'timewarp trust --revoke'] },
})

const STATE_TEXT = {
  absent: 'absent',
  trusted: 'trusted',
  changed: 'changed since you trusted it',
  untrusted: 'untrusted',
} as const satisfies Record<(typeof STATES)[number], string>

interface AskJson {
  readonly setting: string
  readonly asked?: unknown
  readonly holds?: unknown
  readonly weakens: boolean
}

const askText = ({ setting, asked, holds, weakens }: AskJson): string =>
  `  ${setting}: ${shown(asked)} instead of ${shown(holds)}${weakens ? ' (weakens protection)' : ''}`

const takenBackText = ({ setting, asked, holds }: AskJson): string =>
  `  ${setting}: ${shown(holds)} again, not ${shown(asked)}`

/** The beginning of a long list is enough to see what it is about; `--json` has all of it. */
const SHOWN = 400
const shown = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}

interface Outcome {
  readonly files: readonly { readonly state: (typeof STATES)[number] }[]
  readonly asks: readonly AskJson[]
  readonly changed: boolean
  readonly revoked: boolean
  readonly dry_run: boolean
}

function outcomeOf(out: Outcome): string {
  const isTrusted = out.files.some(({ state }) => state === 'trusted' || state === 'changed')
  if (out.revoked && out.dry_run) return isTrusted ? 'They would be trusted no longer.' : 'Nothing is trusted.'
  if (out.revoked) return out.changed ? 'No longer trusted.' : 'Nothing was trusted.'
  if (out.changed) return 'Trusted.\nTake it back with: timewarp trust --revoke'
  const weaker = out.asks.filter(({ weakens }) => weakens).length
  if (weaker > 0)
    return `${count(weaker, 'setting')} would be weaker.${out.dry_run ? ' Accept with: timewarp trust' : ''}`
  if (isTrusted) return 'There is nothing new to trust.\nTake it back with: timewarp trust --revoke'
  return 'There is nothing to trust: no setting weakens protection.'
}
