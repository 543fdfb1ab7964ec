import { z } from 'zod'
import { lazily } from '../base/lazily.ts'
import { SECRET_PATHS } from './secret-paths.ts'

const MiB = 1024 * 1024
const HOUR = 60
const DAY = 24 * HOUR

export interface Tier {
  readonly within_minutes: number
  readonly every_minutes: number
  readonly at_most: number
}

/** The defaults. Separate from the schema, which most commands do not need and which takes time to build. */
const DEFAULTS = {
  exclude: [] as string[],
  default_excludes: true,
  max_file_bytes: 256 * MiB,
  budget: { max_files: 5_000_000, max_bytes: null as number | null, min_free_bytes: 0 },
  retention: {
    mode: 'tiers' as 'tiers' | 'issues',
    tiers: [
      { within_minutes: HOUR, every_minutes: 5, at_most: 12 },
      { within_minutes: DAY, every_minutes: 30, at_most: 46 },
      { within_minutes: 7 * DAY, every_minutes: 2 * HOUR, at_most: 84 },
      { within_minutes: 30 * DAY, every_minutes: DAY, at_most: 23 },
    ],
    edits_days: 90,
    manual_days: 90,
    experiments_days: 30,
    undo_steps: 50,
    max_snapshots: null as number | null,
    max_bytes: null as number | null,
    auto: true,
  },
  guard: { protect_store: true, pin_last: 'never' as 'never' | 'session_end' | 'turn_end', mention_undo: false },
  git: { protect: true, max_bytes: 1024 * MiB },
  attribution: { window_s: 600 },
  daemon: true,
  schedule: { every_minutes: 5, debounce_seconds: 30 },
  http: { port: 0 },
  secrets: { paths: [...SECRET_PATHS] },
}
const { attribution, budget, retention, guard, git, schedule, http, secrets } = DEFAULTS

const days = (): z.ZodNumber => z.number().min(0)
const tier = () =>
  z.strictObject({
    within_minutes: z.number().positive().describe('The tier covers snapshots up to this age'),
    every_minutes: z.number().positive().describe('One snapshot is kept per this many minutes'),
    at_most: z.number().int().positive().describe('And at most this many'),
  })

