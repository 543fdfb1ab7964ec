import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Fault, KINDS } from '../base/fault.ts'
import { READERS } from '../cli/parse/readers.ts'
import { buildOf, buildText } from '../client/build.ts'
import { isOurs, socketOf } from '../client/daemon-files.ts'
import { CLIENT_WAITS_MS, machineTime } from '../client/patience.ts'
import { readStandardInput } from '../host/files/fs.ts'
import { Answer, refuse } from './answer.ts'
import { handover } from './handover.ts'
import { Interrupt } from './interrupt.ts'
import { lostWord, lostWordProblem } from './lost-words.ts'
import { isToBeWatched, watchOver } from './watch-over.ts'
import { commandWord } from './word.ts'
import { workingFolder } from './working-folder.ts'

/**
 * The program that people start. It asks the daemon, which is ready, and does the work itself when there is
 * none. It loads next to nothing, so that a command takes little longer than starting Node.
 */

const argv = process.argv.slice(2)
const own = argv.slice(0, [...argv, '--'].indexOf('--'))
const program = process.argv[1] ?? ''
let isAlone = false
/** By this name the daemon can be asked to stop the command. */
const id = `${process.pid}-${machineTime()}-${Math.random().toString(36).slice(2)}`
const interrupt = new Interrupt()

/** Does the work in this process. */
function alone(): void {
  isAlone = true
  if (interrupt.release()) return
  createRequire(program)(`./${commandWord(own) === 'mcp' ? 'mcp' : 'main'}.cjs`)
}

/** Where the daemon that may be asked listens, and its home; undefined when none is wanted or can help. */
function whomToAsk(): { home: string; socket: string } | undefined {
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

function ask(home: string, at: string, body: string): void {
  const answer = new Answer({ home, json: own.includes('--json') || own.includes('call'), alone })
  const socket = connect({ path: at })
  interrupt.ask = () => cancel(at)
  const patience = setTimeout(() => {
    handover().isServed = true
    socket.destroy()
  }, CLIENT_WAITS_MS)
  socket.on('connect', () => {
    const length = Buffer.byteLength(body)
    socket.write(
      `POST /v1/command HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
    )
  })
  socket.on('data', (bytes: Buffer) => {
    clearTimeout(patience)
    answer.take(bytes)
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    clearTimeout(patience)
    answer.end()
    interrupt.finish()
  })
}

/** On a connection of its own: the answer to the command says what became of it. */
function cancel(at: string): void {
  const body = JSON.stringify({ id })
  const socket = connect({ path: at })
  socket.on('error', () => {})
  socket.end(
    `POST /v1/cancel HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  socket.resume()
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

/** A hook always comes with something to read. */
const readsInput = (): boolean =>
  own.includes('hook') ||
  (own[0] === 'statusline' && !process.stdin.isTTY) ||
  (own.includes('-') && own.some((word) => READERS.includes(word)))

/** Read here, it cannot be read again: whoever does the work after all finds it where `processIo` looks. */
function standardInput(): Buffer {
  const parts: Buffer[] = []
  for (let part = readStandardInput(); part; part = readStandardInput()) parts.push(part)
  const bytes = Buffer.concat(parts)
  handover().stdin = bytes
  return bytes
}

/** What a command looks at. Everything else is nobody's business. */
function environment(): Record<string, string> {
  const wanted = /^(HOME|PWD|TERM|NO_COLOR|FORCE_COLOR|CI|LANG|LC_.*|TIMEWARP_.*|(CLAUDE|GEMINI)_PROJECT_DIR)$/
  const env = { HOME: homedir(), ...process.env }
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => wanted.test(pair[0])))
}

/** A reader who has gone away is not an error; a full disk is. The program that does the work alone tells of it itself. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (isAlone || error.code === 'EPIPE') return
  process.stderr.write(`Error: The answer could not be written: ${error.message}\n`)
  process.exitCode ||= KINDS.conflict.exit
})

/** Undefined when this process cannot be described. */
function question(): { home: string; socket: string; body: string } | undefined {
  try {
    const whom = whomToAsk()
    return whom && { ...whom, body: request() }
  } catch {
    return undefined
  }
}

const lost = lostWord(argv)
const isWatched = lost === undefined && isToBeWatched(commandWord(own))
const asked = lost === undefined && !isWatched ? question() : undefined
if (lost !== undefined) refuse(new Fault('BAD_INPUT', { problem: lostWordProblem(lost) }), own.includes('--json'))
else if (isWatched) {
  interrupt.release()
  watchOver()
} else if (asked === undefined) alone()
else ask(asked.home, asked.socket, asked.body)
