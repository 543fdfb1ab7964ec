import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server'
import { improvementText } from '../travel/issues/protocol-text.ts'

/** Prompts that a person picks in the client; each describes a way of working. */
interface PromptSpec {
  readonly about: Prompt
  readonly text: (given: Readonly<Record<string, string | undefined>>) => string
}

const lines = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n')

const PROMPTS: readonly PromptSpec[] = [
  {
    about: {
      name: 'optimise',
      title: 'Fix a friction issue, in seven steps',
      description: 'Go back to the moment of a friction issue, experiment there, come home and apply what was learnt',
      arguments: [
        { name: 'issue_id', description: 'The issue; left out: the most pressing open one', required: false },
      ],
    },
    text: ({ issue_id }) => improvementText(issue_id),
  },
  {
    about: {
      name: 'undo-last',
      title: 'Take back the last change',
      description: 'Look at what was changed last, and take it back without losing anything else',
      arguments: [{ name: 'path', description: 'Only in this file or folder', required: false }],
    },
    text: ({ path }) =>
      lines(
        'Take back the last change in this workspace.',
        '',
        `1. Find it: get_edit_history with limit 5${path ? ` and file_filter "${path}"` : ''}.`,
        '2. Show it: read_snapshot_diff of the newest snapshot that changed something. Tell the user in one or two sentences what it did and who made it.',
        path
          ? `3. Preview: reverse_op with that snapshot_id, paths ["${path}"] and dry_run true.`
          : '3. Preview: undo with dry_run true if it is the newest step, otherwise reverse_op with that snapshot_id and dry_run true.',
        '4. If the user agrees, do it without dry_run. Report what was restored, what was left alone and why, and how to take this back in turn.',
      ),
  },
  {
    about: {
      name: 'review-session',
      title: 'Review what a session changed',
      description: 'Go through everything that a session changed, file by file, with its reasons',
      arguments: [{ name: 'session_id', description: 'The session; left out: the newest one', required: false }],
    },
    text: ({ session_id }) =>
      lines(
        'Review what a session of work changed in this workspace. Change nothing.',
        '',
        session_id
          ? `1. List its snapshots: get_edit_history with session "${session_id}".`
          : '1. Find the newest session: get_edit_history, and take the session_id of the newest snapshot that has one; then list its snapshots with session.',
        '2. Compare the state before its first snapshot (its base) with its last one: diff with both ids. Read the diffs of single snapshots (read_snapshot_diff) where the reason is not plain.',
        '3. Report, file by file: what changed, why as far as the records say, and anything that looks wrong: left-over debugging, deleted tests, changes outside the task, secrets.',
        '4. End with what you would take back and the call that does it (reverse_op with its snapshot_id), without calling it.',
      ),
  },
]

export const promptList = (): Prompt[] => PROMPTS.map(({ about }) => about)

/** Undefined when there is no prompt of that name. */
export function promptNamed(name: string, given: Readonly<Record<string, string>> = {}): GetPromptResult | undefined {
  const prompt = PROMPTS.find(({ about }) => about.name === name)
  return (
    prompt && {
      ...(prompt.about.description ? { description: prompt.about.description } : {}),
      messages: [{ role: 'user', content: { type: 'text', text: prompt.text(given) } }],
    }
  )
}