/** All settings with their defaults. A workspace's file overrides the home's, which overrides these. */
export const configSchema = lazily(() =>
  z.strictObject({
    exclude: z
      .array(z.string())
      .default(DEFAULTS.exclude)
      .describe('Patterns, in gitignore syntax, of what is not captured, besides the defaults'),
    default_excludes: z
      .boolean()
      .default(DEFAULTS.default_excludes)
      .describe('Leave out what can be made again: node_modules/, build/, *.log, …'),
    max_file_bytes: z
      .number()
      .int()
      .positive()
      .default(DEFAULTS.max_file_bytes)
      .describe('Larger files are reported and not captured'),
    budget: z
      .strictObject({
        max_files: z
          .number()
          .int()
          .positive()
          .default(budget.max_files)
          .describe('A warning is given above this many files'),
        max_bytes: z
          .number()
          .int()
          .positive()
          .nullable()
          .default(budget.max_bytes)
          .describe('A warning is given when a workspace holds more bytes'),
        min_free_bytes: z
          .number()
          .int()
          .min(0)
          .default(budget.min_free_bytes)
          .describe('A capture is refused when the disk of the store has fewer bytes free'),
      })
      .prefault({})
      .describe('Limits that protect the disk'),
    retention: z
      .strictObject({
        mode: z
          .enum(['tiers', 'issues'])
          .default(retention.mode)
          .describe('tiers: thin by age; issues: keep only what an issue refers to'),
        tiers: z
          .array(tier())
          .default(retention.tiers)
          .describe('How scheduled captures and backups are thinned by age'),
        edits_days: days()
          .default(retention.edits_days)
          .describe('Days that the contents of snapshots made by tool calls are kept'),
        manual_days: days()
          .default(retention.manual_days)
          .describe('Days that snapshots taken by hand are kept; labelled ones are kept first'),
        experiments_days: days()
          .default(retention.experiments_days)
          .describe('Days that what was done in the past is kept after coming home'),
        undo_steps: z
          .number()
          .int()
          .min(0)
          .default(retention.undo_steps)
          .describe('How many steps back undo can always go'),
        max_snapshots: z
          .number()
          .int()
          .positive()
          .nullable()
          .default(retention.max_snapshots)
          .describe('Most snapshots per workspace'),
        max_bytes: z
          .number()
          .int()
          .positive()
          .nullable()
          .default(retention.max_bytes)
          .describe('Most stored bytes per workspace'),
        auto: z.boolean().default(retention.auto).describe('Prune after a capture, at most hourly'),
      })
      .prefault({})
      .describe('What is kept, and how long'),
    guard: z
      .strictObject({
        protect_store: z
          .boolean()
          .default(guard.protect_store)
          .describe(
            'Deny what agents do to delete the store, remove history or weaken its protection; nothing else is ever denied',
          ),
        pin_last: z
          .enum(['never', 'session_end', 'turn_end'])
          .default(guard.pin_last)
          .describe('When the newest snapshot of a session is pinned'),
        mention_undo: z
          .boolean()
          .default(guard.mention_undo)
          .describe('After a command that deleted or overwrote files, tell the agent how to take it back'),
      })
      .prefault({})
      .describe('How tool calls of agents are guarded'),
    git: z
      .strictObject({
        protect: z
          .boolean()
          .default(git.protect)
          .describe(
            'Keep the state of git (refs, reflogs, stashes, index, commits no remote has) so that it can be rescued',
          ),
        max_bytes: z
          .number()
          .int()
          .positive()
          .default(git.max_bytes)
          .describe('Most bytes of commits and contents kept at one time; above it the refs alone are kept'),
      })
      .prefault({})
      .describe('What is kept of git’s own folder'),
    attribution: z
      .strictObject({
        window_s: z
          .number()
          .min(0)
          .default(attribution.window_s)
          .describe(
            'Seconds before and after a command in which somebody who was seen at a file makes the command’s change there doubtful',
          ),
      })
      .prefault({})
      .describe('Whose a change is'),
    daemon: z
      .boolean()
      .default(DEFAULTS.daemon)
      .describe('Use the background process, and start it when there is none'),
    schedule: z
      .strictObject({
        every_minutes: z
          .number()
          .min(0)
          .default(schedule.every_minutes)
          .describe('The daemon captures this often while something changes; 0: never'),
        debounce_seconds: z
          .number()
          .min(0)
          .default(schedule.debounce_seconds)
          .describe('It leaves at least this long between its captures and any other snapshot'),
      })
      .prefault({})
      .describe('What the daemon captures by itself'),
    http: z
      .strictObject({
        port: z
          .number()
          .int()
          .min(0)
          .max(65535)
          .default(http.port)
          .describe('The port on the loopback interface; 0: any'),
      })
      .prefault({})
      .describe('The HTTP API of the daemon'),
    secrets: z
      .strictObject({
        paths: z
          .array(z.string())
          .default(secrets.paths)
          .describe(
            'Patterns, in gitignore syntax, of files whose contents no model is shown; replaces the default list',
          ),
      })
      .prefault({})
      .describe('What is kept from models'),
  }),
)
export type Config = z.infer<ReturnType<typeof configSchema>>

type Shape = Readonly<Record<string, z.ZodDefault | z.ZodPrefault>>
type Parts<S extends Shape> = { [K in keyof S]: z.ZodOptional<ReturnType<S[K]['unwrap']>> }

/** The same fields, all optional and without defaults. */
const parts = <S extends Shape>(shape: S): Parts<S> =>
  Object.fromEntries(
    Object.entries(shape).map(([key, field]) => {
      const inner = field.unwrap() as z.ZodType
      return [key, inner.describe(field.description ?? '').optional()]
    }),
  ) as Parts<S>

/** The content of a `config.json`: any subset of the settings, and nothing else. */
export const configFileSchema = lazily(() => {
  const { shape } = configSchema()
  return z.strictObject({
    $schema: z.string().optional(),
    ...parts(shape),
    budget: z.strictObject(parts(shape.budget.unwrap().shape)).describe('Limits that protect the disk').optional(),
    retention: z.strictObject(parts(shape.retention.unwrap().shape)).describe('What is kept, and how long').optional(),
    guard: z
      .strictObject(parts(shape.guard.unwrap().shape))
      .describe('How tool calls of agents are guarded')
      .optional(),
    git: z.strictObject(parts(shape.git.unwrap().shape)).describe('What is kept of git’s own folder').optional(),
    schedule: z
      .strictObject(parts(shape.schedule.unwrap().shape))
      .describe('What the daemon captures by itself')
      .optional(),
    http: z.strictObject(parts(shape.http.unwrap().shape)).describe('The HTTP API of the daemon').optional(),
    secrets: z.strictObject(parts(shape.secrets.unwrap().shape)).describe('What is kept from models').optional(),
  })
})
export type ConfigFile = z.infer<ReturnType<typeof configFileSchema>>

/** Merges the files, the weakest first. Lists of excludes add up; everything else is replaced. */
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
  return Object.keys(merged).length === 0 ? unset() : configSchema().parse(merged)
}

/** A copy of the defaults, so that a caller that changes it does not change the defaults. */
const unset = (): Config => structuredClone(DEFAULTS)
