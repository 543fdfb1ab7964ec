import { spawnSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { bytesFromName, nameFromBytes } from '../../src/base/quote.ts'
import { gitEnvironment } from '../kit/git.ts'
import type { Files, Node } from './changes.ts'

export const LINK = 0o120000
const EVEN_IF_DIFFERENT = new Set([0, 1])

/** An empty folder, gone when the test is over. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'timewarp-diff-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

// Nobody's home: git finds no settings there.
const env = gitEnvironment(join(tmpdir(), 'timewarp-no-home'))

export interface Ran {
  readonly status: number | null
  readonly stdout: Buffer
  readonly stderr: string
}

export function run(cwd: string, command: string, args: readonly string[], input: Uint8Array | string = ''): Ran {
  const ran = spawnSync(command, args, { cwd, env, input, maxBuffer: 2 ** 29, stdio: 'pipe' })
  if (ran.error) throw ran.error
  return { status: ran.status, stdout: ran.stdout, stderr: ran.stderr.toString('latin1') }
}

/** Runs git and takes nothing but success. */
export function git(cwd: string, args: readonly string[], input: Uint8Array | string = ''): Buffer {
  const { status, stdout, stderr } = run(cwd, 'git', args, input)
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout
}

/** What a diff program prints; it exits with 1 when there are differences. */
export function differences(cwd: string, command: string, args: readonly string[]): Buffer {
  const { status, stdout, stderr } = run(cwd, command, args)
  if (!EVEN_IF_DIFFERENT.has(status ?? -1)) throw new Error(`${command} ${args.join(' ')}: ${stderr}`)
  return stdout
}

const pathIn = (folder: string, name: string): Buffer => Buffer.concat([Buffer.from(`${folder}/`), bytesFromName(name)])

export function writeFiles(folder: string, files: Files): void {
  for (const [name, { mode, bytes }] of files) {
    mkdirSync(join(folder, dirname(name)), { recursive: true })
    if (mode === LINK) symlinkSync(Buffer.from(bytes), pathIn(folder, name))
    else writeFileSync(pathIn(folder, name), bytes, { mode: mode & 0o777 })
  }
}

export function readFiles(folder: string, prefix = ''): Map<string, Node> {
  const files = new Map<string, Node>()
  for (const entry of readdirSync(join(folder, prefix), { withFileTypes: true, encoding: 'buffer' })) {
    const name = prefix + nameFromBytes(entry.name)
    if (name === '.git') continue
    if (entry.isDirectory()) for (const [inner, node] of readFiles(folder, `${name}/`)) files.set(inner, node)
    else files.set(name, readNode(pathIn(folder, name)))
  }
  return files
}

function readNode(path: Buffer): Node {
  const { mode } = lstatSync(path)
  if ((mode & 0o170000) === LINK) return { mode: LINK, bytes: readlinkSync(path, { encoding: 'buffer' }) }
  return { mode: mode & 0o100 ? 0o100755 : 0o100644, bytes: readFileSync(path) }
}

/** Makes `files` the work tree of the repository `folder`. Returns the id of the tree. */
export function storeTree(folder: string, files: Files): string {
  git(folder, ['rm', '-rfq', '--ignore-unmatch', '.'])
  writeFiles(folder, files)
  git(folder, ['-c', 'core.fsync=none', '-c', 'core.looseCompression=0', 'add', '-A'])
  return git(folder, ['write-tree']).toString().trim()
}
