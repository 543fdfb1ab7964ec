import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { installed, MAJORS, newUser } from './kit.ts'

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  version: string
}

test('an installation brings its own Node', () => {
  const user = newUser(installed.withNode)
  expect(user.timewarp('--version')).toBe(`timewarp ${version}\n`)
  user.timewarp('init')
  user.timewarp('daemon', 'start')
  const { pid } = JSON.parse(user.timewarp('daemon', 'status', '--json')) as { pid: number }
  const node = join(installed.withNode, 'lib/node_modules/timewarp/node_modules/node/bin/node')
  if (existsSync(`/proc/${pid}/cmdline`)) expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]).toBe(node)
})

test('the file holds no sources, tests or compiled code of one machine', () => {
  const root = join(installed.withoutNode, 'lib/node_modules/timewarp')
  for (const name of ['src', 'test', 'bench', 'dist/compile', 'dist/types', 'node_modules/node/bin/node'])
    expect([name, existsSync(join(root, name))]).toEqual([name, false])
})

const GREETING = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
]

describe.each(MAJORS)('with Node %s of the machine', (major) => {
  const user = () => newUser(installed.withoutNode, installed.nodes[major])

  test('this Node is the one that runs', () => {
    expect(user().run('node', ['--version']).stdout).toMatch(`v${major}.`)
  })

  test('a database that another process has locked is waited for', () => {
    const file = join(import.meta.dirname, '../../src/host/database.ts')
    const code = `import { Database } from ${JSON.stringify(file)}
      console.log(new Database(':memory:').get('PRAGMA busy_timeout').timeout)`
    const args = ['--no-warnings', '--experimental-strip-types', '--input-type=module', '-e', code]
    expect(user().run('node', args)).toMatchObject({ stdout: '60000\n', stderr: '' })
  })

  test('version, help, first snapshot, log, restore; with the daemon and without', () => {
    const { timewarp, project } = user()
    expect(timewarp('--version')).toBe(`timewarp ${version}\n`)
    expect(timewarp('--help')).toContain('Usage: timewarp')
    expect(timewarp('init')).toContain(project)
    for (const flags of [['--no-daemon'], []]) {
      writeFileSync(join(project, 'src/main.ts'), `export const port = ${8080 + flags.length}\n`)
      const { snapshot_id } = JSON.parse(timewarp('snapshot', '-m', 'work', '--json', ...flags)) as {
        snapshot_id: string
      }
      expect(timewarp('log', ...flags)).toContain('work')
      rmSync(join(project, 'src'), { recursive: true })
      timewarp('restore', snapshot_id, ...flags)
      expect(readFileSync(join(project, 'src/main.ts'), 'utf8')).toBe(`export const port = ${8080 + flags.length}\n`)
      if (flags.length > 0) timewarp('daemon', 'start')
    }
    expect(JSON.parse(timewarp('fsck', '--json'))).toMatchObject({ ok: true })
  })

  test('bash completes the commands', () => {
    const script = `eval "$(timewarp completion bash)"; COMP_WORDS=(timewarp snap) COMP_CWORD=1; _timewarp; echo "\${COMPREPLY[@]}"`
    expect(user().run('bash', ['--norc', '-c', script])).toMatchObject({ stdout: 'snapshot\n', stderr: '' })
  })

  test.skipIf(spawnSync('zsh', ['--version']).status !== 0)('zsh takes the completion', () => {
    const script =
      'autoload -U compinit && compinit -u -D && eval "$(timewarp completion zsh)" && echo ${_comps[timewarp]}'
    expect(user().run('zsh', ['-f', '-c', script])).toMatchObject({ stdout: '_timewarp\n', stderr: '' })
  })

  test('a guard is installed, records a command through its hook, and is removed without a trace', () => {
    const { home, project, run, timewarp } = user()
    timewarp('init')
    timewarp('guard', 'install', 'claude')
    const settings = readFileSync(join(home, '.claude/settings.json'), 'utf8')
    expect(settings).toContain(join(installed.withoutNode, 'lib/node_modules/timewarp/bin/timewarp-hook'))
    expect(timewarp('guard', 'status')).toMatch(/claude/)
    const hook = (event: string, more: object): void => {
      const payload = { session_id: 'one', cwd: project, hook_event_name: event, tool_use_id: 'call', ...more }
      const command = { tool_name: 'Bash', tool_input: { command: 'sed -i s/80/81/ src/main.ts' } }
      const ran = run('timewarp-hook', ['claude'], JSON.stringify({ ...payload, ...command }))
      expect([ran.status, ran.stderr]).toEqual([0, ''])
    }
    hook('PreToolUse', {})
    writeFileSync(join(project, 'src/main.ts'), 'export const port = 81\n')
    hook('PostToolUse', { tool_response: { stdout: '', stderr: '' } })
    timewarp('snapshot')
    const { snapshots } = JSON.parse(timewarp('log', '--json')) as {
      snapshots: { tool: string; affected_files: string[] }[]
    }
    expect(snapshots).toContainEqual(expect.objectContaining({ tool: 'Bash', affected_files: ['src/main.ts'] }))
    timewarp('guard', 'remove', 'claude')
    expect(existsSync(join(home, '.claude/settings.json'))).toBe(false)
  })

  test('the MCP server answers initialize and tools/list', () => {
    const { run } = user()
    const input = GREETING.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('')
    const { status, stdout } = run('timewarp', ['mcp'], input)
    const [hello, list] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(status).toBe(0)
    expect(hello.result.serverInfo).toMatchObject({ name: 'timewarp', version })
    const names = (list.result.tools as { name: string }[]).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['snapshot', 'restore', 'undo']))
  })
})
