import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { newWorkspace, type Workspace } from '../kit/workspace.ts'

/** Guards put into the settings of real people, and taken out again. */

const CLIENTS = ['claude', 'opencode', 'codex', 'gemini'] as const

const userFile = (ws: Workspace, client: string): string =>
  join(
    ws.temp,
    'user',
    {
      claude: '.claude/settings.json',
      opencode: '.config/opencode/plugin/timewarp.ts',
      codex: '.codex/hooks.json',
      gemini: '.gemini/settings.json',
    }[client] ?? '',
  )

function put(file: string, content: string, mode = 0o644): void {
  fs.mkdirSync(dirname(file), { recursive: true })
  fs.writeFileSync(file, content, { mode })
}

const guard = async (ws: Workspace, ...words: string[]) => (await ws.tw(['guard', ...words, '--json'])).json

for (const client of CLIENTS) {
  test(`${client}: a file that was not there is gone again, with its folders`, async () => {
    const ws = newWorkspace()
    const file = userFile(ws, client)
    expect(await guard(ws, 'install', client)).toMatchObject({ file, state: 'installed', before: 'absent' })
    const first = fs.readFileSync(file)
    expect(await guard(ws, 'install', client)).toMatchObject({ state: 'installed', before: 'installed' })
    expect(fs.readFileSync(file)).toEqual(first)
    // No token, no port: whoever reads it learns where the program is.
    expect(first.toString()).not.toMatch(/[\w-]{43}|127\.0\.0\.1:\d/)
    expect(await guard(ws, 'remove', client)).toMatchObject({ removed: [file] })
    expect(fs.existsSync(join(ws.temp, 'user'))).toBe(false)
    expect(await guard(ws, 'remove', client)).toMatchObject({ removed: [] })
  })

  test(`${client}: in a project`, async () => {
    const ws = newWorkspace({ 'a.txt': 'a\n' })
    const { file } = await guard(ws, 'install', client, '--scope', 'project')
    expect(file.startsWith(ws.root)).toBe(true)
    if (client === 'claude') expect(file).toBe(ws.at('.claude/settings.local.json'))
    const { guards } = await guard(ws, 'status')
    expect(guards.filter((one: { state: string }) => one.state === 'installed')).toMatchObject([
      { client, scope: 'project' },
    ])
    await guard(ws, 'remove', client)
    expect(fs.readdirSync(ws.root)).toEqual(['a.txt'])
  })
}

const ODD = '\uFEFF// mine\r\n{\r\n\t"hooks": { "Stop": [ { "hooks": [] }, ] },\r\n\t"x": "$&", // last\r\n}'

for (const client of ['claude', 'codex', 'gemini'])
  test(`${client}: settings are byte for byte what they were`, async () => {
    const ws = newWorkspace()
    const file = userFile(ws, client)
    put(file, ODD, 0o600)
    await guard(ws, 'install', client)
    expect(fs.readFileSync(file, 'utf8')).toContain('timewarp-hook')
    expect(fs.statSync(file).mode & 0o777).toBe(0o600)
    await guard(ws, 'remove', client)
    expect(fs.readFileSync(file, 'utf8')).toBe(ODD)
    expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  })

test('a link to settings that are kept elsewhere stays a link', async () => {
  const ws = newWorkspace()
  const [file, kept] = [userFile(ws, 'claude'), join(ws.temp, 'dotfiles/claude.json')]
  put(kept, '{ "model": "opus" }\n')
  fs.mkdirSync(dirname(file), { recursive: true })
  fs.symlinkSync(kept, file)
  await guard(ws, 'install', 'claude')
  expect(fs.readlinkSync(file)).toBe(kept)
  expect(fs.readFileSync(kept, 'utf8')).toContain('timewarp-hook')
  await guard(ws, 'remove', 'claude')
  expect(fs.readFileSync(kept, 'utf8')).toBe('{ "model": "opus" }\n')
})

test('settings that cannot be understood are left alone', async () => {
  const ws = newWorkspace()
  const file = userFile(ws, 'claude')
  put(file, '{ "model": ')
  const answer = await ws.tw(['guard', 'install', 'claude', '--json'])
  expect(answer).toMatchObject({ exit: 4, json: { error: { code: 'GUARD_SETTINGS' } } })
  expect(fs.readFileSync(file, 'utf8')).toBe('{ "model": ')
  const plugin = userFile(ws, 'opencode')
  put(plugin, 'export const Mine = async () => ({})\n')
  expect((await ws.tw(['guard', 'install', 'opencode'])).exit).toBe(4)
  expect(fs.readFileSync(plugin, 'utf8')).toBe('export const Mine = async () => ({})\n')
})

test('guards of a program that was moved are renewed', async () => {
  const ws = newWorkspace()
  const file = userFile(ws, 'claude')
  put(file, '{\n  "model": "opus"\n}\n')
  await guard(ws, 'install', 'claude')
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replaceAll(/"[^"]*timewarp-hook"/g, '"/old/bin/timewarp-hook"'))
  expect((await guard(ws, 'status')).guards[0]).toMatchObject({ client: 'claude', state: 'outdated' })
  expect(await guard(ws, 'install', 'claude')).toMatchObject({ state: 'installed', before: 'outdated' })
  expect(fs.readFileSync(file, 'utf8')).not.toContain('/old/')
  await guard(ws, 'remove', 'claude')
  expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual({ model: 'opus' })
})
