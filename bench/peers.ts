import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Run, run } from './run.ts'

export const PEERS = ['timewarp', 'git', 'restic'] as const
export type PeerName = (typeof PEERS)[number]

interface Taken {
  readonly id: string
  /** Whether the peer saw a difference to its last snapshot. */
  readonly changed: boolean
  readonly run: Run
}

/** One tool, driven by its command line: every verb is a fresh process. */
export interface Peer {
  readonly name: PeerName
  /** The folder whose size counts as the peer's store. */
  store(): string
  /** Makes an empty store in `home` and uses it from now on. */
  create(home: string): Promise<void>
  snapshot(): Promise<Taken>
  /** Records one changed file by name; `base` takes in everything else before, untimed. */
  commit?(path: string, base: boolean): Promise<Run>
  /** Writes all of a snapshot into `dir`, an empty folder. */
  restoreAll(id: string, dir: string): Promise<Run>
  /** Brings the tree back to a snapshot. `paths` are what changed, for a peer that cannot find out by itself. */
  restoreChanged(id: string, paths: readonly string[]): Promise<Run>
}

export interface Place {
  /** The folder that is captured. */
  readonly root: string
  /** Timewarp's command line. */
  readonly launcher: string
  /** For all processes: no configuration of this machine, nothing written outside the scratch folder. */
  readonly env: NodeJS.ProcessEnv
}

export function timewarp(place: Place): Peer {
  let home = ''
  const call = (...args: readonly string[]) =>
    run({
      argv: [place.launcher, '-C', place.root, ...args, '--json'],
      cwd: dirname(place.root),
      env: { ...place.env, TIMEWARP_HOME: home, TIMEWARP_DAEMON: 'off' },
    })
  return {
    name: 'timewarp',
    store: () => home,
    async create(next) {
      home = next
      rmSync(join(place.root, '.timewarp'), { recursive: true, force: true })
      await call('init', '--no-snapshot')
    },
    async snapshot() {
      const taken = await call('snapshot')
      const { snapshot_id: id, created: changed } = JSON.parse(taken.stdout) as {
        snapshot_id: string
        created: boolean
      }
      return { id, changed, run: taken }
    },
    restoreAll: (id, dir) => call('materialise', id, dir),
    restoreChanged: (id) => call('restore', id),
  }
}

/** Shadow git: a repository outside the tree whose loose objects are never packed. */
export function git(place: Place): Peer {
  let home = ''
  let newest = ''
  const call = (...argv: readonly string[]) =>
    run({ argv, cwd: place.root, env: { ...place.env, GIT_DIR: home, GIT_WORK_TREE: place.root } })
  return {
    name: 'git',
    store: () => join(home, 'objects'),
    async create(next) {
      home = next
      newest = ''
      await call('git', 'init', '--quiet')
      await call('git', 'config', 'gc.auto', '0')
      writeFileSync(join(home, 'info', 'exclude'), '/.timewarp/\n')
    },
    async snapshot() {
      const taken = await call('sh', '-c', 'git add -A && git write-tree')
      const id = taken.stdout.trim()
      const changed = id !== newest
      newest = id
      return { id, changed, run: taken }
    },
    commit: (path, base) => {
      const add = base ? 'git add -A' : `git add '${path}'`
      const who = '-c user.name=bench -c user.email=bench@localhost'
      return call('sh', '-c', `${add} && git ${who} commit --quiet --allow-empty --message edit`)
    },
    // The index already holds the tree, as after every snapshot: reading it again would only add to git's time.
    restoreAll: (id, dir) => {
      if (id !== newest) throw new Error('git restores the newest snapshot only.')
      return call('git', 'checkout-index', '--all', `--prefix=${dir}/`)
    },
    // Quicker than `read-tree` and `checkout-index --all --force`, which would write every file of the tree.
    restoreChanged: (id) => call('git', 'read-tree', '--reset', '-u', id),
  }
}

export function restic(place: Place): Peer {
  let home = ''
  const call = (...args: readonly string[]) =>
    run({
      argv: ['restic', ...args],
      cwd: place.root,
      env: {
        ...place.env,
        RESTIC_REPOSITORY: join(home, 'repository'),
        RESTIC_CACHE_DIR: join(home, 'cache'),
        RESTIC_PASSWORD: 'bench',
      },
    })
  return {
    name: 'restic',
    store: () => join(home, 'repository'),
    async create(next) {
      home = next
      mkdirSync(home, { recursive: true })
      await call('init', '--quiet')
    },
    async snapshot() {
      const taken = await call('backup', '--json', '--exclude', '.timewarp', '.')
      const { snapshot_id: id, files_new, files_changed } = resticSummary(taken.stdout)
      return { id, changed: files_new + files_changed > 0, run: taken }
    },
    restoreAll: (id, dir) => call('restore', id, '--quiet', '--target', dir),
    restoreChanged: (id, paths) =>
      call('restore', id, '--quiet', '--target', place.root, ...paths.flatMap((path) => ['--include', `/${path}`])),
  }
}

interface ResticSummary {
  readonly message_type: 'summary'
  readonly snapshot_id: string
  readonly files_new: number
  readonly files_changed: number
}

/** restic prints a line of JSON per progress report; the last is the summary. */
function resticSummary(stdout: string): ResticSummary {
  const lines = stdout.trim().split('\n')
  return JSON.parse(lines.at(-1) as string) as ResticSummary
}
