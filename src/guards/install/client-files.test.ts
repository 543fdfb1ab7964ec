import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CLIENT_FILES } from './client-files.ts'

test('the plugin of Claude Code has the hooks that the installer puts into settings', () => {
  const file = join(import.meta.dirname, '../../../plugins/claude/hooks/hooks.json')
  const { hooks } = JSON.parse(readFileSync(file, 'utf8')) as { hooks: object }
  // oxlint-disable-next-line no-template-curly-in-string -- the client fills it in
  const entries = CLIENT_FILES.claude.entries?.({ program: '${CLAUDE_PLUGIN_ROOT}/bin/timewarp-hook', home: undefined })
  expect(hooks).toEqual(entries)
})

test('a command line for a shell is quoted', () => {
  const command = (program: string, home?: string) => {
    const entries = CLIENT_FILES.codex.entries?.({ program, home }) as { Stop: [{ hooks: { command: string }[] }] }
    return entries.Stop[0].hooks[0]?.command
  }
  expect(command('/opt/t/timewarp-hook')).toBe('/opt/t/timewarp-hook codex')
  expect(command('/opt/timewarp/bin/timewarp-hook')).toBe('/opt/timewarp/bin/timewarp-hook codex')
  expect(command("/o p/it's/timewarp-hook", '/a b')).toBe(`'/o p/it'\\''s/timewarp-hook' codex '/a b'`)
})
