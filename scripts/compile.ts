import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Runs the commonest commands once with Node's compile cache in dist/compile: the first command of a new store then starts
 * as quickly as any other. Another version of Node ignores what does not fit it.
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
  timewarp(ALONE, 'demo')
  each((folder) => write(folder, `${folder}\n`))
  timewarp(ALONE, 'snapshot')
  timewarp(ALONE, 'snapshot')
  for (let folder = 0; folder < FOLDERS; folder += 30) write(folder, 'changed\n')
  timewarp(ALONE, 'status')
  timewarp(ALONE, 'diff', 'latest')
  timewarp(ALONE, 'restore', 'latest')
  each((folder) => rmSync(join(workspace, `${folder}`), { recursive: true }))
  timewarp(ALONE, 'restore', 'latest')
  timewarp(ALONE, 'log')
  timewarp({ ...ALONE, input: GREETING.join('') }, 'mcp')
  timewarp(SERVED, 'daemon', 'start')
  write(0, 'changed\n')
  timewarp(SERVED, 'snapshot')
  timewarp(SERVED, 'undo')
  timewarp(SERVED, 'daemon', 'stop')
} finally {
  rmSync(temp, { recursive: true, force: true, maxRetries: 5 })
}
