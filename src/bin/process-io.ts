import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { isatty } from 'node:tty'
import { asFault, KINDS } from '../base/fault.ts'
import { faultText } from '../base/fault-text.ts'
import { visible } from '../base/visible.ts'
import type { Io } from '../cli/io.ts'
import { workingFolder } from './working-folder.ts'

/** Signals that ask to stop, with the exit codes that shells expect. Not SIGHUP: a handler would undo `nohup`. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/** What the client passes to the program that does the work in its process. */
export interface Started {
  /** Standard input, if the client has read it. */
  readonly stdin: Uint8Array | undefined
  /** Whether a daemon runs, though it did not do this work: starting another one is useless. */
  readonly isServed: boolean
}

export interface ProcessIo {
  readonly io: Io
  /** The store's folder, unless a flag names another. */
  readonly home: string
  /** Waits until the answer is written and ends the process with this code; after a signal, at once. */
  readonly end: (code: number) => Promise<void>
}

export function processIo({ stdin }: Started): ProcessIo {
  const env: Io['env'] = { HOME: homedir(), ...process.env }
  const cwd = workingFolder(env.PWD)
  const output = watchOutput()
  const signals = watchSignals()
  process.once('uncaughtException', dieOfBug)
  const io: Io = {
    out: (data) => void (output.readerIsGone() || process.stdout.write(data)),
    err: (text) => void process.stderr.write(text),
    stdin: async () => stdin ?? readAll(),
    stdinParts: () => (stdin ? partsOf(stdin) : readParts()),
    drained: output.drained,
    ...(isatty(0) && isatty(1) ? { key: readKey } : {}),
    cwd,
    program: process.argv[1] ?? '',
    env,
    outIsTerminal: process.stdout.isTTY === true,
    errIsTerminal: process.stderr.isTTY === true,
    columns: process.stderr.columns || 80,
    now: () => performance.now(),
    pause: (ms) => new Promise((done) => setTimeout(done, ms)),
    stop: signals.stop,
    stopping: () => void process.stderr.write('Stopping…\n'),
    mayDie: signals.restore,
    interrupted: signals.interrupted,
  }
  const end = async (code: number): Promise<void> => {
    // With `process.exit`, so that idle threads do not delay the end.
    process.exit(signals.stopped() ? code : await output.finish(code))
  }
  return { io, home: resolve(cwd, env.TIMEWARP_HOME || join(env.HOME ?? '', '.timewarp')), end }
}

export function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < 22 || (major === 22 && minor < 15)
}

async function readAll(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}

async function* readParts(): AsyncIterable<Uint8Array> {
  for await (const chunk of process.stdin) yield chunk as Uint8Array
}

async function* partsOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

/** Ctrl+C and Ctrl+D count as ordinary keys here. Leaves raw mode afterwards. */
async function readKey(): Promise<string> {
  const { stdin } = process
  stdin.setRawMode(true)
  try {
    // An earlier question has paused it, and adding a listener does not resume it.
    return await new Promise((done) => stdin.once('data', (bytes: Buffer) => done(bytes.toString())).resume())
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
  }
}

/** It is no failure if the reader closes the pipe (`| head -1`); a full disk is one. */
function watchOutput() {
  let first: NodeJS.ErrnoException | undefined
  process.stdout.on('error', (error) => (first ??= error))
  process.stderr.on('error', () => {})
  const finish = async (code: number): Promise<number> => {
    if (first === undefined) await new Promise<void>((done) => process.stdout.write('', () => done()))
    if (first === undefined || first.code === 'EPIPE') return code
    process.stderr.write(`Error: The answer could not be written: ${first.message}\n`)
    return code || KINDS.conflict.exit
  }
  const drained = async (): Promise<void> => {
    if (first !== undefined || !process.stdout.writableNeedDrain) return
    await new Promise<void>((done) => process.stdout.once('drain', done).once('error', () => done()))
  }
  return { readerIsGone: () => first !== undefined, finish, drained }
}

/** The first signal asks to stop at a point where nothing is half done; the next one ends the process. */
function watchSignals() {
  const asked = new AbortController()
  let end: (code: number) => void = () => {}
  const interrupted = new Promise<number>((resolve) => (end = resolve))
  const listeners = Object.entries(SIGNALS).map(([signal, code]) => {
    const listener = (): void => {
      if (!asked.signal.aborted) return asked.abort(code)
      process.stderr.write('Left in the middle. The next command finishes or takes back what was begun, and says so.\n')
      end(code)
    }
    process.on(signal, listener)
    return { signal, listener }
  })
  const restore = (): void => {
    for (const { signal, listener } of listeners) process.off(signal, listener)
  }
  return { stop: asked.signal, restore, interrupted, stopped: () => asked.signal.aborted }
}

function dieOfBug(error: unknown): void {
  const fault = asFault(error)
  const trace = error instanceof Error ? `\n${error.stack}` : ''
  process.stderr.write(`${faultText(fault)}${visible(trace)}\n`)
  process.exit(KINDS.bug.exit)
}
