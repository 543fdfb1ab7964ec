import { z } from 'zod'
import { count } from '../../base/text.ts'
import { oneLine } from '../../base/visible.ts'
import { command } from '../command.ts'
import { type Context, openToolClient } from '../context.ts'
import { printText } from '../output/print.ts'

/** A session in the output of `session_list`. */
interface Session {
  readonly session_id: string
  readonly parent_session_id: string | null
  readonly changes: number
  readonly last_gap: { readonly at: string; readonly tool: string | null; readonly reason: string } | null
}

export const StatusLine = command({
  name: 'statusline',
  summary: 'Print one line for an agent’s status line: what is kept, what was missed, how to take it back',
  group: 'guards',
  input: z.object({}),
  verb: { examples: ['timewarp statusline', 'echo \'{"cwd":"."}\' | timewarp statusline'] },
  run: async (context) => {
    printText(context.io, oneLine(await line(context)))
    return 0
  },
})

/** Returns some text in every case: the client shows what it gets. */
async function line(context: Context): Promise<string> {
  try {
    const told = await facts(context)
    const desk = await openToolClient(context)
    const { sessions } = (await desk.call('session_list', { workspace: told.folder, limit: 20 })).output as {
      sessions: Session[]
    }
    return lineFor(sessions, told.session)
  } catch {
    return 'timewarp: not guarded here'
  }
}

/** The JSON that clients send to the program of their status line: the session and the folder. */
async function facts({ io, globals }: Context): Promise<{ folder: string; session: string | undefined }> {
  const here = globals.dir ?? io.cwd
  if (io.key) return { folder: here, session: undefined }
  try {
    const said = JSON.parse(new TextDecoder().decode(await io.stdin())) as Record<string, unknown>
    const workspace = said['workspace'] as { project_dir?: unknown } | undefined
    const folder = [workspace?.project_dir, said['cwd']].find((one) => typeof one === 'string')
    const session = said['session_id']
    return { folder: folder ?? here, session: typeof session === 'string' ? session : undefined }
  } catch {
    return { folder: here, session: undefined }
  }
}

function lineFor(sessions: readonly Session[], wanted: string | undefined): string {
  const own = sessions.find(({ session_id }) => session_id === wanted) ?? sessions[0]
  if (own === undefined) return 'timewarp: nothing recorded yet'
  const family = sessions.filter((one) => one === own || one.parent_session_id === own.session_id)
  const changes = family.reduce((sum, one) => sum + one.changes, 0)
  const gap = family.map((one) => one.last_gap).find((one) => one !== null)
  return [
    `timewarp: ${count(changes, 'change')} kept`,
    ...(gap ? [`${gap.tool ?? 'a call'} not covered ${ago(gap.at)}`] : []),
    ...(changes > 0 ? ['take back: timewarp undo'] : []),
  ].join(' · ')
}

const ago = (then: string): string => {
  const minutes = Math.max(0, Math.round((Date.now() - Date.parse(then)) / 60_000))
  return minutes === 0 ? 'just now' : `${minutes} min ago`
}
