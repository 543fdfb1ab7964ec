import { join } from 'node:path'
import { writeCache } from '../../host/files/durable.ts'
import { lstat, readFile } from '../../host/files/fs.ts'
import type { Records } from '../../records/records.ts'
import { recordedPath } from '../../schema/path.ts'
import { openFolders } from '../../timeline/workspace/own-folders.ts'
import { modeOf } from './machine.ts'

/** The content of `.timewarp/state.json`: a copy of the records, never authoritative. */
interface State {
  readonly workspace_root: string
  readonly session_id: string | null
  readonly session_snapshot_id: string | null
  readonly mode: 'present' | 'past'
  readonly current_snapshot_id: string | null
  /** The id of the snapshot that holds the present. */
  readonly backup_path: string | null
  readonly entered_at: string | null
  readonly guard_token: string | null
}

/** Undefined when there was neither a session nor a journey yet. */
function stateOf(records: Records, { id, root }: { id: string; root: string }): State | undefined {
  const session = records.sessions.latest(id)
  const travel = records.travels.current(id)
  if (!session && !travel && !records.travels.any(id)) return undefined
  const away = travel && modeOf(travel.state) === 'past' ? travel : undefined
  return {
    workspace_root: root,
    session_id: session?.id ?? null,
    session_snapshot_id: session?.snapshot_id ?? null,
    mode: away ? 'past' : 'present',
    current_snapshot_id: away?.snapshot_id ?? null,
    backup_path: away?.backup_id ?? null,
    entered_at: away ? new Date(away.entered_at).toISOString() : null,
    guard_token: away?.id ?? null,
  }
}

const STATE = recordedPath('.timewarp/state.json')

/** Writes the file unless it is up to date. */
export function writeStateFile(records: Records, workspace: { id: string; root: string }): void {
  const state = stateOf(records, workspace)
  if (state === undefined || !lstat(join(workspace.root, '.timewarp'))?.isDirectory()) return
  const text = `${JSON.stringify(state, undefined, 2)}\n`
  const folders = openFolders(workspace.root)
  try {
    const file = folders.child(STATE)
    const isDrawn = lstat(file)?.isFile() === true && readFile(file)?.toString() === text
    if (!isDrawn) writeCache(file, Buffer.from(text))
  } finally {
    folders.close()
  }
}
