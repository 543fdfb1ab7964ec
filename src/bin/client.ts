import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { buildOf, buildText } from '../daemon/build.ts'
import { socketOf } from '../daemon/place.ts'
import { Answer } from './answer.ts'
import { STDIN } from './stdin.ts'

/**
 * The program that people start. It asks the daemon, which is ready, and does the work itself when there is
 * none. It loads next to nothing, so that a command takes little longer than starting Node.
 */

const argv = process.argv.slice(2)
const program = process.argv[1] ?? ''

/** Does the work in this process. */
const alone = (): unknown => createRequire(program)('./main.cjs')

/** The home whose daemon may be asked; undefined when the daemon is not wanted or cannot help. */
function homeToAsk(): string | undefined {
  const { env } = process
  const own = argv.slice(0, [...argv, '--'].indexOf('--'))
  if (own.includes('--no-daemon') || /^(off|no|false|0)$/i.test(env['TIMEWARP_DAEMON'] ?? '')) return undefined
  if (own.length === 0 || own.includes('--help') || own.includes('-h') || own.includes('--version')) return undefined
  const named = flag(own, '--home') || env['TIMEWARP_HOME']
  if (named) return resolve(named)
  return env['HOME'] ? join(env['HOME'], '.timewarp') : undefined
}

function flag(words: readonly string[], name: string): string | undefined {
  const at = words.findIndex((word) => word === name || word.startsWith(`${name}=`))
  return at === -1 ? undefined : words[at] === name ? words[at + 1] : words[at]?.slice(name.length + 1)
}

function ask(at: string): void {
  const body = request()
  if (body === undefined) return void alone()
  const socket = connect({ path: socketOf(at, process.env) })
  const answer = new Answer(at, argv.includes('--json'), alone)
  socket.on('connect', () => {
    const length = Buffer.byteLength(body)
    socket.write(
      `POST /v1/command HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
    )
  })
  socket.on('data', (bytes: Buffer) => answer.take(bytes))
  socket.on('error', () => {})
  socket.on('close', () => answer.end())
}

/** Undefined when this process cannot be described, such as one whose folder is gone. */
function request(): string | undefined {
  try {
    return JSON.stringify({
      argv,
      cwd: process.cwd(),
      env: environment(),
      ...(argv.includes('-') ? { stdin_base64: standardInput().toString('base64') } : {}),
      out_is_terminal: process.stdout.isTTY === true,
      err_is_terminal: process.stderr.isTTY === true,
      columns: process.stderr.columns || 80,
      build: buildText(buildOf(program)),
    })
  } catch {
    return undefined
  }
}

/** Read here, it cannot be read again: whoever does the work after all finds it where `processIo` looks. */
function standardInput(): Buffer {
  const bytes = readFileSync(0)
  Object.assign(globalThis, { [STDIN]: bytes })
  return bytes
}

/** What a command looks at. Everything else is nobody's business. */
function environment(): Record<string, string> {
  const wanted = /^(HOME|PWD|TERM|NO_COLOR|FORCE_COLOR|CI|LANG|LC_.*|TIMEWARP_.*)$/
  return Object.fromEntries(
    Object.entries(process.env).filter((pair): pair is [string, string] => wanted.test(pair[0])),
  )
}

// A reader who has gone away is not an error.
process.stdout.on('error', () => {})

const home = homeToAsk()
if (home === undefined) alone()
else ask(home)
