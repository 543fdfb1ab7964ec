import { z } from 'zod'
import { columns, count, size } from '../../base/text.ts'
import { type DaemonFiles, daemonFilesOf } from '../../client/daemon-files.ts'
import { type DaemonInfo, daemonInfoOf, ensure, healthOf, stop } from '../../client/start.ts'
import { readFile } from '../../host/files/fs.ts'
import { describeProcess } from '../../host/processes/process.ts'
import { command } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson, printText } from '../output/print.ts'
import { homeOf } from '../parse/globals.ts'

const ACTIONS = ['start', 'stop', 'restart', 'status', 'logs'] as const

export const DaemonCommand = command({
  name: 'daemon',
  summary: 'Start, stop or look at the background process that makes captures quick',
  group: 'shell',
  input: z.object({
    action: z.enum(ACTIONS).default('status').describe('What to do'),
    lines: z.coerce.number().int().positive().default(50).describe('How many lines of the log'),
  }),
  verb: {
    words: ['action'],
    short: { n: 'lines' },
    examples: ['timewarp daemon start', 'timewarp daemon status', 'timewarp daemon logs -n 20', 'timewarp daemon stop'],
  },
  run: async (context, { action, lines }) => {
    const home = homeOf(context.globals, context.io)
    const at = { home, place: daemonFilesOf(home, context.io.env), lines }
    return ACTION[action](context, at)
  },
})

interface At {
  readonly home: string
  readonly place: DaemonFiles
  readonly lines: number
}
type Run = (context: Context, at: At) => Promise<number>

const ACTION: Readonly<Record<(typeof ACTIONS)[number], Run>> = {
  start: async (context, at) => {
    const started = await ensure(at.home, context.io.program, at.place)
    return tell(context, at, { started }, started ? 'Started.' : 'It runs already.')
  },
  restart: async (context, at) => {
    const stopped = await stop(at.place)
    const started = await ensure(at.home, context.io.program, at.place)
    return tell(context, at, { stopped, started }, 'Started anew.')
  },
  stop: async (context, at) => {
    const was = await stop(at.place)
    if (context.globals.json) printJson(context.io, { running: false, stopped: was })
    else printText(context.io, was ? 'Stopped.' : 'No daemon runs.')
    return 0
  },
  status: (context, at) => tell(context, at, {}),
  logs: async (context, at) => {
    const all = readFile(at.place.log)?.toString().trimEnd().split('\n') ?? []
    const last = all.slice(-at.lines)
    if (context.globals.json) printJson(context.io, { log: at.place.log, lines: last.flatMap(parsed) })
    else printText(context.io, last.length > 0 ? last.join('\n') : `There is nothing in ${at.place.log}`)
    return 0
  },
}

/** A line that a crash cut short is skipped. */
function parsed(line: string): object[] {
  try {
    return [JSON.parse(line) as object]
  } catch {
    return []
  }
}

async function tell({ io, globals }: Context, { home, place }: At, done: object, first?: string): Promise<number> {
  const health = (await healthOf(place)) as Health | undefined
  const card = daemonInfoOf(place)
  if (globals.json) printJson(io, { home, ...done, ...facts(health, card) })
  else printText(io, [...(first ? [first] : []), text(home, health, card)].join('\n'))
  return 0
}

function facts(health: Health | undefined, card: DaemonInfo | undefined): object {
  if (health) return { running: true, answers: true, ...health, socket: card?.socket, url: card?.url }
  return card ? { running: true, answers: false, pid: card.pid } : { running: false }
}

function text(home: string, health: Health | undefined, card: DaemonInfo | undefined): string {
  if (health) return describe(health, card)
  return card
    ? `The daemon of ${home}, ${describeProcess(card.process)}, does not answer. Commands do the work themselves.`
    : `No daemon runs for ${home}. Commands do the work themselves, and start one.`
}

interface Health {
  readonly pid: number
  readonly version: string
  readonly started_at: string
  readonly calls: number
  readonly memory: { readonly rss_bytes: number }
  readonly workspaces: readonly {
    readonly root: string
    readonly sight: string
    readonly reason: string | null
    readonly folders: number
    readonly drifting: readonly string[]
  }[]
}

const SIGHT: Readonly<Record<string, string>> = {
  warm: 'watched',
  cold: 'looked at as a whole next time',
  blind: 'looked at as a whole every time',
}

function describe(health: Health, card: DaemonInfo | undefined): string {
  const rows = health.workspaces.map(({ root, sight, reason, folders, drifting }) => [
    `  ${root}`,
    `${SIGHT[sight] ?? sight}${reason ? `: ${reason}` : ` (${count(folders, 'folder')})`}` +
      (drifting.length > 0 ? `; only a look tells about ${drifting.slice(0, 3).join(', ')}` : ''),
  ])
  return [
    columns([
      ['Process', `${health.pid}, version ${health.version}, since ${health.started_at}`],
      ['Socket', card?.socket ?? 'unknown'],
      ['Address', card?.url ?? 'unknown'],
      ['Memory', size(health.memory.rss_bytes)],
      ['Served', count(health.calls, 'call')],
    ]),
    ...(rows.length > 0 ? ['Workspaces:', columns(rows)] : []),
  ].join('\n')
}
