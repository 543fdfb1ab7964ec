import type { Config, ConfigFile } from './config.ts'

/**
 * Which changes of a setting weaken protection. A workspace's own file may come with a clone or be written by an agent:
 * until the user trusts it, only changes that weaken nothing apply.
 */

/** The names of all settings: `exclude`, `retention.edits_days`, … */
type SettingName = {
  [K in keyof Config]: Config[K] extends readonly unknown[]
    ? K
    : Config[K] extends object
      ? `${K}.${keyof Config[K] & string}`
      : K
}[keyof Config]

/** The direction in which a change weakens protection. */
interface Weakening {
  /** As text that follows "when it is". */
  readonly when: string
  /** Whether going from `holds` to `asked` weakens protection. Both are valid values of the setting, and differ. */
  readonly is: (holds: unknown, asked: unknown) => boolean
}

const number = (value: unknown): number => (typeof value === 'number' ? value : Infinity)
const isPlain = (pattern: string): boolean => !pattern.startsWith('!')

/** Null means no limit, the largest value. */
const LESS: Weakening = { when: 'lowered', is: (holds, asked) => number(asked) < number(holds) }
const MORE: Weakening = { when: 'raised', is: (holds, asked) => number(asked) > number(holds) }
const OFF: Weakening = { when: '`false`', is: (_, asked) => asked === false }
const ON: Weakening = { when: '`true`', is: (_, asked) => asked === true }
const CHANGED: Weakening = { when: 'changed', is: () => true }
/** Zero means never. */
const RARER: Weakening = {
  when: 'raised, or 0',
  is: (holds, asked) => (number(asked) || Infinity) > (number(holds) || Infinity),
}
/** Appending patterns to the whole existing list weakens nothing; a `!` pattern re-includes something. */
const NOT_APPENDED: Weakening = {
  when: 'changed, except for patterns added at the end',
  is: (holds, asked) => {
    const [before, after] = [holds as readonly string[], asked as readonly string[]]
    return !(isSame(after.slice(0, before.length), before) && after.slice(before.length).every(isPlain))
  },
}
/** Takes the values from weakest to strongest. */
const lower = (...order: readonly string[]): Weakening => ({
  when: `earlier in ${order.map((word) => `\`${word}\``).join(', ')}`,
  is: (holds, asked) => order.indexOf(asked as string) < order.indexOf(holds as string),
})

/** Every setting, with the direction in which a change weakens protection. */
export const WEAKENS = {
  // A pattern hides files from captures; a `!` pattern captures what the user excluded on purpose.
  exclude: CHANGED,
  default_excludes: ON,
  max_file_bytes: LESS,
  // These two only warn.
  'budget.max_files': MORE,
  'budget.max_bytes': MORE,
  // A higher value refuses captures, a lower one fills the disk.
  'budget.min_free_bytes': CHANGED,
  'retention.mode': lower('issues', 'tiers'),
  'retention.tiers': CHANGED,
  'retention.edits_days': LESS,
  'retention.manual_days': LESS,
  'retention.experiments_days': LESS,
  'retention.undo_steps': LESS,
  'retention.max_snapshots': LESS,
  'retention.max_bytes': LESS,
  'retention.auto': ON,
  'guard.protect_store': OFF,
  'guard.pin_last': lower('never', 'session_end', 'turn_end'),
  'guard.mention_undo': OFF,
  'git.protect': OFF,
  'git.max_bytes': LESS,
  // A shorter window attributes more of people's changes to agents.
  'attribution.window_s': LESS,
  daemon: OFF,
  'schedule.every_minutes': RARER,
  'schedule.debounce_seconds': MORE,
  'http.port': CHANGED,
  'secrets.paths': NOT_APPENDED,
} as const satisfies Readonly<Record<SettingName, Weakening>>

/** One setting that a file asks for. */
export interface AskedSetting {
  readonly setting: string
  readonly asked: unknown
  /** Its value without the file. */
  readonly holds: unknown
  readonly weakens: boolean
}

/** The settings of a file that differ from those in force. */
export function askedSettings(holds: Config, file: ConfigFile): AskedSetting[] {
  return leavesOf(file).flatMap(([setting, asked]) => {
    const before = valueAt(holds, setting)
    if (isUnchanged(setting, before, asked)) return []
    return [{ setting, asked, holds: before, weakens: WEAKENS[setting as SettingName].is(before, asked) }]
  })
}

/** The file without the settings named. */
export function withoutSettings(file: ConfigFile, names: ReadonlySet<string>): ConfigFile {
  const kept: Record<string, unknown> = {}
  for (const [setting, value] of leavesOf(file)) {
    if (names.has(setting)) continue
    const [group, name] = setting.split('.') as [string, string?]
    if (name === undefined) kept[group] = value
    else kept[group] = { ...(kept[group] as object | undefined), [name]: value }
  }
  return kept as ConfigFile
}

/**
 * The previously trusted settings that the file still has. A setting that it no longer has reverts to its value without
 * the file.
 */
export function stillAsked(trusted: ConfigFile, file: ConfigFile): ConfigFile {
  const asked = new Set(leavesOf(file).map(([setting]) => setting))
  const gone = leavesOf(trusted).flatMap(([setting]) => (asked.has(setting) ? [] : [setting]))
  const kept = withoutSettings(trusted, new Set(gone))
  if (kept.exclude === undefined || !kept.exclude.every(isPlain)) return kept
  return { ...kept, exclude: kept.exclude.filter((pattern) => file.exclude?.includes(pattern)) }
}

/** Each setting of a file, by its name. */
export const leavesOf = (file: ConfigFile): [string, unknown][] =>
  Object.entries(file).flatMap(([key, value]): [string, unknown][] => {
    if (key === '$schema' || value === undefined) return []
    if (typeof value !== 'object' || Array.isArray(value)) return [[key, value]]
    return Object.entries(value).map(([name, inner]): [string, unknown] => [`${key}.${name}`, inner])
  })

const valueAt = (config: Config, setting: string): unknown =>
  setting.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], config)

/** Excludes add up: a file whose patterns are all in force already asks for nothing. */
function isUnchanged(setting: string, holds: unknown, asked: unknown): boolean {
  if (setting !== 'exclude') return isSame(holds, asked)
  return (asked as readonly string[]).every(
    (pattern) => isPlain(pattern) && (holds as readonly string[]).includes(pattern),
  )
}

/** Setting values are numbers, strings, and lists of them or of flat objects with a fixed key order. */
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
