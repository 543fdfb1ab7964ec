import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newWorkspace, shell, type Workspace } from '../kit/workspace.ts'

/** What a workspace brings along weakens nothing until the user accepts it. */

const HOSTILE = {
  exclude: ['*'],
  max_file_bytes: 1,
  budget: { min_free_bytes: 2 ** 52 },
  retention: { tiers: [], edits_days: 0, manual_days: 0, undo_steps: 0, max_snapshots: 1 },
  guard: { protect_store: false },
  git: { protect: false },
  secrets: { paths: [] },
}

const CONFIG = '.timewarp/config.json'
const command = 'timewarp trust'

async function trusted(workspace: Workspace): Promise<void> {
  const asked = await workspace.tw(['trust', '--json'])
  expect(asked).toMatchObject({ exit: 4, json: { error: { code: 'CONFIRM_NEEDED' } } })
  const given = await workspace.tw(['trust', '--json', '--confirm', asked.json.error.data.confirm])
  expect(given).toMatchObject({ exit: 0, json: { changed: true } })
}

const settingsOf = async (workspace: Workspace) => (await workspace.call('config', {})).settings as typeof HOSTILE

describe('settings that a clone brought', () => {
  test('weaken nothing, and init, snapshot and status say what is not applied', async () => {
    const workspace = newWorkspace({ [CONFIG]: JSON.stringify(HOSTILE), '.timewarpignore': '*\n', 'a.txt': 'a' })
    const init = await workspace.tw(['init', '--json'])
    expect(init.json).toMatchObject({ files: 2 })
    for (let i = 0; i < 4; i++) {
      workspace.write({ 'a.txt': `${i}` })
      await workspace.snapshot()
    }
    await workspace.close()
    const { kept, removed } = await workspace.call('prune', {})
    expect([kept.length, removed]).toEqual([5, []])
    const snapshot = await workspace.tw(['snapshot', '--json'])
    const status = await workspace.tw(['status', '--json'])
    for (const { warnings } of [init.json, snapshot.json, status.json]) {
      expect(warnings).toHaveLength(2)
      for (const warning of warnings) {
        expect(warning).toContain('untrusted')
        expect(warning.endsWith(command)).toBe(true)
      }
      expect(warnings[0]).toContain('guard.protect_store')
      expect(warnings[1]).toContain('.timewarpignore')
    }
    const settings = await settingsOf(workspace)
    expect(settings.guard.protect_store).toBe(true)
    expect(settings.secrets.paths.length).toBeGreaterThan(5)
  })

  test('count at once where they strengthen', async () => {
    const strong = { max_file_bytes: 2 ** 40, default_excludes: false, retention: { edits_days: 1000, auto: false } }
    const workspace = newWorkspace({ [CONFIG]: JSON.stringify({ ...strong, exclude: ['x'] }) })
    await workspace.snapshot()
    expect(await settingsOf(workspace)).toMatchObject({ ...strong, exclude: [] })
  })

  test('count after trust; a change needs trust again, and what was trusted stays in force', async () => {
    const workspace = newWorkspace({ [CONFIG]: '{"exclude":["*.x"]}', 'a.x': '', 'a.y': '' })
    const files = async (): Promise<number> => (await workspace.call('snapshot', {})).files
    expect(await files()).toBe(2)
    await trusted(workspace)
    expect(await files()).toBe(1)
    workspace.write({ [CONFIG]: '{"exclude":["*.x","*"]}' })
    expect(await files()).toBe(1)
    const { warnings } = await workspace.call('snapshot', {})
    expect(warnings).toEqual([
      expect.stringMatching(/changed since you trusted it; not applied: exclude.*timewarp trust$/),
    ])
    await trusted(workspace)
    expect(await files()).toBe(0)
    workspace.write({ [CONFIG]: '{}' })
    expect(await files()).toBe(2)
  })

  test('that were trusted stay in force while the file is damaged', async () => {
    const workspace = newWorkspace({ [CONFIG]: '{"exclude":["*.x"]}', 'a.x': '', 'a.y': '' })
    await workspace.snapshot()
    await trusted(workspace)
    workspace.write({ [CONFIG]: '{"exclude":["*.x"' })
    const { files, warnings } = await workspace.call('snapshot', {})
    const told = [expect.stringContaining('not JSON'), '1 file no longer recorded, because excluded: a.x']
    expect([files, warnings]).toEqual([1, told])
  })

  test('come back with their folder, and are no more trusted than before', async () => {
    const workspace = newWorkspace({ [CONFIG]: '{"exclude":["*"]}', 'a.txt': 'a' })
    await workspace.snapshot()
    await workspace.snapshot()
    fs.rmSync(workspace.at('.timewarp'), { recursive: true })
    const { files, warnings } = await workspace.call('snapshot', {})
    expect([files, warnings]).toEqual([1, [expect.stringContaining('untrusted')]])
    expect(workspace.read(CONFIG)).toBe('{"exclude":["*"]}')
  })

  test('through a link, from a pipe or without end are not read', async () => {
    const workspace = newWorkspace({ 'a.txt': 'a', '.timewarp/x': '' })
    await workspace.snapshot()
    const elsewhere = join(workspace.temp, 'elsewhere')
    fs.writeFileSync(elsewhere, '*\n')
    fs.symlinkSync(elsewhere, workspace.at('.timewarpignore'))
    shell('mkfifo "$1"', workspace.at(CONFIG))
    const { warnings } = await workspace.call('snapshot', {})
    expect(warnings).toEqual([
      expect.stringContaining('it is not a regular file'),
      expect.stringContaining('it is a symbolic link'),
    ])
    fs.rmSync(workspace.at(CONFIG))
    fs.writeFileSync(workspace.at(CONFIG), Buffer.alloc(2 ** 20 + 1, ' '))
    expect((await workspace.call('snapshot', {})).warnings[0]).toContain('1 MiB')
  })
})

