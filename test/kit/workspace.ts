import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import type { z } from 'zod'
import { openApp } from '../../src/app/app.ts'
import { TRUST_FILES, writeTrust } from '../../src/config/trust-record.ts'
import { setPointHook } from '../../src/host/points.ts'
import { openTimewarp, type Timewarp, type Tools } from '../../src/library.ts'
import { COMPILED, childFile } from './process.ts'

const REPOSITORY = resolve(import.meta.dirname, '../..')
const LAUNCHER = join(REPOSITORY, 'bin/timewarp')
/** The user called nobody: someone without any rights of root. */
export const NOBODY = 65534
export const isRoot = process.getuid?.() === 0

export interface Answer {
  readonly exit: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  // oxlint-disable-next-line typescript/no-explicit-any -- the shape depends on the command; tests look into it
  readonly json: any
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly asNobody?: boolean
}

/** A workspace and a store in temporary folders, gone when the test is over. */
export class Workspace {
  readonly temp: string
  readonly root: string
  readonly home: string
  #timewarp: Timewarp | undefined

  constructor(temp: string, folder = 'workspace') {
    this.temp = temp
    this.root = join(temp, folder)
    this.home = join(temp, 'home')
    fs.mkdirSync(this.root, { recursive: true })
  }

  /** Calls a tool in this process. */
  call<N extends keyof Tools>(name: N, input?: z.input<Tools[N]['input']>): Promise<z.output<Tools[N]['output']>> {
    this.#timewarp ??= openTimewarp({ home: this.home, cwd: this.root })
    return this.#timewarp.call(name, input)
  }

  /** The id of a new snapshot. */
  async snapshot(label?: string): Promise<string> {
    return (await this.call('snapshot', label === undefined ? {} : { label })).snapshot_id
  }

  async restore(snapshot_id: string, paths: readonly string[] = [], dry_run = false) {
    return this.call('restore', { snapshot_id, paths: [...paths], dry_run })
  }

  /** Lets go of the store. */
  async close(): Promise<void> {
    const timewarp = this.#timewarp
    this.#timewarp = undefined
    await timewarp?.close()
  }

  at(...path: string[]): string {
    return join(this.root, ...path)
  }

  /** Writes files, making the folders above them. A path that ends in "/" is an empty folder. */
  write(files: Readonly<Record<string, string | Uint8Array>>): void {
    for (const [path, content] of Object.entries(files)) {
      fs.mkdirSync(path.endsWith('/') ? this.at(path) : dirname(this.at(path)), { recursive: true })
      if (!path.endsWith('/')) fs.writeFileSync(this.at(path), content)
    }
  }

  /** Accepts the settings and patterns that the workspace has now, as `timewarp trust` does. */
  trust(home = this.home): void {
    trustFiles(home, this.root)
  }

  read(path: string): string {
    return fs.readFileSync(this.at(path), 'utf8')
  }

  has(path: string): boolean {
    return fs.lstatSync(this.at(path), { throwIfNoEntry: false }) !== undefined
  }

  /** Deletes everything in the workspace, whatever it is; the folder itself stays. */
  destroy(): void {
    shell('find "$1" -mindepth 1 -delete', this.root)
  }

  /** Runs the real command in a process of its own and waits for it. */
  tw(args: readonly string[], options: RunOptions = {}): Promise<Answer> {
    return answerOf(this.start(args, options))
  }

  start(args: readonly string[], options: RunOptions = {}): ChildProcess {
    return startProcess(LAUNCHER, args, this.#settings(options))
  }

  /** Starts a program that `children.ts` made of a file of the kit, with the project's Node. */
  startChild(name: string, args: readonly string[]): ChildProcess {
    return startProcess(process.execPath, [childFile(name), ...args], this.#settings({ env: COMPILED }))
  }

  /** Starts a file of the kit that needs nothing of the program, with the project's Node. */
  startScript(file: string, args: readonly string[]): ChildProcess {
    return startProcess(process.execPath, [join(import.meta.dirname, file), ...args], this.#settings({}))
  }

  /** Gives everything to nobody, who then can be the one that runs commands. */
  giveToNobody(): void {
    shell('chown -R 65534:65534 "$1"', this.temp)
  }

  #settings({ cwd = this.root, env = {}, asNobody = false }: RunOptions) {
    const user = join(this.temp, 'user')
    return {
      cwd,
      env: { PATH: process.env.PATH ?? '', HOME: user, TIMEWARP_HOME: this.home, TIMEWARP_DAEMON: 'off', ...env },
      ...(asNobody ? { uid: NOBODY, gid: NOBODY } : {}),
    }
  }
}

export function trustFiles(home: string, root: string): void {
  const found = TRUST_FILES.filter((path) => fs.lstatSync(join(root, path), { throwIfNoEntry: false })?.isFile())
  writeTrust(home, root, Object.fromEntries(found.map((path) => [path, fs.readFileSync(join(root, path))])))
}

/** A store with nothing in it. A daemon makes none. */
export function beginStore(home: string): void {
  const app = openApp({ home })
  app.begin()
  app.records.workspaces.all()
  app.close()
}

/** A new workspace; `place` is the folder to make it in, `folder` its path below a temporary one there. */
export function newWorkspace(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  place = tmpdir(),
  folder = 'workspace',
): Workspace {
  const workspace = new Workspace(fs.realpathSync(fs.mkdtempSync(join(place, 'timewarp-e2e-'))), folder)
  onTestFinished(async () => {
    // What a test has damaged on purpose may not let the store be tidied up; that is no failure of the test.
    await workspace.close().catch(() => {})
    shell('chmod -R u+rwx "$1" 2>/dev/null; rm -rf "$1"', workspace.temp)
  })
  workspace.write(files)
  return workspace
}

/** Runs a shell script; `$1`, `$2`… are the words after it. */
export function shell(script: string, ...words: (string | Buffer)[]): string {
  const args = ['-c', script, 'sh', ...words.map(String)]
  const { status, stdout, stderr } = spawnSync('sh', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`"${script}" failed: ${stderr}`)
  return stdout
}

function startProcess(file: string, args: readonly string[], options: object): ChildProcess {
  const child = spawn(file, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] })
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await ended(child)
  })
  return child
}

export const ended = (child: ChildProcess): Promise<void> =>
  new Promise((done) =>
    child.exitCode !== null || child.signalCode !== null ? done() : child.once('exit', () => done()),
  )

export async function answerOf(child: ChildProcess): Promise<Answer> {
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk))
  await new Promise((done) => child.once('close', done))
  const [stdout, stderr] = [Buffer.concat(out).toString(), Buffer.concat(err).toString()]
  return { exit: child.exitCode, signal: child.signalCode, stdout, stderr, json: parsed(stdout) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Waits until the child prints a line that begins so. */
export function untilSays(child: ChildProcess, word: string): Promise<void> {
  return new Promise((done, fail) => {
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk
      if (text.split('\n').some((line) => line.startsWith(word))) done()
    })
    child.once('exit', (code) => fail(new Error(`it ended with ${code} before it said "${word}": ${text}`)))
  })
}

/** Does something once when the program in this process passes a point for the n-th time. */
export function whenPassing(name: string, act: () => void, nth = 1): void {
  let left = nth
  onTestFinished(() => setPointHook(undefined))
  setPointHook((passed) => {
    if (passed === name && --left === 0) act()
  })
}
