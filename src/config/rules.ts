import ignore, { type Ignore } from 'ignore'
import { newHash } from '../host/hash.ts'
import { allFoldersAbove, nameOf, parentOf, type RelPath, ROOT } from '../schema/path.ts'

/** Never captured and never changed, whatever the settings are. */
const NEVER = ['.git', '.timewarp']

/** Files that can be made again, or that no person or agent wrote. Files that git tracks are captured nevertheless. */
export const DEFAULT_EXCLUDES: readonly string[] = [
  '.svn/',
  'node_modules/',
  '.eterm-history/',
  '__pycache__/',
  '.venv/',
  'venv/',
  'target/',
  'build/',
  'dist/',
  '.next/',
  '.cache/',
  '*.log',
  '*.pid',
  '*.pyc',
  '.DS_Store',
  'Thumbs.db',
]

/** The rules in force, as data: they are sent to worker threads and stored in each snapshot. */
export interface RulesData {
  /** Default patterns in force; empty when they are switched off. */
  readonly defaults: readonly string[]
  /** The user's patterns: home, config, `.timewarpignore`, the weakest first. */
  readonly own: readonly string[]
  /** Paths that git tracks although a default pattern matches them. */
  readonly tracked: readonly RelPath[]
}

export const globsOf = (rules: RulesData): string[] => [
  ...NEVER.map((name) => `${name}/`),
  ...rules.defaults,
  ...rules.own,
]

/** A fingerprint of the rules and limits: when it changes, every folder must be listed again. */
export const fingerprintOf = (rules: RulesData, maxBytes: number): string =>
  newHash()
    .update(JSON.stringify([rules.defaults, rules.own, rules.tracked, maxBytes]))
    .digest('hex')

/** Decides what is captured. Callers ask from the top down: `excludes` assumes that the folders above are included. */
export class Rules {
  readonly #all: Ignore | undefined
  /** Verdicts by name alone; undefined when some pattern depends on more than the name. */
  readonly #byName: Map<string, boolean> | undefined
  readonly #own: Ignore | undefined
  readonly #tracked: Set<RelPath>
  readonly #trackedFolders: Set<RelPath>

  constructor(data: RulesData) {
    this.#all = matcher([...data.defaults, ...data.own])
    this.#own = matcher(data.own)
    // With tracked files, an entry of a default-excluded folder is judged by its path: only the folder itself was
    // included.
    const patterns = [...data.defaults, ...data.own]
    this.#byName = data.tracked.length === 0 && patterns.every(isAboutNames) ? new Map() : undefined
    this.#tracked = new Set(data.tracked)
    this.#trackedFolders = allFoldersAbove(data.tracked)
  }

  /** `own` is the last part of the path, for callers that have it already. */
  excludes(path: RelPath, isFolder: boolean, own = nameOf(path)): boolean {
    if (NEVER.includes(own) || isTemporary(own)) return true
    if (this.#all === undefined) return false
    if (this.#byName && !this.#matchesName(own, isFolder)) return false
    const name = isFolder ? `${path}/` : path
    if (!this.#byName && !this.#all.test(name).ignored) return false
    if (this.#own?.test(name).ignored) return true
    return !(isFolder ? this.#trackedFolders.has(path) : this.#tracked.has(path))
  }

  #matchesName(name: string, isFolder: boolean): boolean {
    const key = isFolder ? `${name}/` : name
    const known = this.#byName?.get(key)
    if (known !== undefined) return known
    const verdict = this.#all?.test(key).ignored ?? false
    this.#byName?.set(key, verdict)
    return verdict
  }

  /** As `excludes`, for a path whose folders above have not been checked. */
  excludesDeep(path: RelPath, isFolder: boolean): boolean {
    return this.#excludesFolders(parentOf(path)) || this.excludes(path, isFolder)
  }

  readonly #deep = new Map<RelPath, boolean>([[ROOT, false]])

  /** Whether the folder or one above it is excluded. */
  #excludesFolders(folder: RelPath): boolean {
    const known = this.#deep.get(folder)
    if (known !== undefined) return known
    const verdict = this.#excludesFolders(parentOf(folder)) || this.excludes(folder, true)
    this.#deep.set(folder, verdict)
    return verdict
  }
}

/** The prefix of files that a restore is about to put in place; see restore-files.ts. */
export const TEMPORARY = '.timewarp-tmp-'
const isTemporary = (name: string): boolean =>
  name.startsWith(TEMPORARY) && /^\.timewarp-tmp-(?:in|out)-s_\d{8}_/.test(name)

/** A pattern without a slash, except at its end, matches a name in any folder. */
const isAboutNames = (pattern: string): boolean => !pattern.slice(0, -1).includes('/')

const matcher = (patterns: readonly string[]): Ignore | undefined =>
  patterns.length === 0 ? undefined : ignore({ allowRelativePaths: true, ignorecase: false }).add(patterns)

/** Those of the paths that a default pattern matches; cheap enough for every file of a large repository. */
export function matchingDefaults(paths: Iterable<RelPath>): RelPath[] {
  const likely = new RegExp(`(^|/)(${DEFAULT_EXCLUDES.map(asRegExp).join('|')})(/|$)`)
  const defaults = matcher(DEFAULT_EXCLUDES)
  return [...paths].filter((path) => likely.test(path) && defaults?.test(path).ignored)
}

const asRegExp = (pattern: string): string =>
  pattern
    .split('/')
    .join('')
    .replaceAll('.', '\\.')
    .replaceAll('*', () => '[^/]*')
