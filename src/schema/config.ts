import { z } from 'zod'
import { SECRET_PATHS } from './secret-paths.ts'

const days = z.number().min(0)
const MiB = 1024 * 1024

const Tier = z.strictObject({
  within_minutes: z.number().positive().describe('The tier covers snapshots up to this age'),
  every_minutes: z.number().positive().describe('One snapshot is kept per this many minutes'),
  at_most: z.number().int().positive().describe('And at most this many'),
})
export type Tier = z.infer<typeof Tier>

const HOUR = 60
const DAY = 24 * HOUR
const TIERS: Tier[] = [
  { within_minutes: HOUR, every_minutes: 5, at_most: 12 },
  { within_minutes: DAY, every_minutes: 30, at_most: 46 },
  { within_minutes: 7 * DAY, every_minutes: 2 * HOUR, at_most: 84 },
  { within_minutes: 30 * DAY, every_minutes: DAY, at_most: 23 },
]

/** Everything that can be set, with its default. A workspace's file goes over the home's, that over these. */
export const Config = z.strictObject({
  exclude: z
    .array(z.string())
    .default([])
    .describe('Patterns, in gitignore syntax, of what is not captured, besides the defaults'),
  default_excludes: z
    .boolean()
    .default(true)
    .describe('Leave out what can be made again: node_modules/, build/, *.log, …'),
  max_file_bytes: z
    .number()
    .int()
    .positive()
    .default(256 * MiB)
    .describe('Larger files are reported and not captured'),
  budget: z
    .strictObject({
      max_files: z.number().int().positive().default(5_000_000).describe('A warning is given above this many files'),
      max_bytes: z
        .number()
        .int()
        .positive()
        .nullable()
        .default(null)
        .describe('A warning is given when a workspace holds more bytes'),
      min_free_bytes: z
        .number()
        .int()
        .min(0)
        .default(0)
        .describe('A capture is refused when the disk of the store has fewer bytes free'),
    })
    .prefault({})
    .describe('Limits that protect the disk'),
  retention: z
    .strictObject({
      mode: z
        .enum(['tiers', 'issues'])
        .default('tiers')
        .describe('tiers: thin by age; issues: keep only what an issue refers to'),
      tiers: z.array(Tier).default(TIERS).describe('How scheduled captures and backups are thinned by age'),
      edits_days: days.default(90).describe('Days that the contents of snapshots made by tool calls are kept'),
      manual_days: days
        .default(90)
        .describe('Days that snapshots taken by hand are kept; labelled ones are kept first'),
      experiments_days: days.default(30).describe('Days that what was done in the past is kept after coming home'),
      undo_steps: z.number().int().min(0).default(50).describe('How many steps back undo can always go'),
      max_snapshots: z.number().int().positive().nullable().default(null).describe('Most snapshots per workspace'),
      max_bytes: z.number().int().positive().nullable().default(null).describe('Most stored bytes per workspace'),
      auto: z.boolean().default(true).describe('Prune after a capture, at most hourly'),
    })
    .prefault({})
    .describe('What is kept, and how long'),
  guard: z
    .strictObject({
      protect_store: z
        .boolean()
        .default(true)
        .describe('Deny commands of agents that would delete the store; nothing else is ever denied'),
      pin_last: z
        .enum(['never', 'session_end', 'turn_end'])
        .default('never')
        .describe('When the newest snapshot of a session is pinned'),
      mention_undo: z
        .boolean()
        .default(false)
        .describe('After a command that deleted or overwrote files, tell the agent how to take it back'),
    })
    .prefault({})
    .describe('How tool calls of agents are guarded'),
  git: z
    .strictObject({
      protect: z
        .boolean()
        .default(true)
        .describe(
          'Keep the state of git (refs, reflogs, stashes, index, commits no remote has) so that it can be rescued',
        ),
      max_bytes: z
        .number()
        .int()
        .positive()
        .default(1024 * MiB)
        .describe('Most bytes of commits and contents kept at one time; above it the refs alone are kept'),
    })
    .prefault({})
    .describe('What is kept of git’s own folder'),
  daemon: z.boolean().default(true).describe('Use the background process, and start it when there is none'),
  schedule: z
    .strictObject({
      every_minutes: z
        .number()
        .min(0)
        .default(5)
        .describe('The daemon captures this often while something changes; 0: never'),
      debounce_seconds: z
        .number()
        .min(0)
        .default(30)
        .describe('It leaves at least this long between its captures and any other snapshot'),
    })
    .prefault({})
    .describe('What the daemon captures by itself'),
  http: z
    .strictObject({
      port: z.number().int().min(0).max(65535).default(0).describe('The port on the loopback interface; 0: any'),
    })
    .prefault({})
    .describe('The HTTP API of the daemon'),
  secrets: z
    .strictObject({
      paths: z
        .array(z.string())
        .default([...SECRET_PATHS])
        .describe(
          'Patterns, in gitignore syntax, of files whose contents no model is shown; replaces the default list',
        ),
    })
    .prefault({})
    .describe('What is kept from models'),
})
export type Config = z.infer<typeof Config>

type Shape = Readonly<Record<string, z.ZodDefault | z.ZodPrefault>>
type Parts<S extends Shape> = { [K in keyof S]: z.ZodOptional<ReturnType<S[K]['unwrap']>> }

/** The same fields, none of them needed and none filled in. */
const parts = <S extends Shape>(shape: S): Parts<S> =>
  Object.fromEntries(
    Object.entries(shape).map(([key, field]) => {
      const inner = field.unwrap() as z.ZodType
      return [key, inner.describe(field.description ?? '').optional()]
    }),
  ) as Parts<S>

/** What a `config.json` may hold: any part of the whole, and nothing else. */
export const ConfigFile = z.strictObject({
  $schema: z.string().optional(),
  ...parts(Config.shape),
  budget: z.strictObject(parts(Config.shape.budget.unwrap().shape)).describe('Limits that protect the disk').optional(),
  retention: z
    .strictObject(parts(Config.shape.retention.unwrap().shape))
    .describe('What is kept, and how long')
    .optional(),
  guard: z
    .strictObject(parts(Config.shape.guard.unwrap().shape))
    .describe('How tool calls of agents are guarded')
    .optional(),
  git: z.strictObject(parts(Config.shape.git.unwrap().shape)).describe('What is kept of git’s own folder').optional(),
  schedule: z
    .strictObject(parts(Config.shape.schedule.unwrap().shape))
    .describe('What the daemon captures by itself')
    .optional(),
  http: z.strictObject(parts(Config.shape.http.unwrap().shape)).describe('The HTTP API of the daemon').optional(),
  secrets: z.strictObject(parts(Config.shape.secrets.unwrap().shape)).describe('What is kept from models').optional(),
})
export type ConfigFile = z.infer<typeof ConfigFile>

/** The files laid over each other, the first the weakest. Lists of excludes add up; all else is replaced. */
export function mergeConfig(files: readonly ConfigFile[]): Config {
  const merged: Record<string, unknown> = {}
  for (const file of files)
    for (const [key, value] of Object.entries(file)) {
      if (key === '$schema' || value === undefined) continue
      const before = merged[key]
      if (Array.isArray(value)) merged[key] = [...((before as unknown[] | undefined) ?? []), ...value]
      else if (typeof value === 'object' && value !== null)
        merged[key] = { ...(before as object | undefined), ...value }
      else merged[key] = value
    }
  return Config.parse(merged)
}
