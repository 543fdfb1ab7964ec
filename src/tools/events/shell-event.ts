import { homedir } from 'node:os'
import { handler } from '../../app/handler.ts'
import { ShellEvent } from '../../protocol/guard.ts'
import { RecordEvent } from '../../protocol/record-event.ts'
import { judge } from '../../shell/judge.ts'
import { knownWorkspace } from './guard-judge.ts'
import { recordEvent } from './record-event.ts'

/** A single `timewarp` command: without any character that has a meaning to a shell. */
const isOwn = (command: string): boolean => /^\s*(?:[\w./~-]*\/)?timewarp(?:\s[^;|&<>()$`\n]*)?$/.test(command)

/**
 * A shell is a client like an agent's, but it asks whether the end has to be reported, and it makes no folder a
 * workspace.
 */
export const shellEvent = handler(ShellEvent, async (call, input) => {
  const workspace = knownWorkspace(call, input)
  const nothing = { why: null, snapshot_ids: [], deletes_store: false }
  if (workspace === undefined) return { ...nothing, outcome: 'elsewhere' as const }
  const setting = { cwd: call.cwd, workspace: workspace.root, home: homedir(), store: call.app.home }
  const { modifies, why, program, deletes_store } = judge(input.command, setting)
  // Timewarp's own commands take the snapshots they need: one more before `undo` would be one more step to undo.
  if (!modifies || isOwn(input.command)) return { ...nothing, outcome: 'harmless' as const, why, deletes_store }
  const told = RecordEvent.input.parse({
    workspace: workspace.id,
    event: input.phase === 'pre' ? 'call_start' : 'call_end',
    client: 'shell',
    kind: 'shell',
    tool: program ?? 'command',
    tool_input: { command: input.command },
    command: input.command,
    cwd: call.cwd,
    call_id: input.call_id,
    session_id: input.session_id,
  })
  const { covered, reason, snapshot_ids } = await recordEvent.run(call, told)
  return {
    outcome: covered ? ('watched' as const) : ('uncovered' as const),
    why: reason ?? why,
    snapshot_ids,
    deletes_store,
  }
})