describe('.timewarpignore', () => {
  test('counts after trust; a pattern taken away counts at once, another one only after trust', async () => {
    const workspace = newWorkspace({ '.timewarpignore': '# mine\n*.x\n*.z\n', 'a.x': '', 'a.y': '', 'a.z': '' })
    const files = async (): Promise<number> => (await workspace.call('snapshot', {})).files
    expect(await files()).toBe(4)
    await trusted(workspace)
    expect(await files()).toBe(2)
    workspace.write({ '.timewarpignore': '*.z\n' })
    expect(await files()).toBe(3)
    workspace.write({ '.timewarpignore': '*.z\n*\n' })
    expect(await files()).toBe(2)
    fs.rmSync(workspace.at('.timewarpignore'))
    expect(await files()).toBe(3)
  })

  test('in the home needs no trust', async () => {
    const workspace = newWorkspace({ 'a.x': '', 'a.y': '' })
    await workspace.snapshot()
    fs.writeFileSync(join(workspace.home, 'ignore'), '*.x\n')
    expect((await workspace.call('snapshot', {})).files).toBe(1)
  })
})

describe('timewarp trust', () => {
  test('shows what is asked for beside what holds, and changes nothing with --dry-run', async () => {
    const workspace = newWorkspace({ [CONFIG]: '{"exclude":["*.x"],"max_file_bytes":99}' })
    await workspace.snapshot()
    const { exit, stdout } = await workspace.tw(['trust', '--dry-run'])
    expect(exit).toBe(0)
    expect(stdout).toContain('exclude: ["*.x"] instead of [] (weakens protection)')
    expect(stdout).toContain('max_file_bytes: 99 instead of 268435456 (weakens protection)')
    expect((await settingsOf(workspace)).max_file_bytes).not.toBe(99)
  })

  test('takes a token for the files as they were shown only', async () => {
    const workspace = newWorkspace({ [CONFIG]: '{"exclude":["*.x"]}' })
    await workspace.snapshot()
    const { confirm } = (await workspace.tw(['trust', '--json'])).json.error.data
    workspace.write({ [CONFIG]: '{"exclude":["*"]}' })
    const late = await workspace.tw(['trust', '--json', '--confirm', confirm])
    expect(late).toMatchObject({ exit: 4, json: { error: { code: 'CONFIRM_WRONG' } } })
    expect((await settingsOf(workspace)).exclude).toEqual([])
  })

  test('does not ask in a pipe, and takes --yes', async () => {
    const workspace = newWorkspace({ [CONFIG]: '{"exclude":["*.x"]}' })
    await workspace.snapshot()
    const asked = await workspace.tw(['trust'])
    expect(asked.exit).toBe(4)
    expect(asked.stderr).toContain('has to be confirmed')
    expect((await workspace.tw(['trust', '--yes'])).stdout).toContain('Take it back with: timewarp trust --revoke')
    expect((await settingsOf(workspace)).exclude).toEqual(['*.x'])
    expect((await workspace.tw(['trust', '--yes'])).stdout).toContain('There is nothing new to trust.')
  })

  test('is taken back with --revoke', async () => {
    const workspace = newWorkspace({ [CONFIG]: '{"exclude":["*.x"]}' })
    await workspace.snapshot()
    await trusted(workspace)
    expect((await workspace.tw(['trust', '--revoke'])).stdout).toContain('No longer trusted.')
    expect((await settingsOf(workspace)).exclude).toEqual([])
  })

  test('is a record that a damaged byte makes void', async () => {
    const workspace = newWorkspace({ [CONFIG]: '{"exclude":["*.x"]}' })
    await workspace.snapshot()
    await trusted(workspace)
    const [name = ''] = fs.readdirSync(join(workspace.home, 'trust'))
    const at = join(workspace.home, 'trust', name)
    expect(fs.statSync(at).mode & 0o777).toBe(0o600)
    fs.writeFileSync(at, fs.readFileSync(at, 'utf8').replace(/"sha256":"../, '"sha256":"zz'))
    expect((await settingsOf(workspace)).exclude).toEqual([])
  })
})

test('a journey into a folder takes the trusted settings along', async () => {
  const workspace = newWorkspace({ [CONFIG]: '{"exclude":["*.x"]}', '.timewarpignore': '*.y\n', 'a.txt': 'a' })
  const id = await workspace.snapshot()
  await trusted(workspace)
  const into = join(workspace.temp, 'past')
  await workspace.call('timewarp_travel', { snapshot_id: id, into })
  fs.writeFileSync(join(into, 'b.x'), '')
  fs.writeFileSync(join(into, 'b.y'), '')
  const { files, warnings } = await workspace.call('snapshot', { workspace: into })
  expect([files, warnings]).toEqual([2, []])
})

describe('timewarp config', () => {
  test('keeps the file trusted when it was trusted or absent', async () => {
    const workspace = newWorkspace({ 'a.x': '', 'a.y': '' })
    await workspace.snapshot()
    expect((await workspace.tw(['config', 'exclude', '["*.x"]', '--json'])).json.warnings).toEqual([])
    expect((await workspace.call('snapshot', {})).files).toBe(1)
    await workspace.tw(['config', 'exclude', '["*"]'])
    expect((await workspace.call('snapshot', {})).files).toBe(0)
    expect((await workspace.tw(['config', 'exclude', '--unset', '--json'])).json.warnings).toEqual([])
    expect((await workspace.call('snapshot', {})).files).toBe(2)
  })

  test('is no way to trust what a clone brought', async () => {
    const workspace = newWorkspace({ [CONFIG]: '{"exclude":["*"]}', 'a.txt': '' })
    await workspace.snapshot()
    const { stdout } = await workspace.tw(['config', 'retention.edits_days', '100'])
    expect(stdout).toContain(command)
    expect((await workspace.call('snapshot', {})).files).toBe(1)
  })
})
