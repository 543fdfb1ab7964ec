import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { type ClientName, clientProgram } from '../../scripts/clients.ts'
import type { Script } from './model.ts'
import type { Actor, Plan, Played, Result } from './stage.ts'

export const REPOSITORY = resolve(import.meta.dirname, '../..')
export const TIMEWARP = join(REPOSITORY, 'bin/timewarp')

// Answers are looked at field by field.
// oxlint-disable-next-line typescript/no-explicit-any
type Output = any

type Agent = Exclude<ClientName, 'inspector'>

/** Everything a client may touch, in a folder of its own: its settings, a store, and a workspace. */
export class Theatre {
  readonly dir: string
  readonly ws: string
  readonly store: string
  readonly user: string

  constructor(dir = realpathSync(mkdtempSync(join(tmpdir(), 'timewarp-clients-')))) {
    this.dir = dir
    this.ws = join(dir, 'ws')
    this.store = join(dir, 'store')
    this.user = join(dir, 'user')
    for (const folder of [this.ws, this.user]) mkdirSync(folder, { recursive: true })
    for (const [path, content] of Object.entries(SETTINGS)) this.write(join(this.user, path), content)
  }

  write(path: string, content: string): void {
    mkdirSync(dirname(resolve(this.ws, path)), { recursive: true })
    writeFileSync(resolve(this.ws, path), content)
  }

  read(path: string): string {
    return readFileSync(resolve(this.ws, path), 'utf8')
  }

  /** What all programs here see, and nothing of what the tests see. */
  get env(): Record<string, string> {
    return {
      PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
      HOME: this.user,
      TIMEWARP_HOME: this.store,
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      SHELL: '/bin/bash',
      USER: 'someone',
      CLAUDE_CONFIG_DIR: join(this.user, 'claude'),
      CODEX_HOME: join(this.user, 'codex'),
      ...Object.fromEntries(
        ['CONFIG', 'DATA', 'CACHE', 'STATE'].map((kind) => [`XDG_${kind}_HOME`, join(this.user, 'xdg', kind)]),
      ),
    }
  }

  /** A command of Timewarp; its answer. By itself, so that it leaves no daemon behind that nobody ends. */
  tw(...args: string[]): Output {
    const { stdout, stderr } = spawnSync(TIMEWARP, ['-C', this.ws, '--json', ...args], {
      cwd: this.dir,
      env: { ...this.env, TIMEWARP_DAEMON: 'off' },
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    })
    if (stdout === '') throw new Error(`timewarp ${args.join(' ')}: ${stderr}`)
    return JSON.parse(stdout)
  }

  /** A tool, by the daemon if there is one: starting a program for each call takes its time. */
  call(tool: string, input: object = {}): Promise<Output> {
    const body = JSON.stringify({ workspace: this.ws, ...input })
    return new Promise((resolve) => {
      const asked = request(
        {
          socketPath: join(this.store, 'daemon.sock'),
          method: 'POST',
          path: `/v1/call/${tool}`,
          headers: { 'Content-Type': 'application/json' },
        },
        (answer) => {
          const parts: Buffer[] = []
          answer.on('data', (bytes: Buffer) => parts.push(bytes))
          answer.on('end', () => resolve(JSON.parse(Buffer.concat(parts).toString())))
        },
      )
      asked.on('error', () => resolve(this.tw('call', tool, body)))
      asked.end(body)
    })
  }

  /** All snapshots with their causes, the oldest first. */
  async timeline(): Promise<Output[]> {
    const found: Output[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await this.call('get_edit_history', { limit: 100, ...(cursor ? { cursor } : {}) })
      found.push(...page.snapshots)
      cursor = page.pagination.next_cursor ?? undefined
      if (cursor === undefined) break
    }
    const all: Output[] = []
    for (const { snapshot_id } of found.reverse()) all.push(await this.call('show', { snapshot_id }))
    return all
  }

  guard(client: Agent): void {
    this.tw('guard', 'install', client)
  }

  actor(client: Agent, prompt: string, more: Partial<Actor> & { flags?: readonly string[] } = {}): Actor {
    const { args, env } = ACTORS[client](this, prompt)
    const { flags = [], ...rest } = more
    return {
      program: clientProgram(client) ?? client,
      cwd: this.ws,
      ...rest,
      args: rest.args ?? [...args, ...flags],
      env: { ...this.env, ...env, ...rest.env },
    }
  }

