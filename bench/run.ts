import { type ChildProcess, spawn } from 'node:child_process'
import { endedChildrenTicks, readProc, TICKS_PER_SECOND } from './proc.ts'

export interface Command {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

export interface Run {
  readonly stdout: string
  readonly seconds: number
  /** Of all processors together, also the children's: what stays the same on a busy machine. */
  readonly cpuSeconds: number
  /** The most memory that the process and its children held, added up; undefined where /proc does not tell. */
  readonly peakBytes: number | undefined
}

const SAMPLE_EVERY_MS = 20
const live = new Set<ChildProcess>()

/** Runs a command to its end, timed from before it is started until it is gone. Rejects when it fails. */
export function run(command: Command): Promise<Run> {
  const { promise, resolve, reject } = Promise.withResolvers<Run>()
  const started = performance.now()
  const ticksBefore = endedChildrenTicks()
  const child = start(command)
  const memory = watchMemory(child.pid)
  const output = { stdout: '', stderr: '' }
  let seconds = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const ended = () => {
    seconds = (performance.now() - started) / 1000
    memory.stop()
  }
  child.on('exit', ended)
  child.on('error', (cause) => {
    ended()
    reject(cause)
  })
  child.on('close', (code) => {
    const cpuSeconds = (endedChildrenTicks() - ticksBefore) / TICKS_PER_SECOND
    if (code === 0) resolve({ stdout: output.stdout, seconds, cpuSeconds, peakBytes: memory.peak() })
    else reject(new Error(`${command.argv.join(' ')} ended with ${code}:\n${output.stderr}${output.stdout}`))
  })
  return promise
}

/** Ends every command under way, with its children. */
export function endAll(): void {
  for (const { pid } of live) if (pid !== undefined) endGroup(pid)
}

/** In a process group of its own, so that ending it ends its children too. */
export function start({ argv: [file = '', ...args], cwd, env }: Command) {
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  live.add(child)
  child.once('exit', () => live.delete(child))
  return child
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended by itself meanwhile.
  }
}

/** The kernel keeps each process's own peak, so a sample misses only what is gained in the last few milliseconds. */
function watchMemory(pid: number | undefined) {
  const peaks = new Map<number, number>()
  const timer = setInterval(() => {
    for (const each of familyOf(pid)) peaks.set(each, peakOf(each) ?? peaks.get(each) ?? 0)
  }, SAMPLE_EVERY_MS)
  return {
    stop: () => clearInterval(timer),
    peak: () => (peaks.size === 0 ? undefined : [...peaks.values()].reduce((sum, peak) => sum + peak, 0)),
  }
}

function familyOf(pid: number | undefined): readonly number[] {
  if (pid === undefined) return []
  const children = readProc(`/proc/${pid}/task/${pid}/children`)?.split(' ').filter(Boolean) ?? []
  return [pid, ...children.flatMap((child) => familyOf(Number(child)))]
}

function peakOf(pid: number): number | undefined {
  const kilobytes = readProc(`/proc/${pid}/status`)?.match(/^VmHWM:\s+(\d+)/m)?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}
