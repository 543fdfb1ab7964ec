import { z } from 'zod'
import { reportedPath } from './paths.ts'
import { common, spec } from './spec.ts'

const EVENTS = [
  'session_start',
  'prompt',
  'call_start',
  'call_end',
  'calls_done',
  'background_end',
  'turn_end',
  'compact',
  'session_end',
  'gap',
] as const
export type AgentEvent = (typeof EVENTS)[number]

const KINDS = ['read', 'edit', 'shell', 'delegate', 'other'] as const

export const RecordEvent = spec({
  name: 'record_event',
  summary: 'Take down what an agent begins or has done, and capture what it changed',
  effect: 'write',
  reaches: { transcript: 'reads' },
  group: 'guards',
  repeatable: true,
  usesWatch: true,
  meetsSession: true,
  recovers: false,
  mendsText: true,
  input: z.object({
    ...common,
    event: z.enum(EVENTS).describe('What happened in the client; gap: something was missed, `error` tells why'),
    client: z.string().default('generic').describe('Which client tells it: claude, opencode, codex, gemini, shell, …'),
    parent_session_id: z.string().optional().describe('The session that started this one, for a sub-agent'),
    call_id: z.string().optional().describe('The tool call; without it, the newest one of this tool is meant'),
    call_ids: z.array(z.string()).default([]).describe('With calls_done: the calls that are over, however they ended'),
    overdue: z
      .boolean()
      .default(false)
      .describe('With calls_done: they ended some time ago, so what is found now may be others’'),
    after_edits: z
      .boolean()
      .default(false)
      .describe('With call_start: the edits of this session are over; their ends may be told late'),
    makes: z
      .string()
      .optional()
      .describe(
        'With the start of an edit whose end may not be told: SHA-256 (hex) of what its file holds afterwards; empty if unknown',
      ),
    tool: z.string().optional().describe('The tool that is called'),
    tool_input: z.unknown().optional().describe('What it is called with; kept without its secrets'),
    kind: z
      .enum(KINDS)
      .default('other')
      .describe('read: changes no file; edit: changes `paths` alone; shell: runs `command`; delegate: starts an agent'),
    paths: z.array(reportedPath()).default([]).describe('With edit: the paths it changes'),
    command: z.string().optional().describe('With shell: the command line'),
    cwd: reportedPath('The folder in which the command runs').optional(),
    background: z.boolean().default(false).describe('It goes on after its end is told, until background_end'),
    failed: z.boolean().default(false).describe('The call ended with an error'),
    interrupted: z.boolean().default(false).describe('The person stopped the call'),
    error: z.string().optional().describe('What the error says'),
    prompt_id: z.string().optional().describe('The prompt in force'),
    prompt: z.string().optional().describe('With prompt: what the person asked; kept without its secrets'),
    transcript: reportedPath('Where the client keeps the conversation').optional(),
    task_hint: z.string().optional().describe('With session_start: what the session is about'),
    wait_ms: z.number().int().min(0).max(60_000).default(2000).describe('How long the caller waits for a capture'),
  }),
  output: z.object({
    session_id: z.string(),
    covered: z.boolean().describe('false: what happens now is not bracketed by captures'),
    reason: z.string().nullable().describe('Why it is not covered'),
    snapshot_ids: z.array(z.string()).describe('What was recorded, the oldest first'),
    deny: z.string().nullable().describe('Why the call must not be made: it would delete the store'),
    note: z.string().nullable().describe('A word for the agent'),
  }),
  faults: ['CAPTURE_UNSETTLED'],
  text: (out) =>
    [
      out.covered ? `Recorded for ${out.session_id}` : `Not covered: ${out.reason ?? 'nobody knows why'}`,
      ...out.snapshot_ids.map((id) => `Snapshot: ${id}`),
      ...(out.deny ? [`Denied: ${out.deny}`] : []),
      ...(out.note ? [out.note] : []),
    ].join('\n'),
  verb: {
    name: 'record-event',
    words: ['event'],
    examples: ['timewarp record-event call_start --session-id s1 --tool Bash --kind shell --command "rm -rf build"'],
  },
})
