import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Runs what most people run, once, and keeps in dist/compile what Node made of the code: the first command of a new store
 * starts as quickly as any other. Node keeps what it compiles when it loads a program; of those that do the work,
 * `loadProgram` keeps what has run, too, run after run. What does not fit another Node, or another machine, is passed
 * over there.
 */

const ROOT = join(import.meta.dirname, '..')
/** So many folders that threads help. */
const FOLDERS = 600

const temp = mkdtempSync(join(tmpdir(), 'timewarp-compile-'))
const workspace = join(temp, 'workspace')

interface Setting {
  readonly env: Readonly<Record<string, string>>
  readonly input?: string
}

function timewarp({ env, input = '' }: Setting, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(join(ROOT, 'bin/timewarp'), args, {
    cwd: workspace,
    input,
    encoding: 'utf8',
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: join(ROOT, 'dist/compile'),
      NODE_COMPILE_CACHE_PORTABLE: '1',
      TIMEWARP_HOME: join(temp, 'home'),
      ...env,
    },
  })
  if (status !== 0) throw new Error(`timewarp ${args.join(' ')}: ${stderr}`)
}

const KEEPING = { env: { TIMEWARP_DAEMON: 'off', TIMEWARP_KEEP_COMPILED: 'yes' } }
const ALONE = { env: { TIMEWARP_DAEMON: 'off' } }
const SERVED = { env: { TIMEWARP_DAEMON: 'on' } }

/** What an agent says first. */
const GREETING = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'build', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
  { id: 3, method: 'tools/call', params: { name: 'status', arguments: {} } },
].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

const write = (folder: number, text: string): void => {
  mkdirSync(join(workspace, `${folder}`), { recursive: true })
  writeFileSync(join(workspace, `${folder}`, 'file'), text)
}
const each = (act: (folder: number) => void): void => {
  for (let folder = 0; folder < FOLDERS; folder++) act(folder)
}

try {
  mkdirSync(workspace)
  timewarp(KEEPING, 'demo')
  each((folder) => write(folder, `${folder}\n`))
  timewarp(KEEPING, 'snapshot')
  timewarp(KEEPING, 'snapshot')
  for (let folder = 0; folder < FOLDERS; folder += 30) write(folder, 'changed\n')
  timewarp(KEEPING, 'status')
  timewarp(KEEPING, 'diff', 'latest')
  timewarp(KEEPING, 'restore', 'latest')
  each((folder) => rmSync(join(workspace, `${folder}`), { recursive: true }))
  timewarp(KEEPING, 'restore', 'latest')
  timewarp(KEEPING, 'log')
  timewarp({ ...KEEPING, input: GREETING.join('') }, 'mcp')
  const kept = readdirSync(join(ROOT, 'dist/compile')).filter((name) => name.endsWith('.kept'))
  if (kept.length !== 2) throw new Error(`Only this was kept of what was compiled: ${kept.join(', ')}`)
  // Threads of a first look are started with flags of their own.
  timewarp(ALONE, '--home', join(temp, 'other'), 'snapshot')
  timewarp(ALONE, 'snapshot')
  timewarp(SERVED, 'daemon', 'start')
  write(0, 'changed\n')
  timewarp(SERVED, 'snapshot')
  timewarp(SERVED, 'undo')
  timewarp(SERVED, 'daemon', 'stop')
} finally {
  rmSync(temp, { recursive: true, force: true, maxRetries: 5 })
}
