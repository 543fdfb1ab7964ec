import { z } from 'zod'
import { columns, count } from '../base/text.ts'
import { firstLine } from '../base/visible.ts'
import { receipt, receiptText } from './shapes.ts'
import { common, spec } from './spec.ts'

const Prompt = z.object({
  prompt_id: z.string(),
  session_id: z.string(),
  at: z.string(),
  text: z.string().describe('Without its secrets'),
  snapshot_id: z.string().nullable().describe('The files as they were before it'),
})

const Session = z.object({
  session_id: z.string(),
  client: z.string().nullable(),
  parent_session_id: z.string().nullable().describe('The session that started it, for a sub-agent'),
  started_at: z.string(),
  last_at: z.string().describe('When it was last heard of'),
  ended_at: z.string().nullable(),
  snapshot_id: z.string().nullable().describe('The snapshot taken when it began'),
  task_hint: z.string().nullable(),
  transcript: z.string().nullable(),
  changes: z.number().describe('How many snapshots it made'),
  last_gap: z
    .object({ at: z.string(), tool: z.string().nullable(), reason: z.string() })
    .nullable()
    .describe('The last time something it did was not covered, and why'),
  prompts: z.array(Prompt).describe('The newest first'),
})

const when = (iso: string): string => iso.slice(0, 16).replace('T', ' ')
const brief = (text: string): string => firstLine(text).slice(0, 80)

export const SessionList = spec({
  name: 'session_list',
  summary: 'List the sessions of agents and what they were asked, the newest first',
  effect: 'read',
  group: 'guards',
  recovers: false,
  input: z.object({ ...common, limit: z.int().min(1).max(100).default(20).describe('How many') }),
  output: z.object({ sessions: z.array(Session) }),
  faults: [],
  text: ({ sessions }) => (sessions.length === 0 ? 'No sessions yet.' : sessions.map(sessionText).join('\n')),
  verb: { name: 'sessions', short: { n: 'limit' }, examples: ['timewarp sessions'] },
})

function sessionText(session: z.output<typeof Session>): string {
  const head = [
    session.session_id,
    session.client ?? '',
    `${when(session.started_at)} – ${session.ended_at ? when(session.ended_at) : 'open'}`,
    count(session.changes, 'change'),
    session.parent_session_id ? `started by ${session.parent_session_id}` : '',
  ]
  const prompts = session.prompts.map(({ prompt_id, at, text }) => ['', prompt_id, when(at), brief(text)])
  return [head.filter(Boolean).join('  '), ...(prompts.length > 0 ? [columns(prompts)] : [])].join('\n')
}

export const Rewind = spec({
  name: 'rewind',
  summary: 'Bring the files back to the moment before a prompt, and tell how to do the same with the conversation',
  effect: 'danger',
  group: 'guards',
  guardedSession: true,
  input: z.object({
    ...common,
    to: z.string().describe('The prompt: its id, the beginning of it, or last'),
    dry_run: z.boolean().default(false).describe('Show exactly what would happen, change nothing'),
  }),
  output: z.object({
    ...receipt,
    prompt: Prompt,
    client: z.string().nullable(),
    resume: z.string().describe('How to go back in the conversation with this client'),
  }),
  faults: [
    'PROMPT_NOT_FOUND',
    'SNAPSHOT_NOT_FOUND',
    'SNAPSHOT_DROPPED',
    'RESTORE_DAMAGED',
    'RESTORE_FAILED',
    'ROOT_REPLACED',
    'CAPTURE_UNSETTLED',
  ],
  text: (out) =>
    [`Before the prompt of ${when(out.prompt.at)}: ${brief(out.prompt.text)}`, receiptText(out), out.resume].join('\n'),
  verb: { examples: ['timewarp sessions', 'timewarp rewind --to last --dry-run', 'timewarp rewind --to PROMPT'] },
})
