import { execFileSync, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { installShell } from '../../src/guards/install/shell.ts'
import { newWorkspace, type Workspace } from '../kit/workspace.ts'

/** Real shells, as people have them: interactive, with a start-up file of their own. */

const LAUNCHER = resolve(import.meta.dirname, '../../bin/timewarp')
const hasZsh = spawnSync('zsh', ['--version']).status === 0
const SHELLS = hasZsh ? (['bash', 'zsh'] as const) : (['bash'] as const)
type Shell = 'bash' | 'zsh'
const RC = { bash: '.bashrc', zsh: '.zshrc' } as const

test('where everything is tested, there is a zsh', () => {
  expect(hasZsh || process.env['TIMEWARP_CI'] === undefined).toBe(true)
})

class Person {
  readonly ws: Workspace
  readonly shell: Shell
  readonly user: string

  constructor(ws: Workspace, shell: Shell, rc = '') {
    this.ws = ws
    this.shell = shell
    this.user = join(ws.temp, 'user')
    fs.mkdirSync(this.user, { recursive: true })
    fs.writeFileSync(this.rcFile, rc)
  }

  get rcFile(): string {
    return join(this.user, RC[this.shell])
  }

  async install(): Promise<void> {
    const { exit, stderr } = await this.ws.tw(['guard', 'install', 'shell', '--shell', this.shell])
    expect(exit, stderr).toBe(0)
  }

  /** The guard calls this instead of Timewarp; each call is a line of the answer of `calls`. */
  replaceProgram(body: string): void {
    const fake = join(this.ws.temp, 'fake')
    fs.writeFileSync(fake, `#!/bin/sh\necho $* >> ${join(this.ws.temp, 'calls')}\n${body}\n`, { mode: 0o755 })
    const script = join(this.ws.home, 'shell', `guard.${this.shell}`)
    const text = fs.readFileSync(script, 'utf8')
    fs.writeFileSync(
      script,
      text.replace(/^__timewarp_program=.*$/m, () => `__timewarp_program='${fake}'`),
    )
  }

  calls(): string[] {
    const file = join(this.ws.temp, 'calls')
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n') : []
  }

  /** Types lines and gives what was printed. */
  types(lines: readonly string[], cwd = this.ws.root): string {
    const { stdout, stderr } = spawnSync(this.shell, ['-i'], {
      cwd,
      env: { ...this.env },
      input: [...lines, 'exit', ''].join('\n'),
      encoding: 'utf8',
    })
    return stdout + stderr
  }

  get env(): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: this.user,
      TIMEWARP_HOME: this.ws.home,
      TIMEWARP_DAEMON: 'off',
      TERM: 'dumb',
      HISTFILE: join(this.user, 'history'),
    }
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- the shape is the log's
  async log(): Promise<any[]> {
    return (await this.ws.tw(['log', '--json'])).json.snapshots
  }
}

async function guarded(shell: Shell, rc = ''): Promise<Person> {
  const ws = newWorkspace()
  ws.write({ a: 'first\n', 'sub/b': 'second\n' })
  const person = new Person(ws, shell, rc)
  await ws.call('workspace_init', {})
  await ws.close()
  installShell({ shell, home: ws.home, env: { HOME: person.user }, program: LAUNCHER })
  return person
}

