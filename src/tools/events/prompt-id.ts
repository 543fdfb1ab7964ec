import type { Records } from '../../records/records.ts'

/** How many levels of sub-agents are followed. */
const DEEPEST = 10

/** A session, the session that started it, and so on upwards. */
export function* sessionsAbove(
  { sessions }: Pick<Records, 'sessions'>,
  workspace: string,
  session: string,
  parent: string | null = null,
): Generator<string> {
  let id: string | null = session
  for (let depth = 0; id !== null && depth < DEEPEST; depth++) {
    yield id
    const above: string | null = sessions.get(workspace, id)?.parent ?? null
    id = depth === 0 ? (above ?? parent) : above
  }
}

/**
 * The id under which a prompt is recorded. Some clients number their prompts per session: if an unrelated session has
 * this id already, the session's id is added to tell the two apart. A sub-agent works under the prompt of the session
 * that started it.
 */
export function promptIdOf(
  records: Pick<Records, 'sessions' | 'prompts'>,
  workspace: string,
  told: { readonly session: string; readonly parent?: string | undefined; readonly prompt_id?: string | undefined },
): string | undefined {
  const { session, parent = null, prompt_id } = told
  const owner = prompt_id === undefined ? undefined : records.prompts.get(workspace, prompt_id)?.session_id
  if (owner === undefined) return prompt_id
  for (const id of sessionsAbove(records, workspace, session, parent)) if (id === owner) return prompt_id
  return `${prompt_id}@${session}`
}
