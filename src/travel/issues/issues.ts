import { Fault } from '../../base/fault.ts'
import { plainNames } from '../../host/files/plain-names.ts'
import { fromHex, toHex } from '../../host/hash.ts'
import { point } from '../../host/points.ts'
import type { IssueRecord } from '../../records/issues.ts'
import type { Note } from '../../records/notes.ts'
import type { Batch } from '../../store/object-store.ts'
import { OBJECT } from '../../store/store.ts'
import { decodeTree, type Entry, encodeTree, KIND } from '../../store/tree.ts'
import { tell, withBatch } from '../../timeline/capture/record-note.ts'
import type { CaptureContext } from '../../timeline/scan/context.ts'
import { takeFile } from '../../timeline/scan/read-stable.ts'
import { CHAT_FILE, EXPERIMENT_FILE } from './issue-text.ts'
import { similarTo } from './similar.ts'

/**
 * Friction issues: the row holds everything but the two texts, which are a small tree in the store. A note holds the
 * same for the packs. The folder in the workspace is made from these, see issue-folder.ts.
 */

const ID = /^i_\d{8}_\d{6}_[0-9a-z]{6}$/

/** The issue that `text` names: its id, or the beginning of one. */
export function findIssue(ctx: Pick<CaptureContext, 'records'>, workspace: { id: string }, text: string): IssueRecord {
  const all = ctx.records.issues.all(workspace.id)
  const found = all.filter(({ id }) => id === text || (text.length > 3 && text.startsWith('i_') && id.startsWith(text)))
  const [only] = found
  if (only && found.length === 1) return only
  throw ID.test(text) ? new Fault('ISSUE_NOT_FOUND', { id: text }) : new Fault('INVALID_ISSUE_ID', { id: text })
}

const noteOf = (issue: IssueRecord, at: number): Note => ({ note: 'issue', at, ...issue })

/** The paths of an issue's texts until they are recorded. */
export interface Texts {
  readonly chat: string
  readonly experiment: string
}

/** Only the disk limits the size. */
const ANY_SIZE = Number.MAX_SAFE_INTEGER

/** Stores a file of any size. */
export function takeText(batch: Batch, name: string, path: string): Entry {
  const taken = takeFile(path, ANY_SIZE, { take: (hash, kind, bytes) => batch.putAs(hash, kind, bytes) })
  if (taken === 'moved' || 'skip' in taken) throw new Fault('NO_PERMISSION', { path: plainNames(path) })
  return { name, kind: KIND.file, mode: 0o600, size: taken.size, mtime: taken.mtime, hash: new Uint8Array(taken.hash) }
}

export function putTree(batch: Batch, entries: readonly Entry[]): string {
  const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1))
  return toHex(batch.put(OBJECT.tree, encodeTree(sorted)))
}

export const entriesOf = ({ store }: Pick<CaptureContext, 'store'>, tree: string): Entry[] =>
  decodeTree(Buffer.from(store.reader.get(fromHex(tree))))

/** The content of one of an issue's texts. */
export function textOf(ctx: Pick<CaptureContext, 'store'>, tree: string, name: string): Buffer {
  const entry = entriesOf(ctx, tree).find((one) => one.name === name)
  return entry ? Buffer.from(ctx.store.reader.get(entry.hash)) : Buffer.alloc(0)
}

/**
 * Records a new issue and links it with similar ones. When this returns, all of it is recorded and survives a crash of
 * the machine; if it throws, nothing is recorded.
 */
export function recordIssue(
  ctx: CaptureContext,
  issue: Omit<IssueRecord, 'tree' | 'earlier' | 'similar_to'>,
  texts: Texts,
): IssueRecord {
  const recorded = withBatch(ctx, (batch) => {
    const entries = [takeText(batch, CHAT_FILE, texts.chat), takeText(batch, EXPERIMENT_FILE, texts.experiment)]
    const tree = putTree(batch, entries)
    point('issue:taken')
    return ctx.records.db.write(() => {
      if (!ctx.records.snapshots.get(issue.snapshot_id)?.content)
        throw new Fault('SNAPSHOT_DROPPED', { id: issue.snapshot_id })
      const alike = similarTo(issue, ctx.records.issues.all(issue.workspace))
      const record: IssueRecord = { ...issue, tree, earlier: [], similar_to: alike.map(({ id }) => id) }
      const linked = alike.map((other) => ({ ...other, similar_to: [...other.similar_to, issue.id] }))
      for (const one of [record, ...linked]) {
        ctx.records.issues.put(one)
        tell(ctx, batch, noteOf(one, ctx.clock.now()))
      }
      return record
    })
  })
  ctx.store.sync()
  point('issue:recorded')
  return recorded
}

/**
 * Changes the record of an issue; `change` gets the record as it is inside the transaction. The earlier texts stay in
 * the store.
 */
export function changeIssue(
  ctx: CaptureContext,
  id: string,
  change: (issue: IssueRecord, batch: Batch) => IssueRecord | undefined,
): IssueRecord {
  return withBatch(ctx, (batch) =>
    ctx.records.db.write(() => {
      const before = ctx.records.issues.get(id)
      if (before === undefined) throw new Fault('ISSUE_NOT_FOUND', { id })
      const after = change(before, batch)
      if (after === undefined) return before
      const earlier = after.tree === before.tree ? before.earlier : [...before.earlier, before.tree]
      const record = { ...after, earlier }
      ctx.records.issues.put(record)
      tell(ctx, batch, noteOf(record, ctx.clock.now()))
      return record
    }),
  )
}

/** The issue with one text replaced. */
export function withText(
  ctx: CaptureContext,
  batch: Batch,
  issue: IssueRecord,
  name: string,
  bytes: Uint8Array,
): IssueRecord {
  const hash = batch.put(OBJECT.blob, bytes)
  const entry: Entry = {
    name,
    kind: KIND.file,
    mode: 0o600,
    size: bytes.length,
    mtime: ctx.clock.now() * 1000,
    hash,
  }
  return { ...issue, tree: putTree(batch, [...entriesOf(ctx, issue.tree).filter((one) => one.name !== name), entry]) }
}
