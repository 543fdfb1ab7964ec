import { z } from 'zod'
import { Fault } from '../base/fault.ts'
import { columns, count } from '../base/text.ts'
import { oneLined } from '../base/visible.ts'
import type { GetEditHistory, Show } from '../protocol/history.ts'
import type { ReverseOp } from '../protocol/reverse.ts'
import { showPath } from '../protocol/shapes.ts'
import { askKey } from './ask-key.ts'
import { command } from './command.ts'
import { type Context, type Desk, openDesk, workspaceOf } from './context.ts'
import type { Io } from './io.ts'
import { printAnswer, printJson, printText } from './print.ts'

type Page = z.output<(typeof GetEditHistory)['output']>
type Detail = z.output<(typeof Show)['output']>
type Reversal = z.output<(typeof ReverseOp)['output']>

/** Changes that belong together, the newest first. */
interface Deed {
  readonly of: 'prompt' | 'session' | 'change'
  readonly changes: readonly Detail[]
}

export const Oops = command({
  name: 'oops',
  summary: 'Show what the last prompt did, and take it back',
  group: 'start',
  input: z.object({ yes: z.boolean().default(false).describe('Take it back without asking for a key') }),
  verb: { short: { y: 'yes' }, examples: ['timewarp oops', 'timewarp oops --yes'] },
  run: async (context, { yes }) => {
    const { io, globals } = context
    const desk = await openDesk(context)
    const call: CallTool = async (tool, input) => desk.call(tool, { ...workspaceOf(globals), ...input })
    const { deed, would } = await lastDeed(call)
    if (!globals.json) printText(io, deedText(oneLined(deed), oneLined(would)))
    if (yes || (!globals.json && (await isWanted(io, would)))) return takeBack(context, call, deed)
    if (globals.json) printJson(io, report(deed, would))
    else printText(io, `Nothing was changed. Take it back with: timewarp ${howTo(deed, would)}`)
    return 0
  },
})

type CallTool = Desk['call']

/** On a terminal one key decides; nobody else is asked. */
async function isWanted(io: Io, would: Reversal): Promise<boolean> {
  if (io.key === undefined || would.conflicts.length > 0) return false
  return ['y', 'Y', '\r', '\n'].includes(await askKey(io, io.key, 'Take it back? [Y/n]'))
}

async function takeBack({ io, globals }: Context, call: CallTool, deed: Deed): Promise<number> {
  const { spec, output } = await call('reverse_op', { snapshot_id: idsOf(deed) })
  if (!globals.json) return printAnswer(io, spec, output, false)
  printJson(io, report(deed, output as Reversal))
  return spec.exit?.(output as never) ?? 0
}

const idsOf = ({ changes }: Deed): string => changes.map(({ snapshot_id }) => snapshot_id).join(',')

const howTo = (deed: Deed, { conflicts }: Reversal): string =>
  conflicts.length > 0 ? `revert ${idsOf(deed)} --force` : 'oops --yes'

/** The newest deed of which something is left. */
async function lastDeed(call: CallTool): Promise<{ deed: Deed; would: Reversal }> {
  let changes = await recentChanges(call)
  for (let deed = newestDeed(changes); deed !== undefined; deed = newestDeed(changes)) {
    const { output } = await call('reverse_op', { snapshot_id: idsOf(deed), dry_run: true })
    const would = output as Reversal
    if (would.affected_files.length > 0 || would.conflicts.length > 0) return { deed, would }
    const done = new Set(deed.changes)
    changes = changes.filter((change) => !done.has(change))
  }
  throw new Fault('NOTHING_TO_REVERT', {})
}

function newestDeed(changes: readonly Detail[]): Deed | undefined {
  const prompt = changes.find(({ cause }) => cause.prompt_id !== undefined)?.cause.prompt_id
  if (prompt !== undefined) return { of: 'prompt', changes: changes.filter(({ cause }) => cause.prompt_id === prompt) }
  const start = changes.findIndex(({ session_id }) => session_id !== null)
  if (start === -1) return changes[0] && { of: 'change', changes: [changes[0]] }
  const session = changes[start]?.session_id
  const length = changes.slice(start).findIndex(({ session_id }) => session_id !== session)
  return { of: 'session', changes: changes.slice(start, length === -1 ? undefined : start + length) }
}

/** How many snapshots are looked at. */
const PAGES = 3
const PAGE = 100

/** Somebody’s work that can be taken back, the newest first. The first snapshot of all is nobody’s deed. */
async function recentChanges(call: CallTool): Promise<Detail[]> {
  const changes: Detail[] = []
  let cursor: string | null | undefined
  for (let page = 0; page < PAGES && cursor !== null; page++) {
    const { snapshots, pagination } = (
      await call('get_edit_history', { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
    ).output as Page
    for (const { snapshot_id } of snapshots.filter(({ stats }) => stats.changed_files > 0)) {
      const detail = (await call('show', { snapshot_id })).output as Detail
      if (isDeed(detail)) changes.push(detail)
    }
    cursor = pagination.next_cursor
  }
  return changes
}

const isDeed = ({ cause, base, content }: Detail): boolean =>
  cause.role === 'change' && cause.act === undefined && base !== null && content === 'kept'

const WORDS = { prompt: 'The last prompt', session: 'The last session', change: 'The last change' } as const
const SHOWN = 20

function deedText({ of, changes }: Deed, would: Reversal): string {
  const files = [...new Set(changes.flatMap(({ affected_files }) => affected_files))]
  const rows = changes.map(({ snapshot_id, cause, source, affected_files }) => [
    `  ${snapshot_id}`,
    cause.actor ?? cause.session_id ?? source,
    cause.tool ?? '',
    count(affected_files.length, 'path'),
  ])
  return [
    `${WORDS[of]} changed ${count(files.length, 'path')} in ${count(changes.length, 'step')}:`,
    columns(rows.slice(0, SHOWN)),
    ...more(rows.length),
    ...files.slice(0, SHOWN).map((path) => `    ${showPath(path)}`),
    ...more(files.length),
    would.message,
    ...would.conflicts.map(({ path, reason }) => `Conflict in ${showPath(path)}: ${reason}`),
  ].join('\n')
}

const more = (n: number): string[] => (n > SHOWN ? [`  … and ${n - SHOWN} more`] : [])

const report = ({ of, changes }: Deed, reversal: Reversal) => ({
  of,
  prompt_id: changes[0]?.cause.prompt_id ?? null,
  session_id: changes[0]?.session_id ?? null,
  changes: changes.map(({ snapshot_id, created_at, cause, affected_files }) => ({
    snapshot_id,
    created_at,
    tool: cause.tool ?? null,
    actor: cause.actor ?? null,
    affected_files,
  })),
  ...reversal,
})
