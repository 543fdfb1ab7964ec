import { newWorkspace, type Workspace } from '../kit/workspace.ts'

/** One agent's session as its client would tell it, call by call. */
export class Agent {
  readonly workspace: Workspace
  readonly session: string
  readonly #parent: string | undefined
  #calls = 0

  constructor(workspace: Workspace, session: string, parent?: string) {
    this.workspace = workspace
    this.session = session
    this.#parent = parent
  }

  tell(event: Event, more: object = {}) {
    const parent = this.#parent === undefined ? {} : { parent_session_id: this.#parent }
    return this.workspace.call('record_event', {
      event,
      client: 'claude',
      session_id: this.session,
      ...parent,
      ...more,
    })
  }

  newCall(): string {
    this.#calls++
    return `${this.session}-call-${this.#calls}`
  }

  /** `more` is told with its end, `known` with both. */
  async shell(command: string, work: () => unknown, more: object = {}, known: object = {}) {
    const call = { call_id: this.newCall(), tool: 'Bash', kind: 'shell', command, tool_input: { command }, ...known }
    await this.tell('call_start', call)
    await work()
    return { ...(await this.tell('call_end', { ...call, ...more })), call_id: call.call_id }
  }

  async edit(path: string, work: () => unknown, more: object = {}, known: object = {}) {
    const tool_input = { file_path: path }
    const call = { call_id: this.newCall(), tool: 'Edit', kind: 'edit', paths: [path], tool_input, ...known }
    await this.tell('call_start', call)
    await work()
    return { ...(await this.tell('call_end', { ...call, ...more })), call_id: call.call_id }
  }
}

type Event =
  | 'session_start'
  | 'prompt'
  | 'call_start'
  | 'call_end'
  | 'calls_done'
  | 'background_end'
  | 'turn_end'
  | 'compact'
  | 'session_end'

/** What the timeline says of every snapshot that changed something, the oldest first. */
export async function story(workspace: Workspace) {
  const { snapshots } = await workspace.call('get_edit_history', { limit: 100 })
  const told = []
  for (const { snapshot_id, affected_files, label } of snapshots.toReversed()) {
    if (affected_files.length === 0) continue
    const { cause, source } = await workspace.call('show', { snapshot_id })
    told.push({ id: snapshot_id, files: affected_files, label, source, cause })
  }
  return told
}

/** A workspace with a few files, and a session that has begun. */
export async function guarded(files: Record<string, string> = { 'a.txt': 'a\n', 'b.txt': 'b\n' }) {
  const workspace = newWorkspace(files)
  const agent = new Agent(workspace, 'sess_one')
  await agent.tell('session_start')
  return { workspace, agent }
}