describe.each(SHELLS)('%s', (shell) => {
  test('before and after a command that changes files there is a snapshot', async () => {
    const person = await guarded(shell)
    person.types(['rm a'])
    expect(person.ws.has('a')).toBe(false)
    const [after, before] = await person.log()
    expect(after).toMatchObject({
      source: 'shell-guard',
      tool: 'rm',
      affected_files: ['a'],
      tool_params: { command: 'rm a' },
    })
    expect(before).toMatchObject({ source: 'shell-guard', label: 'shell-pre-rm', description: 'rm a' })
    expect(after.session_id).toMatch(/^shell-/)
    await person.ws.tw(['restore', before.snapshot_id])
    expect(person.ws.read('a')).toBe('first\n')
  })

  test('a folder below, several commands, aliases', async () => {
    const person = await guarded(shell, "alias zap='rm -f'\n")
    person.types(['cd sub', 'zap b', 'cd ..', 'echo x > c && mv c d'])
    const tools = (await person.log())
      .filter(({ tool }) => tool !== null)
      .map(({ tool, affected_files }) => [tool, affected_files])
    expect(tools).toEqual([
      [expect.stringMatching(/echo|mv/), ['d']],
      ['rm', ['sub/b']],
    ])
  })

  test('what only reads is not told of, or changes nothing', async () => {
    const person = await guarded(shell)
    person.replaceProgram('echo harmless')
    person.types([
      'ls',
      'ls -la sub',
      'cd sub',
      'cd ..',
      'pwd',
      'cat a',
      'git status',
      'git log -3',
      'echo hi',
      'grep x a',
    ])
    expect(person.calls()).toEqual([])
    person.types(['cat a > b', 'ls; rm a', 'git diff --output=x', 'find . -name a'])
    expect(person.calls()).toHaveLength(4)
    expect(person.calls().every((line) => line.includes('shell-event pre'))).toBe(true)
  })

  test('what Timewarp judges harmless leaves no snapshot', async () => {
    const person = await guarded(shell)
    const before = await person.log()
    person.types(['find . -name a', 'sed -n 1p a', 'jq --version'])
    expect(await person.log()).toEqual(before)
  })

  test('a program that fails, answers nonsense or is gone stops nothing', async () => {
    const person = await guarded(shell)
    for (const body of ['exit 70', 'echo "$(head -c 9999 /dev/zero | tr \\\\0 x)"', 'kill -9 $$']) {
      person.replaceProgram(body)
      expect(person.types(['touch made && echo code $?'])).toContain('code 0')
    }
    fs.rmSync(join(person.ws.temp, 'fake'))
    expect(person.types(['rm a; echo code $?'])).toContain('code 0')
    expect(person.ws.has('a')).toBe(false)
  })

  test('a program that hangs is waited for two seconds', async () => {
    const person = await guarded(shell)
    person.replaceProgram('exec sleep 60')
    const began = performance.now()
    person.types(['rm a'])
    expect(performance.now() - began).toBeLessThan(15_000)
    expect(person.ws.has('a')).toBe(false)
  })

  test('a folder that is no workspace is left one', async () => {
    const person = await guarded(shell)
    const other = join(person.ws.temp, 'other')
    fs.mkdirSync(other)
    person.types(['touch x', 'rm x'], other)
    const { json } = await person.ws.tw(['workspaces', '--json'])
    expect(json.workspaces.map(({ root }: { root: string }) => root)).toEqual([person.ws.root])
  })

  test('in a folder that is no workspace it asks once', async () => {
    const person = await guarded(shell)
    person.replaceProgram('echo elsewhere')
    person.types(['touch x', 'touch y', 'touch z', 'cd sub', 'touch w'])
    expect(person.calls()).toHaveLength(2)
  })

  test('before the store is deleted, a word of warning', async () => {
    const person = await guarded(shell)
    person.replaceProgram('echo watched store')
    expect(person.types(['rm a'])).toContain('would delete its store')
  })

  test('the exit status of a command is the one its prompt sees', async () => {
    const person = await guarded(shell)
    person.replaceProgram('echo watched')
    const said = person.types(['(rm a; exit 7)', 'echo "status $?"'])
    expect(said).toContain('status 7')
    expect(person.calls().map((line) => line.split(' ')[3])).toEqual(['pre', 'post', 'pre', 'post'])
  })

  test('taking it out leaves the start-up file as it was, also through a link', async () => {
    const ws = newWorkspace()
    const rc = 'export A=1\n\n# no newline at the end'
    const person = new Person(ws, shell)
    const real = join(person.user, 'dotfiles')
    fs.writeFileSync(real, rc, { mode: 0o640 })
    fs.rmSync(person.rcFile)
    fs.symlinkSync(real, person.rcFile)
    await person.install()
    await person.install()
    expect((await ws.tw(['guard', 'status', '--json'])).json.guards).toContainEqual(
      expect.objectContaining({ client: 'shell', shell, state: 'installed', file: person.rcFile }),
    )
    expect(fs.readFileSync(real, 'utf8')).not.toBe(rc)
    await ws.tw(['guard', 'remove', 'shell', '--shell', shell])
    expect(fs.readFileSync(real, 'utf8')).toBe(rc)
    expect(fs.statSync(real).mode & 0o777).toBe(0o640)
    expect(fs.lstatSync(person.rcFile).isSymbolicLink()).toBe(true)
    expect((await ws.tw(['guard', 'remove', 'shell'])).stdout).toContain('There was no guard')
  })

  test('on a terminal', async () => {
    const person = await guarded(shell)
    execFileSync('script', ['-q', '-e', '-c', `${shell} -i`, '/dev/null'], {
      cwd: person.ws.root,
      env: person.env,
      input: 'rm a\nexit\n',
    })
    expect((await person.log())[0]).toMatchObject({ tool: 'rm', affected_files: ['a'] })
  })
})

