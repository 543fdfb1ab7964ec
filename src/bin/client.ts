import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Fault, KINDS } from '../base/fault.ts'
import { faultText } from '../base/fault-text.ts'
import { READERS } from '../cli/parse/readers.ts'
import { ask, cancel } from '../client/ask.ts'
import { buildOf, buildText } from '../client/build.ts'
import { isOurs, socketOf } from '../client/daemon-files.ts'
import { askHook, projectOf } from '../client/hook.ts'
import { machineTime } from '../client/patience.ts'
import { readStandardInput } from '../host/files/fs.ts'
import { Interrupt } from './interrupt.ts'
import { lostWord, lostWordProblem } from './lost-words.ts'
import type { Started } from './process-io.ts'
import { isToBeWatched, watchOver } from './watch-over.ts'
import { commandWord, commandWords } from './word.ts'
import { workingFolder } from './working-folder.ts'

/**
 * The program that people start. It asks the daemon, and does the work itself when there is none. It loads as little as
 * possible, so that a command takes little longer than starting Node.
 */

const argv = process.argv.slice(2)
const own = argv.slice(0, [...argv, '--'].indexOf('--'))
const program = process.argv[1] ?? ''
let isAlone = false
/** Standard input can be read only once: if this process does the work after all, it gets it from here. */
let stdin: Buffer | undefined
/** The id by which the daemon can be asked to stop the command. */
const id = `${process.pid}-${machineTime()}-${Math.random().toString(36).slice(2)}`
const interrupt = new Interrupt()

/** Does the work in this process, by a program that is loaded only now. */
function alone({ isServed } = { isServed: false }): void {
  isAlone = true
  if (interrupt.release()) return
  const file = `./${commandWord(own) === 'mcp' ? 'mcp' : 'main'}${program.endsWith('.ts') ? '.ts' : '.cjs'}`
  const { run } = createRequire(program)(file) as { readonly run: (started: Started) => void }
  run({ stdin, isServed })
}

interface Whom {
  readonly home: string
  readonly socket: string
}

/** The daemon's home and socket; undefined when no daemon is to be asked. */
function whomToAsk(): Whom | undefined {
  const { env } = process
  if (own.includes('--no-daemon') || /^(off|no|false|0)$/i.test(env['TIMEWARP_DAEMON'] ?? '')) return undefined
  if (own.length === 0 || own[0] === 'daemon' || commandWord(own) === 'mcp') return undefined
  if (own.includes('--help') || own.includes('-h') || own.includes('--version')) return undefined
  const home = resolve(
    workingFolder(env['PWD']),
    flag('--home') || env['TIMEWARP_HOME'] || join(env['HOME'] ?? homedir(), '.timewarp'),
  )
  const socket = socketOf(home, env)
  return isOurs(dirname(socket)) ? { home, socket } : undefined
}

function flag(name: string): string | undefined {
  const at = own.findIndex((word) => word === name || word.startsWith(`${name}=`))
  return at === -1 ? undefined : own[at] === name ? own[at + 1] : own[at]?.slice(name.length + 1)
}

async function askCommand({ home, socket }: Whom, body: string): Promise<void> {
  let hasPrinted = false
  interrupt.ask = () => cancel(socket, id)
  const asked = await ask({
    socket,
    path: '/v1/command',
    body,
    onOut: (bytes) => {
      hasPrinted = true
      process.stdout.write(bytes)
    },
    onError: (bytes) => void process.stderr.write(bytes),
  }).ended
  // If the answer could not be written, the exit code is already set.
  if (asked.kind === 'answered') process.exitCode = asked.exit || (process.exitCode ?? 0)
  else if (asked.mayRepeat && !hasPrinted) alone({ isServed: asked.isServed })
  else refuse(new Fault('DAEMON_LOST', { home }), !hasPrinted && (own.includes('--json') || own.includes('call')))
  interrupt.finish()
}

/** Sends a hook to the daemon; if no daemon serves it, this process does. */
async function handOver(client: string, { socket }: Whom, body: Buffer): Promise<void> {
  const said = await askHook({ socket, client, body, project: projectOf(process.env) })
  if (said.text === undefined) alone({ isServed: said.status === undefined && said.silent })
  else process.stdout.write(said.text)
}

/** The client of a hook; undefined for every other command line, and for a hook with flags. */
function hookClient(): string | undefined {
  const [word, client, ...rest] = commandWords(own)
  return word === 'hook' && /^[a-z]+$/.test(client ?? '') && rest.length === 0 ? client : undefined
}

const request = (): string =>
  JSON.stringify({
    argv,
    id,
    cwd: workingFolder(process.env['PWD']),
    env: environment(),
    ...(readsInput() ? { stdin_base64: standardInput().toString('base64') } : {}),
    out_is_terminal: process.stdout.isTTY === true,
    err_is_terminal: process.stderr.isTTY === true,
    columns: process.stderr.columns || 80,
    build: buildText(buildOf(program)),
    asked_ms: machineTime(),
  })

const readsInput = (): boolean =>
  (own[0] === 'statusline' && !process.stdin.isTTY) || (own.includes('-') && own.some((word) => READERS.includes(word)))

function standardInput(): Buffer {
  const parts: Buffer[] = []
  for (let part = readStandardInput(); part; part = readStandardInput()) parts.push(part)
  stdin = Buffer.concat(parts)
  return stdin
}

/** The variables that a command reads. No others are sent to the daemon. */
function environment(): Record<string, string> {
  const wanted = /^(HOME|PWD|TERM|NO_COLOR|FORCE_COLOR|CI|LANG|LC_.*|TIMEWARP_.*|(CLAUDE|GEMINI)_PROJECT_DIR)$/
  const env = { HOME: homedir(), ...process.env }
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => wanted.test(pair[0])))
}

/** It is no error if the reader closes the pipe; a full disk is one. The program that works alone reports it itself. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (isAlone || error.code === 'EPIPE') return
  process.stderr.write(`Error: The answer could not be written: ${error.message}\n`)
  process.exitCode ||= KINDS.conflict.exit
})

function start(): unknown {
  const lost = lostWord(argv)
  if (lost !== undefined)
    return refuse(new Fault('BAD_INPUT', { problem: lostWordProblem(lost) }), own.includes('--json'))
  if (isToBeWatched(commandWord(own))) {
    interrupt.release()
    return watchOver()
  }
  return (asking() ?? alone)()
}

/** How to ask the daemon; undefined when it is not to be asked, or the request cannot be made. */
function asking(): (() => Promise<void>) | undefined {
  try {
    const [whom, client] = [whomToAsk(), hookClient()]
    if (whom === undefined || (commandWord(own) === 'hook' && client === undefined)) return undefined
    if (client !== undefined) return handOver.bind(undefined, client, whom, standardInput())
    return askCommand.bind(undefined, whom, request())
  } catch {
    return undefined
  }
}

/** Prints a fault and sets its exit code. */
function refuse(fault: Fault, json: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify({ error: fault })}\n`)
  else process.stderr.write(`${faultText(fault)}\n`)
  process.exitCode = KINDS[fault.kind].exit
}

void start()
