import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'

/** A command that takes longer hangs. */
const HANGS_MS = 90_000

/** Names that a path relative to the wrong folder would begin with. */
const STRAYS: ReadonlySet<string> = new Set([
  '.git',
  '.timewarp',
  'a',
  'a.txt',
  'd',
  'x',
  'src',
  'docs',
  'ws',
  '--home',
])

/** What became of a process. */
export interface Ended {
  readonly exit: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  readonly hung: boolean
}

export interface Typed {
  readonly args: readonly string[]
  readonly cwd: string
  readonly daemon: boolean
  readonly stdin?: string
  /** A signal that it gets after so many milliseconds. */
  readonly cut?: { readonly signal: NodeJS.Signals; readonly ms: number }
}

/** Folders of one run: a workspace, its store, and much around them that is nobody's business. */
export class Scene {
  readonly scratch: string
  readonly root: string
  readonly home: string
  readonly user: string
  /** Where copies of snapshots, mirrors and journeys may be written. */
  readonly free: string
  /** What is written nowhere but outside; an answer that has it has read what it must not. */
  readonly canary: string
  readonly #program: string
  readonly #launcher: string
  readonly #daemons = new Set<ChildProcess>()
  #mounted = false

  constructor(scratch: string, canary: string, program: string) {
    this.scratch = scratch
    this.#program = program
    this.#launcher = join(program, 'bin/timewarp')
    this.canary = canary
    this.root = join(scratch, 'around/ws')
    this.home = join(scratch, 'home')
    this.user = join(scratch, 'user')
    this.free = join(scratch, 'free')
    for (const dir of [this.root, this.user, this.free]) fs.mkdirSync(dir, { recursive: true })
    fs.mkdirSync(this.home, { mode: 0o700 })
    this.#surround()
  }

  /** Files beside and above the workspace, with contents that are easy to recognise. */
  #surround(): void {
    const around = join(this.scratch, 'around')
    for (const folder of ['ws-sibling/deep', 'other', 'empty']) fs.mkdirSync(join(around, folder), { recursive: true })
    const files = ['secret.txt', 'other/.env', 'other/package.json', 'ws-sibling/a.txt', 'ws-sibling/deep/b.txt']
    for (const file of files) fs.writeFileSync(join(around, file), `${this.canary} ${file}\n`)
    const said = { type: 'user', message: { role: 'user', content: this.canary } }
    fs.writeFileSync(join(around, 'other/chat.jsonl'), `${JSON.stringify(said)}\n`)
    fs.symlinkSync('other', join(around, 'link'))
  }

  /** Everything that no command may change; names that are not UTF-8 included. */
  outside(): string {
    const lines: string[] = []
    const walk = (dir: string): void => {
      for (const name of fs.readdirSync(Buffer.from(dir, 'latin1'), { encoding: 'latin1' }).sort()) {
        const path = `${dir}/${name}`
        if (path === latin(this.root) || name.startsWith('ws-away')) continue
        const stat = fs.lstatSync(Buffer.from(path, 'latin1'))
        const isLink = stat.isSymbolicLink()
        const bytes = stat.isFile() ? fs.readFileSync(Buffer.from(path, 'latin1'), 'latin1') : ''
        lines.push(`${path} ${stat.mode.toString(8)} ${isLink ? fs.readlinkSync(Buffer.from(path, 'latin1')) : bytes}`)
        if (stat.isDirectory()) walk(path)
      }
    }
    walk(latin(join(this.scratch, 'around')))
    // Others may make something there meanwhile; what is relative to nothing would be made under these names.
    const strays = fs.readdirSync('/').filter((name) => STRAYS.has(name))
    return [...lines, `/: ${strays.sort().join(' ')}`].join('\n')
  }

  env(daemon: boolean): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: this.user,
      TIMEWARP_HOME: this.home,
      TMPDIR: this.user,
      TIMEWARP_DAEMON: daemon ? 'on' : 'off',
    }
  }

  /** Types a command line, in whatever folder; also one that is gone by then. */
  type({ args, cwd, daemon, stdin, cut }: Typed): Promise<Ended> {
    const isGone = !fs.existsSync(cwd)
    if (isGone) fs.mkdirSync(cwd, { recursive: true })
    const child = isGone
      ? spawn('sh', ['-c', 'rmdir "$PWD"; exec "$@"', 'sh', this.#launcher, ...args], { cwd, env: this.env(daemon) })
      : spawn(this.#launcher, args, { cwd, env: this.env(daemon) })
    child.stdin.on('error', () => {})
    child.stdin.end(stdin ?? '')
    if (cut) setTimeout(() => child.kill(cut.signal), cut.ms)
    return ended(child)
  }

  get library(): string {
    return join(this.#program, 'dist/library.js')
  }

  /** Runs a program of a few lines in a process of its own. */
  runNode(program: string, stdin: string): Promise<Ended> {
    const args = ['--input-type=module', '-e', program]
    const child = spawn(process.execPath, args, { cwd: this.scratch, env: this.env(false) })
    child.stdin.on('error', () => {})
    child.stdin.end(stdin)
    return ended(child)
  }

  /** Starts the program that serves agents. */
  mcpCommand(daemon: boolean) {
    const args = ['mcp', '-C', this.root, '--tools', 'timeline,edits,travel,guards,store,setup']
    return { command: this.#launcher, args, cwd: this.root, env: this.env(daemon), stderr: 'ignore' as const }
  }

  async startDaemon(): Promise<void> {
    if (this.daemonPids().length > 0) return
    const program = join(this.#program, 'dist/daemon.cjs')
    const stdio = ['ignore', 'pipe', 'ignore'] as const
    const child = spawn(process.execPath, [program, this.home], {
      env: this.env(true),
      stdio: [...stdio],
      detached: true,
    })
    this.#daemons.add(child)
    await new Promise<void>((done) => {
      child.stdout?.once('data', () => done())
      child.once('exit', () => done())
      setTimeout(done, 15_000)
    })
    child.stdout?.destroy()
    child.unref()
  }

  /** Every daemon of this store, also those that commands started. */
  daemonPids(): number[] {
    const { stdout } = spawnSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' })
    return stdout
      .split('\n')
      .filter((line) => line.includes('daemon.cjs') && line.includes(this.home))
      .map((line) => Number.parseInt(line, 10))
  }

  killDaemons(): void {
    for (const pid of this.daemonPids())
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended by itself.
      }
  }

  /** A small disk for the store. False where nobody may mount one. */
  mountHome(bytes: number): boolean {
    this.#mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'tmpfs', this.home]).status === 0
    return this.#mounted
  }

  async remove(): Promise<void> {
    this.killDaemons()
    await new Promise((done) => setTimeout(done, 50))
    if (this.#mounted) spawnSync('umount', ['-l', this.home])
    spawnSync('chmod', ['-R', 'u+rwx', this.scratch])
    fs.rmSync(this.scratch, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** A path as its bytes, one per character. */
export const latin = (path: string): string => Buffer.from(path).toString('latin1')

function ended(child: ChildProcess): Promise<Ended> {
  const parts = { stdout: '', stderr: '' }
  let hung = false
  const patience = setTimeout(() => {
    hung = true
    child.kill('SIGKILL')
  }, HANGS_MS)
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (parts.stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (parts.stderr += text))
  return new Promise((done) => {
    child.on('error', (error) => {
      clearTimeout(patience)
      done({ exit: -1, signal: null, stdout: '', stderr: String(error), hung })
    })
    child.on('close', (exit, signal) => {
      clearTimeout(patience)
      done({ exit, signal, ...parts, hung })
    })
  })
}
