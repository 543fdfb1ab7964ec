import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { missedIn } from './missed.ts'

/** For tests of hooks. */

interface Called {
  readonly tool: string
  readonly input: Record<string, unknown>
}

/** A house that answers as told, and what was asked of it. */
export function houseOf(answer: (called: Called) => object = () => ({ covered: true, deny: null, note: null })) {
  const home = mkdtempSync(join(tmpdir(), 'timewarp-hook-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const calls: Called[] = []
  const logged: string[] = []
  const rooms = {
    call: async (tool: string, input: object) => {
      const called = { tool, input: input as Record<string, unknown> }
      calls.push(called)
      return { output: answer(called) }
    },
    log: (message: string, data: object) => void logged.push(`${message} ${JSON.stringify(data)}`),
    missed: missedIn(home),
  }
  return { rooms, calls, logged }
}

export const START = { session_id: 's', cwd: '/ws', hook_event_name: 'SessionStart', source: 'startup' }
export const CALL = {
  session_id: 's',
  cwd: '/ws',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'x' },
  tool_use_id: 't',
}
