import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { columns, count, size } from '../base/text.ts'
import { type DaemonPlace, placeOf } from '../daemon/place.ts'
import { cardOf, healthOf, start, stop } from '../daemon/start.ts'
import { command } from './command.ts'
import type { Context } from './context.ts'
import { homeOf } from './globals.ts'
import { printJson, printText } from './print.ts'

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
    const at = { home, place: placeOf(home, context.io.env), lines }
    return ACTION[action](context, at)
  },
})

interface At {
  readonly home: string
  readonly place: DaemonPlace
  readonly lines: number
}
type Run = (context: Context, at: At) => Promise<number>

const program = (): string => process.argv[1] ?? ''

const ACTION: Readonly<Record<(typeof ACTIONS)[number], Run>> = {
  start: async (context, at) => {
    const running = await healthOf(at.place)
    if (running === undefined) await start(at.home, program(), at.place)
    return tell(context, at, running === undefined ? 'Started.' : 'It runs already.')
  },
  restart: async (context, at) => {
    await stop(at.place)
    await start(at.home, program(), at.place)
    return tell(context, at, 'Started anew.')
  },
  stop: async (context, at) => {
    const was = await stop(at.place)
    if (context.globals.json) printJson(context.io, { running: false, stopped: was })
    else printText(context.io, was ? 'Stopped.' : 'No daemon runs.')
    return 0
  },
  status: (context, at) => tell(context, at, undefined),
  logs: async (context, at) => {
    const all = existsSync(at.place.log) ? readFileSync(at.place.log, 'utf8').trimEnd().split('\n') : []
    const last = all.slice(-at.lines)
    if (context.globals.json)
      printJson(context.io, { log: at.place.log, lines: last.map((line) => JSON.parse(line) as object) })
    else printText(context.io, last.length > 0 ? last.join('\n') : `There is nothing in ${at.place.log}`)
    return 0
  },
}

async function tell({ io, globals }: Context, { home, place }: At, first: string | undefined): Promise<number> {
  const health = await healthOf(place)
  const running = health !== undefined
  const url = running ? cardOf(place)?.['url'] : undefined
  if (globals.json) printJson(io, { running, home, ...(running ? { ...health, socket: place.socket, url } : {}) })
  else
    printText(
      io,
      [...(first ? [first] : []), running ? describe(health as unknown as Health, place.socket, url) : none(home)].join(
        '\n',
      ),
    )
  return 0
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

const none = (home: string): string => `No daemon runs for ${home}. Commands do the work themselves, and start one.`

const SIGHT: Readonly<Record<string, string>> = {
  warm: 'watched',
  cold: 'looked at as a whole next time',
  blind: 'looked at as a whole every time',
}

function describe(health: Health, socket: string, url: unknown): string {
  const rows = health.workspaces.map(({ root, sight, reason, folders, drifting }) => [
    `  ${root}`,
    `${SIGHT[sight] ?? sight}${reason ? `: ${reason}` : ` (${count(folders, 'folder')})`}` +
      (drifting.length > 0 ? `; only a look tells about ${drifting.slice(0, 3).join(', ')}` : ''),
  ])
  return [
    columns([
      ['Process', `${health.pid}, version ${health.version}, since ${health.started_at}`],
      ['Socket', socket],
      ['Address', String(url)],
      ['Memory', size(health.memory.rss_bytes)],
      ['Served', count(health.calls, 'call')],
    ]),
    ...(rows.length > 0 ? ['Workspaces:', columns(rows)] : []),
  ].join('\n')
}
