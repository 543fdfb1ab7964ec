import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Runs what most people run, once, and keeps in dist/compile what Node made of the code: the first command of a new store
 * starts as quickly as any other. Node keeps it per program, as the first process that loads one leaves it; so each run
 * here is one that uses much. What does not fit another Node, or another machine, is passed over there.
 */

const ROOT = join(import.meta.dirname, '..')
/** So many folders that threads help. */
const FOLDERS = 600

const temp = mkdtempSync(join(tmpdir(), 'timewarp-compile-'))
const workspace = join(temp, 'workspace')

function timewarp(daemon: 'on' | 'off', ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(join(ROOT, 'bin/timewarp'), args, {
    cwd: workspace,
    encoding: 'utf8',
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: join(ROOT, 'dist/compile'),
      NODE_COMPILE_CACHE_PORTABLE: '1',
      TIMEWARP_HOME: join(temp, 'home'),
      TIMEWARP_DAEMON: daemon,
    },
  })
  if (status !== 0) throw new Error(`timewarp ${args.join(' ')}: ${stderr}`)
}

try {
  mkdirSync(workspace)
  timewarp('off', 'demo')
  for (let i = 0; i < FOLDERS; i++) {
    mkdirSync(join(workspace, `${i}`))
    writeFileSync(join(workspace, `${i}`, 'file'), `${i}\n`)
  }
  timewarp('off', 'snapshot')
  for (const name of readdirSync(workspace)) if (/^\d/.test(name)) rmSync(join(workspace, name), { recursive: true })
  timewarp('off', 'restore', 'latest')
  timewarp('on', 'daemon', 'start')
  writeFileSync(join(workspace, '0', 'file'), 'changed\n')
  timewarp('on', 'snapshot')
  timewarp('on', 'undo')
  timewarp('on', 'daemon', 'stop')
} finally {
  rmSync(temp, { recursive: true, force: true, maxRetries: 5 })
}
