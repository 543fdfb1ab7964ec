import type { SnapshotRecord } from '../../records/snapshot-record.ts'

/** What becomes one commit: the snapshots of a prompt that follow one another, or one without a prompt; the oldest first. */
export function groupByPrompt(snapshots: readonly SnapshotRecord[]): SnapshotRecord[][] {
  const groups: SnapshotRecord[][] = []
  for (const snapshot of snapshots) {
    const last = groups.at(-1)
    const prompt = snapshot.cause.prompt_id
    if (last && prompt !== undefined && last.at(-1)?.cause.prompt_id === prompt) last.push(snapshot)
    else groups.push([snapshot])
  }
  return groups
}

/** The message of a commit: a subject, and trailers that lead back to the snapshots. */
export function messageOf(group: readonly SnapshotRecord[], subject: string): string {
  const trailers: [string, (snapshot: SnapshotRecord) => string | undefined][] = [
    ['Timewarp-Snapshot', ({ id }) => id],
    ['Timewarp-Session', ({ cause }) => cause.session_id],
    ['Timewarp-Prompt', ({ cause }) => cause.prompt_id],
    ['Timewarp-Tool', ({ cause }) => cause.tool],
    ['Timewarp-Actor', ({ cause }) => cause.actor],
  ]
  const lines = trailers.flatMap(([key, valueOf]) =>
    [...new Set(group.map((snapshot) => oneLine(valueOf(snapshot) ?? '')))]
      .filter((value) => value !== '')
      .map((value) => `${key}: ${value}`),
  )
  return `${subject}\n\n${lines.join('\n')}\n`
}

/** What the snapshots say of themselves, the newest first. */
export function subjectOf(group: readonly SnapshotRecord[], wanted?: string): string {
  const last = group.at(-1)
  const told = [...group].reverse().map(({ description, label }) => oneLine(description ?? label ?? ''))
  const named = [wanted === undefined ? '' : oneLine(wanted), ...told].find((text) => text !== '')
  return named ?? (oneLine(last?.cause.tool ?? '') || `Snapshot ${last?.id}`)
}

/** As one line of a commit; git refuses some control characters, and none belongs there. */
// oxlint-disable-next-line no-control-regex
const oneLine = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').trim()

/** A name as git takes it for an author: not empty, and without what ends one. */
export function authorOf(group: readonly SnapshotRecord[]): string | undefined {
  const actor = group.at(-1)?.cause.actor
  const name = actor === undefined ? '' : oneLine(actor.replaceAll(/[<>]/g, ''))
  return /[\p{L}\p{N}]/u.test(name) ? name : undefined
}
