import { join } from 'node:path'
import { type Config, type ConfigFile, mergeConfig } from '../schema/config.ts'
import { type AskedSetting, askedSettings, leavesOf, stillAsked, withoutSettings } from '../schema/config-trust.ts'
import {
  type ParsedSettings,
  parseLeniently,
  readHomeFile,
  readWorkspaceFile,
  type SettingBytes,
} from './settings-file.ts'
import { readTrust, type TrustFile } from './trust-record.ts'

/**
 * The settings of a workspace: its file overrides the home's, which overrides the defaults, as far as the file is
 * trusted.
 */
export const loadSettings = (home: string, root: string | undefined): Config => resolveSettings(home, root).config

export const settingFiles = (home: string, root: string | undefined): string[] => [
  join(home, 'config.json'),
  ...(root === undefined ? [] : [join(root, CONFIG)]),
]

const CONFIG: TrustFile = '.timewarp/config.json'
const IGNORE: TrustFile = '.timewarpignore'

/** `changed`: the user trusted it with other bytes; the trusted settings stay in force. */
type TrustState = 'absent' | 'trusted' | 'changed' | 'untrusted'

/** The settings in force in a workspace, and what its files ask for in addition. */
export interface ResolvedSettings {
  readonly config: Config
  /** Files that cannot be used, each with its problem; the others apply. */
  readonly problems: readonly string[]
  /** Problems, and settings that are not applied because the file is not trusted. */
  readonly warnings: readonly string[]
  readonly file: TrustView<AskedSetting>
}

/** A file that needs the user's trust. */
interface TrustView<Asked> {
  readonly state: TrustState
  readonly bytes: Buffer | undefined
  /** What it asks for that differs from what is in force. */
  readonly asked: readonly Asked[]
}

/** Must not throw: unusable settings must never prevent a capture. */
export function resolveSettings(home: string, root: string | undefined): ResolvedSettings {
  const homeFile = join(home, 'config.json')
  const own = parseLeniently(readHomeFile(homeFile))
  const problems = own.problems.map((problem) => `${homeFile}: ${problem}`)
  if (root === undefined) return withProblems(mergeConfig([own.file]), problems, NO_FILE)
  const read = readWorkspaceFile(join(root, CONFIG))
  if (isAbsent(read)) return withProblems(mergeConfig([own.file]), problems, NO_FILE)
  const asked = parseLeniently(read)
  problems.push(...asked.problems.map((problem) => `${CONFIG}: ${problem}`))
  return overHome(own.file, asked, read.bytes, readTrust(home, root)[CONFIG], problems)
}

const NO_FILE = { state: 'absent', bytes: undefined, asked: [] } as const
const isAbsent = (read: SettingBytes): boolean => read.bytes === undefined && read.problem === undefined

function overHome(
  home: ConfigFile,
  { file: asked, problems: wrong }: ParsedSettings,
  bytes: Buffer | undefined,
  trusted: Buffer | undefined,
  problems: readonly string[],
): ResolvedSettings {
  const state = stateOf(bytes, trusted)
  const before = trusted && state === 'changed' ? parseLeniently({ bytes: trusted }).file : {}
  // A damaged file may have had settings that cannot be read now, so all trusted settings stay in force.
  const holds = [home, wrong.length > 0 ? before : stillAsked(before, asked)]
  const settings = askedSettings(mergeConfig(holds), asked)
  const file = { state, bytes, asked: state === 'trusted' ? [] : settings }
  if (state === 'trusted') return withProblems(mergeConfig([home, asked]), problems, file)
  const held = settings.filter(({ weakens }) => weakens).map(({ setting }) => setting)
  // Settings that are already in force are not merged again: excludes add up.
  const changed = new Set(settings.map(({ setting }) => setting))
  const same = leavesOf(asked).flatMap(([setting]) => (changed.has(setting) ? [] : [setting]))
  const counts = withoutSettings(asked, new Set([...held, ...same]))
  return withProblems(mergeConfig([...holds, counts]), problems, file, untrustedWarning(CONFIG, state, held))
}

/**
 * A retention policy that is only partly readable must not remove anything: nothing is pruned until the file is fixed.
 */
function withProblems(
  config: Config,
  problems: readonly string[],
  file: ResolvedSettings['file'],
  untrusted: readonly string[] = [],
): ResolvedSettings {
  const paused = problems.length > 0 ? { ...config, retention: { ...config.retention, auto: false } } : config
  return { config: paused, problems, warnings: [...problems, ...untrusted], file }
}

function stateOf(bytes: Buffer | undefined, trusted: Buffer | undefined): TrustState {
  if (bytes && trusted?.equals(bytes)) return 'trusted'
  return trusted ? 'changed' : 'untrusted'
}

function untrustedWarning(file: TrustFile, state: TrustState, held: readonly string[]): string[] {
  if (held.length === 0) return []
  const what = held.join(', ')
  return state === 'changed'
    ? [`${file} has changed since you trusted it; not applied: ${what}. Review and accept it with: timewarp trust`]
    : [`${file} is untrusted; not applied: ${what}. Review and accept it with: timewarp trust`]
}

/** The patterns in force in addition to the defaults, and what `.timewarpignore` asks for. */
export interface ResolvedIgnore {
  /** The weakest first. */
  readonly patterns: readonly string[]
  /** Files that cannot be used, each with its problem. */
  readonly problems: readonly string[]
  /** Problems, and patterns that are not applied because the file is not trusted. */
  readonly warnings: readonly string[]
  /** The patterns of `.timewarpignore` that are in force. */
  readonly trusted: readonly string[]
  readonly file: TrustView<string>
}

/** Must not throw. */
export function resolveIgnore(home: string, root: string, exclude: readonly string[]): ResolvedIgnore {
  const homeFile = join(home, 'ignore')
  const own = readHomeFile(homeFile)
  const read = readWorkspaceFile(join(root, IGNORE))
  const problems = [
    ...(own.problem === undefined ? [] : [`${homeFile} is not used: ${own.problem}`]),
    ...(read.problem === undefined ? [] : [`${IGNORE} is not used: ${read.problem}`]),
  ]
  const common = [...patternsIn(own.bytes), ...exclude]
  if (isAbsent(read)) return { patterns: common, problems, warnings: problems, trusted: [], file: NO_FILE }
  const trusted = readTrust(home, root)[IGNORE]
  const state = stateOf(read.bytes, trusted)
  const holds = patternsIn(trusted)
  const asked = read.bytes ? patternsIn(read.bytes) : holds
  const counts = leavesOutNoMore(holds, asked)
  const inForce = counts ? asked : holds
  return {
    patterns: [...common, ...inForce],
    trusted: inForce,
    problems,
    warnings: [
      ...problems,
      ...untrustedWarning(IGNORE, state, counts ? [] : [state === 'changed' ? 'its changes' : 'its patterns']),
    ],
    file: { state, bytes: read.bytes, asked: counts ? [] : asked },
  }
}

/** Whether at most some lines were removed: such a change applies at once. With a `!` pattern every line may matter. */
function leavesOutNoMore(holds: readonly string[], asked: readonly string[]): boolean {
  if (JSON.stringify(asked) === JSON.stringify(holds)) return true
  return asked.every((pattern) => holds.includes(pattern)) && !holds.some((pattern) => pattern.startsWith('!'))
}

const patternsIn = (bytes: Buffer | undefined): string[] =>
  (bytes?.toString() ?? '').split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'))