  /** Lets clients play against a scripted model, all at once, in a network of their own. */
  async play(script: Script, ...actors: Actor[]): Promise<Result & { readonly first: Played }> {
    const codex = join(this.user, 'codex/config.toml')
    const plan: Plan = { script, actors, files: { [codex]: CODEX_CONFIG } }
    const [planFile, resultFile] = [join(this.dir, 'plan.json'), join(this.dir, 'result.json')]
    writeFileSync(planFile, JSON.stringify(plan))
    rmSync(resultFile, { force: true })
    const words = [process.execPath, join(import.meta.dirname, 'stage.ts'), planFile, resultFile]
    const [program = '', ...args] = [...isolation(), ...words]
    const child = spawn(program, args, { cwd: this.dir, env: this.env, stdio: ['ignore', 'inherit', 'inherit'] })
    await new Promise((done) => child.on('close', done))
    const result = JSON.parse(readFileSync(resultFile, 'utf8')) as Result
    return { ...result, first: result.played[0] as Played }
  }

  close(): void {
    spawnSync(TIMEWARP, ['daemon', 'stop'], { env: this.env })
    if (process.env['TIMEWARP_TEST_KEEP'] === '1') process.stderr.write(`Kept: ${this.dir}\n`)
    else rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** A theatre that is torn down when the test is over. */
export function newTheatre(files: Readonly<Record<string, string>> = {}): Theatre {
  const theatre = new Theatre()
  onTestFinished(() => theatre.close())
  for (const [path, content] of Object.entries(files)) theatre.write(path, content)
  return theatre
}

let prefix: readonly string[] | undefined

/** The words that put a program into a network with nothing but itself; none where the system does not allow it. */
function isolation(): readonly string[] {
  prefix ??= (
    [
      ['unshare', '-n'],
      ['unshare', '-rn'],
    ] as const
  )
    .map((words) => [...words, '--', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'])
    .find((words) => {
      try {
        execFileSync(words[0] ?? '', [...words.slice(1), 'true'], { stdio: 'ignore' })
        return true
      } catch {
        return false
      }
    })
  return prefix ?? []
}

const MODEL = 'http://127.0.0.1:@PORT@'

const ACTORS: Readonly<
  Record<Agent, (theatre: Theatre, prompt: string) => { args: string[]; env: Record<string, string> }>
> = {
  claude: (_, prompt) => ({
    args: ['-p', prompt, '--permission-mode', 'acceptEdits', '--allowedTools', 'Bash', 'mcp__mini'],
    env: {
      ANTHROPIC_BASE_URL: MODEL,
      ANTHROPIC_API_KEY: 'none',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  }),
  opencode: (_, prompt) => ({
    args: ['run', '--format', 'json', prompt],
    env: {
      MODEL_ADDRESS: `${MODEL}/v1`,
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_DISABLE_SHARE: '1',
    },
  }),
  codex: (_, prompt) => ({
    args: [
      'exec',
      '-m',
      'gpt-5.5',
      '--skip-git-repo-check',
      // Hooks have to be trusted by a person, who is not here.
      '--dangerously-bypass-hook-trust',
      '--json',
      prompt,
    ],
    env: { MODEL_KEY: 'none' },
  }),
  gemini: (_, prompt) => ({
    args: ['-p', prompt, '--yolo', '-m', 'gemini-2.5-flash', '-o', 'stream-json'],
    env: {
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: MODEL,
      GEMINI_TELEMETRY_ENABLED: 'false',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      NO_BROWSER: '1',
    },
  }),
}

const CODEX_CONFIG = `model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[features]
plugins = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "${MODEL}/v1"
wire_api = "responses"
env_key = "MODEL_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
`

/** What a person would have set before; opencode would fetch its plugin package if it found none. */
const SETTINGS: Readonly<Record<string, string>> = {
  '.gemini/settings.json': `${JSON.stringify(
    {
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
    },
    null,
    2,
  )}\n`,
  'xdg/CONFIG/opencode/node_modules/.keep': '',
  'xdg/CONFIG/opencode/package-lock.json':
    '{"lockfileVersion":3,"packages":{"":{"dependencies":{"@opencode-ai/plugin":"*"}}}}',
  'xdg/CONFIG/opencode/opencode.json': JSON.stringify({
    model: 'scripted/scripted',
    small_model: 'scripted/scripted',
    autoupdate: false,
    share: 'disabled',
    snapshot: false,
    enabled_providers: ['scripted'],
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Scripted',
        options: { baseURL: '{env:MODEL_ADDRESS}', apiKey: 'none' },
        models: { scripted: { name: 'Scripted', tool_call: true, limit: { context: 128000, output: 8000 } } },
      },
    },
    permission: { edit: 'allow', bash: 'allow', webfetch: 'allow' },
  }),
}
