import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { pack } from '../../scripts/pack.ts'

/** The oldest Node that `engines` allows, and a later one; the newest is the one that runs the tests. */
const OLDER = { 22: '22.15.0', 24: '24.21.0' } as const

/** What the tests are given: folders, all below one that is removed afterwards. */
export interface Installed {
  /** Prefix of a global installation whose install scripts ran: it has a Node of its own. */
  readonly withNode: string
  /** Prefix of one whose install scripts did not run: it needs the machine's Node. */
  readonly withoutNode: string
  /** A project that depends on the package. */
  readonly consumer: string
  /** Folders with a program `node`, by major version. */
  readonly nodes: Readonly<Record<string, string>>
}

declare module 'vitest' {
  interface ProvidedContext {
    installed: Installed
  }
}

function npm(cwd: string, ...args: string[]): void {
  const { status, stderr } = spawnSync('npm', [...args, '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed: ${stderr}`)
}

function project(folder: string, content: object): string {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...content }))
  return folder
}

function installNodes(dir: string): Record<string, string> {
  const folder = project(join(dir, 'nodes'), { allowScripts: { node: true } })
  const names = Object.entries(OLDER).map(([major, version]) => [major, `node${major}@npm:node@${version}`])
  npm(folder, 'install', ...names.map(([, name = '']) => name))
  const own = join(folder, 'own')
  mkdirSync(own)
  symlinkSync(process.execPath, join(own, 'node'))
  const older = Object.keys(OLDER).map((major) => [major, join(folder, 'node_modules', `node${major}`, 'bin')])
  return { ...Object.fromEntries(older), 26: own }
}

/** Packs what is built and installs the file, as a user would. */
export default function setup({ provide }: TestProject): () => void {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'timewarp-package-')))
  const tarball = pack(dir)
  const withNode = join(dir, 'with-node')
  const withoutNode = join(dir, 'without-node')
  const consumer = project(join(dir, 'consumer'), { name: 'consumer' })
  npm(dirname(tarball), 'install', '-g', '--prefix', withNode, tarball)
  npm(dirname(tarball), 'install', '-g', '--ignore-scripts', '--prefix', withoutNode, tarball)
  npm(consumer, 'install', '--ignore-scripts', tarball)
  provide('installed', { withNode, withoutNode, consumer, nodes: installNodes(dir) })
  return () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
}
