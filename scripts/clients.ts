import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Outside clients that Timewarp is tested with, each at the version that was checked. They are no dependencies: they are
 * installed into a cache folder, by `npm run clients -- NAME…` (or `--all`), and never changed once they are there.
 */

interface Client {
  readonly package: string
  readonly version: string
  /** The command that the package brings. */
  readonly command: string
}

const TABLE = {
  inspector: { package: '@modelcontextprotocol/inspector', version: '2.12.0', command: 'mcp-inspector' },
  claude: { package: '@anthropic-ai/claude-code', version: '2.1.325', command: 'claude' },
  opencode: { package: 'opencode-ai', version: '1.18.33', command: 'opencode' },
  codex: { package: '@openai/codex', version: '0.166.0', command: 'codex' },
  gemini: { package: '@google/gemini-cli', version: '0.61.0', command: 'gemini' },
} as const satisfies Record<string, Client>
export type ClientName = keyof typeof TABLE

export const CLIENTS: Readonly<Record<ClientName, Client>> = TABLE
export const CLIENT_NAMES = Object.keys(TABLE) as ClientName[]

const cacheFolder = (): string => join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'timewarp-clients')

const folderOf = (name: ClientName): string => join(cacheFolder(), `${name}-${CLIENTS[name].version}`)

const commandIn = (folder: string, name: ClientName): string =>
  join(folder, 'node_modules', '.bin', CLIENTS[name].command)

/** The file that starts a client; undefined when it is not installed. */
export function clientProgram(name: ClientName): string | undefined {
  const file = commandIn(folderOf(name), name)
  return existsSync(file) ? file : undefined
}

/** How to get a client that is missing. */
export const howToGet = (name: ClientName): string =>
  `${CLIENTS[name].package}@${CLIENTS[name].version} is not installed. Get it with: npm run clients -- ${name}`

/** Installs into a folder of its own, which gets its name when it is complete: half a client is none. */
function install(name: ClientName): void {
  const folder = folderOf(name)
  const draft = `${folder}.draft-${process.pid}`
  mkdirSync(draft, { recursive: true })
  try {
    writeFileSync(join(draft, 'package.json'), '{ "private": true }\n')
    const what = `${CLIENTS[name].package}@${CLIENTS[name].version}`
    const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--save-exact', what], {
      cwd: draft,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    if (status !== 0 || !existsSync(commandIn(draft, name))) throw new Error(`npm could not install ${what}`)
    rmSync(folder, { recursive: true, force: true })
    renameSync(draft, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

function main(words: readonly string[]): number {
  const unknown = words.filter((word) => word !== '--all' && !Object.hasOwn(TABLE, word))
  if (unknown.length > 0 || words.length === 0) {
    process.stderr.write(`Usage: npm run clients -- NAME… | --all\nNames: ${CLIENT_NAMES.join(', ')}\n`)
    return 2
  }
  const wanted = words.includes('--all') ? CLIENT_NAMES : (words as ClientName[])
  for (const name of wanted) {
    if (clientProgram(name) === undefined) install(name)
    process.stdout.write(`${name}: ${clientProgram(name)}\n`)
  }
  return 0
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2))
