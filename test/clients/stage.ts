import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Given, type Script, serveModel } from './model.ts'

/**
 * The program in which clients play: `stage.ts PLAN.json RESULT.json`. It serves the scripted model and runs the clients
 * beside it. Started in a network of its own where the system allows that: what a client wants to tell the world stays here.
 */

/** Something said to a client when it has said something. */
interface Cue {
  /** A word on its standard output. */
  readonly after: string
  readonly delay_ms?: number
  readonly say?: string
  readonly signal?: NodeJS.Signals
}

export interface Actor {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly cues?: readonly Cue[]
  /** Said at once; with it, standard input stays open until the last cue. */
  readonly opening?: string
  readonly seconds?: number
}

export interface Plan {
  readonly script: Script
  /** Files written before the play; `@PORT@` in them, in words and in the environment is the model's port. */
  readonly files: Readonly<Record<string, string>>
  /** All at once. */
  readonly actors: readonly Actor[]
}

export interface Played {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly ms: number
}

export interface Result {
  readonly played: readonly Played[]
  readonly heard: readonly string[]
  readonly given: readonly Given[]
}

async function play({ program, args, env, cwd, cues = [], opening, seconds = 120 }: Actor): Promise<Played> {
  const started = performance.now()
  const child = spawn(program, args, { cwd, env, stdio: [opening === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] })
  const out = { stdout: '', stderr: '' }
  if (opening !== undefined) child.stdin?.write(opening)
  const prompter = new Prompter(child, cues)
  child.stdout?.on('data', (bytes: Buffer) => {
    out.stdout += bytes.toString()
    prompter.listen(out.stdout)
  })
  child.stderr?.on('data', (bytes: Buffer) => (out.stderr += bytes.toString()))
  const timer = setTimeout(() => child.kill('SIGKILL'), seconds * 1000)
  const code = await new Promise<number | null>((done) => {
    child.on('error', () => done(null))
    child.on('close', (exit) => done(exit))
  })
  clearTimeout(timer)
  return { code, ...out, ms: performance.now() - started }
}

class Prompter {
  readonly #child: ChildProcess
  readonly #cues: Cue[]
  #from = 0

  constructor(child: ChildProcess, cues: readonly Cue[]) {
    this.#child = child
    this.#cues = [...cues]
  }

  listen(said: string): void {
    const cue = this.#cues[0]
    const at = cue === undefined ? -1 : said.indexOf(cue.after, this.#from)
    if (cue === undefined || at === -1) return
    this.#cues.shift()
    this.#from = at + cue.after.length
    setTimeout(() => this.#act(cue, said), cue.delay_ms ?? 0)
  }

  #act({ say, signal }: Cue, said: string): void {
    if (signal) this.#child.kill(signal)
    if (say) this.#child.stdin?.write(say)
    if (this.#cues.length === 0 && !say && !signal) this.#child.stdin?.end()
    this.listen(said)
  }
}

async function main([planFile = '', resultFile = '']: readonly string[]): Promise<void> {
  const plan = readFileSync(planFile, 'utf8')
  const model = await serveModel((JSON.parse(plan) as Plan).script)
  const { files, actors } = JSON.parse(plan.replaceAll('@PORT@', () => String(model.port))) as Plan
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
  const played = await Promise.all(actors.map(play))
  writeFileSync(resultFile, JSON.stringify({ played, heard: model.heard, given: model.given } satisfies Result))
  model.close()
}

if (import.meta.main) await main(process.argv.slice(2))