describe('what a person did in their only shell', () => {
  const git = ['git init -q', 'git config user.email a@b', 'git config user.name A', 'git add -A', 'git commit -qm one']

  test('is theirs: rm -rf and sed -i are not shared', async () => {
    const person = await guarded('bash')
    person.ws.write({ 'src/x': '1\n', 'docs/y': '2\n' })
    await person.ws.tw(['snapshot'])
    person.types(['rm -rf src docs', 'sed -i s/first/second/ a'])
    const mine = (await person.log()).filter(({ affected_files }) => affected_files.length > 0).slice(0, 2)
    expect(mine).toMatchObject([
      { tool: 'sed', shared: false, affected_files: ['a'] },
      { tool: 'rm', shared: false, affected_files: expect.arrayContaining(['src/x', 'docs/y']) },
    ])
    expect(mine.map(({ session_id }) => session_id)).toEqual([expect.stringMatching(/^shell-/), mine[0].session_id])
  })

  test('before timewarp itself nothing is captured for it', async () => {
    const person = await guarded('bash')
    const timewarp = `alias timewarp='${LAUNCHER}'\n`
    fs.appendFileSync(person.rcFile, timewarp)
    person.types(['rm a', 'timewarp undo', 'timewarp oops --dry-run', `${LAUNCHER} undo`])
    const labels = (await person.log()).map(({ label }) => label)
    expect(labels.filter((label) => label?.startsWith('shell-pre-'))).toEqual(['shell-pre-rm'])
    expect(person.ws.has('a')).toBe(true)
  })

  test('timewarp among others is one of them', async () => {
    const person = await guarded('bash')
    person.types([`${LAUNCHER} status; rm a`])
    expect((await person.log())[0]).toMatchObject({ affected_files: ['a'] })
  })

  test('git reset --hard is one snapshot, and undo takes all of it back', async () => {
    const person = await guarded('bash')
    person.types([...git, 'echo two > a', 'echo two > sub/b', 'echo new > c', 'git add -A', 'git commit -qm two'])
    // In an editor, and not committed.
    person.ws.write({ a: 'edited\n' })
    const before = (await person.log()).length
    person.types(['git reset -q --hard HEAD~1'])
    expect([person.ws.read('a'), person.ws.read('sub/b'), person.ws.has('c')]).toEqual(['first\n', 'second\n', false])
    const since = (await person.log()).slice(0, -before)
    expect(since.map(({ label, affected_files }) => [label, affected_files])).toEqual([
      [null, ['a', 'c', 'sub/b']],
      ['shell-pre-git', ['a']],
    ])
    await person.ws.tw(['undo'])
    expect([person.ws.read('a'), person.ws.read('sub/b'), person.ws.read('c')]).toEqual(['edited\n', 'two\n', 'new\n'])
  })
})

describe('bash with settings of its own', () => {
  test.each([
    ['a command', 'PROMPT_COMMAND=\'echo "[$?]"\'\n'],
    ['several commands', 'PROMPT_COMMAND=(\'echo "[$?]"\' true)\n'],
  ])('%s before each prompt still sees the status', async (_, rc) => {
    const person = await guarded('bash', rc)
    person.replaceProgram('echo watched')
    expect(person.types(['(exit 3)', 'rm a'])).toMatch(/\[3\][^]*\[0\]/)
    expect(person.calls().map((line) => line.split(' ')[3])).toEqual(['pre', 'post', 'pre', 'post'])
  })

  test('PS0 and a DEBUG trap stay', async () => {
    const person = await guarded('bash', "PS0='<go>'\ntrap 'echo \"<$BASH_COMMAND>\"' DEBUG\n")
    person.replaceProgram('echo watched')
    const said = person.types(['rm a'])
    expect(said).toContain('<go>')
    expect(said).toContain('<rm a>')
    expect(person.calls()).toHaveLength(2)
  })

  test('what is kept out of the history is not told, but captured', async () => {
    const person = await guarded('bash', 'HISTCONTROL=ignoreboth\n')
    person.types(['true', '  rm a'])
    const all = await person.log()
    expect(all[0]).toMatchObject({ tool: 'unrecorded-command', affected_files: ['a'] })
    expect(JSON.stringify(all)).not.toContain('rm a')
  })

  test('a command over several lines is one', async () => {
    const person = await guarded('bash')
    person.types(['for f in a; do', '  rm $f', 'done'])
    expect((await person.log())[0]).toMatchObject({ tool: 'rm', affected_files: ['a'] })
  })
})
