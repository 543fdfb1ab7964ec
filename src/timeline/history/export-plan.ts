import type { SnapshotRecord } from '../../records/snapshot-record.ts'

/**
 * Groups snapshots into commits: consecutive snapshots of one prompt, or a single one without a prompt; the oldest
 * first.
 */
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

/** The message of a commit: a subject, and trailers that name the snapshots. */
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

/** The wanted subject, or the newest description or label of the snapshots, or the tool, or the id. */
export function subjectOf(group: readonly SnapshotRecord[], wanted?: string): string {
  const last = group.at(-1)
  const told = [...group].reverse().map(({ description, label }) => oneLine(description ?? label ?? ''))
  const named = [wanted === undefined ? '' : oneLine(wanted), ...told].find((text) => text !== '')
  return named ?? (oneLine(last?.cause.tool ?? '') || `Snapshot ${last?.id}`)
}

/** The text as one line. Control characters become spaces, because git refuses some of them. */
// oxlint-disable-next-line no-control-regex
const oneLine = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').trim()

/**
 * A name that git accepts for an author: with a letter or a digit, and without angle brackets; undefined when there is
 * none.
 */
export function authorOf(group: readonly SnapshotRecord[]): string | undefined {
  const actor = group.at(-1)?.cause.actor
  const name = actor === undefined ? '' : oneLine(actor.replaceAll(/[<>]/g, ''))
  return /[\p{L}\p{N}]/u.test(name) ? name : undefined
}
