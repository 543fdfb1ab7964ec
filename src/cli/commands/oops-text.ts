import type { z } from 'zod'
import { count, thousands } from '../../base/text.ts'
import { firstLine } from '../../base/visible.ts'
import { conflictsText, firstOf, type ReverseOp, unsureText } from '../../protocol/reverse.ts'
import { showPath } from '../../protocol/shapes.ts'

/** What `oops` prints about a deed before it reverts anything. */

type Reversal = z.output<(typeof ReverseOp)['output']>
type Deed = NonNullable<Reversal['deed']>

const TITLE_WIDTH = 100
const titled = (text: string): string => firstLine(text).slice(0, TITLE_WIDTH)

/** Names each path once: paths left alone and conflicts with their reason, the rest in one list. */
export function deedText(would: Reversal, { yes }: { readonly yes: boolean }): string[] {
  const { deed, files, left, conflicts } = would
  const apart = new Set([...left.flatMap(({ paths }) => paths), ...conflicts.map(({ path }) => path)])
  const rows = files
    .filter(({ path }) => !apart.has(path))
    .map(({ path, status }) => `    ${STATUS[status].padEnd(7)}  ${showPath(path)}`)
  return [
    ...(deed ? [headOf(deed), ...stepsText(deed)] : []),
    `It ${didText(files)}${rows.length > 0 ? ':' : '.'}`,
    ...firstOf(rows),
    ...(yes ? [] : [would.message]),
    ...unsureText(would, 'timewarp oops --include-shared'),
    ...conflictsText(would, deed?.what),
    ...(yes ? [] : would.warnings.map((warning) => `Warning: ${warning}`)),
    ...(deed?.running ?? []).map(
      (title) => `Still running, as far as is known: ${titled(title)}. For what it changes later, run oops again.`,
    ),
  ]
}

const HEADS = {
  prompt: 'The last prompt that changed files',
  session: 'The last session that changed files',
  loss: 'What was lost last, outside of any prompt',
} as const

/** A deed that changed git, and no file. */
export const gitDeedText = (deed: Head & Steps): string[] => [
  `${{ ...HEADS, prompt: 'The last prompt', session: 'The last session' }[deed.of]}${whoseText(deed)}`,
  ...stepsText(deed),
]

type Head = Pick<Deed, 'of' | 'prompt' | 'client'>
interface Steps {
  readonly steps: readonly Pick<Deed['steps'][number], 'tool' | 'title'>[]
}

const headOf = (deed: Head): string => `${HEADS[deed.of]}${whoseText(deed)}`

const stepsText = (deed: Steps): string[] => firstOf(stepsOf(deed))

const whoseText = ({ prompt, client }: Head): string =>
  `${client ? ` (${client})` : ''}${prompt ? `: ${titled(prompt)}` : ''}`

/** What was run or edited, each once: one command may have several changes. */
const stepsOf = ({ steps }: Steps): string[] => [
  ...new Set(
    steps.flatMap(({ tool, title }) =>
      tool || title ? [`  ${[tool, title && titled(title)].filter(Boolean).join('  ')}`] : [],
    ),
  ),
]

const STATUS = { added: 'added', modified: 'changed', deleted: 'deleted' } as const

/** The number of files of each kind, with the noun once: added 2 files, changed 3 and deleted 1. */
function didText(files: Reversal['files']): string {
  const parts = (['added', 'modified', 'deleted'] as const)
    .map((status) => ({ status, n: files.filter((file) => file.status === status).length }))
    .filter(({ n }) => n > 0)
    .map(({ status, n }, at) => `${STATUS[status]} ${at === 0 ? count(n, 'file') : thousands(n)}`)
  if (parts.length === 0) return 'changed no content of a file'
  return [parts.slice(0, -1).join(', '), parts.at(-1)].filter(Boolean).join(' and ')
}

const NAMED = 5

/** The deed before, if it is not reverted either. `oops` leaves it as it is. */
export function beforeText({ deed }: Reversal, { yes }: { readonly yes: boolean }): string[] {
  if (!deed?.before) return []
  const { of, what, prompt, files } = deed.before
  const named = files.slice(0, NAMED).map(({ path }) => showPath(path))
  const rest = files.length > NAMED ? `, and ${thousands(files.length - NAMED)} more` : ''
  if (of === 'loss')
    return [
      `Before that, outside of any prompt, ${lossText(files)}: ${named.join(', ')}${rest}`,
      `Bring that back with: timewarp revert ${what}`,
    ]
  const which = prompt ? `the prompt “${titled(prompt)}”` : 'a session'
  return [
    `Before that, ${which} ${didText(files)}. Take that back, too, with: timewarp oops${yes ? '' : ', once more'}`,
  ]
}

const lossText = (files: Reversal['files']): string =>
  files.length === 0 ? 'a folder was lost' : `${count(files.length, 'file was', 'files were')} lost`

/** How to go on when nothing was reverted. */
export function nextText(
  { affected_files, left }: Reversal,
  { include_shared }: { readonly include_shared: boolean },
): string {
  const all = affected_files.length === 0 && left.length > 0 && !include_shared
  if (affected_files.length === 0 && !all) return 'Nothing was changed.'
  return `Nothing was changed. Take it back with: timewarp oops --yes${all ? ' --include-shared' : include_shared ? ' --include-shared' : ''}`
}
