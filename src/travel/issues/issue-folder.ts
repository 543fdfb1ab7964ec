import { join } from 'node:path'
import { Fault } from '../../base/fault.ts'
import { mergeBytes } from '../../diff/merge.ts'
import { writeWhole } from '../../host/files/durable.ts'
import { lstat, makeDir, readNames, readUnlinked, rename, type Stat } from '../../host/files/fs.ts'
import type { OpenFolders } from '../../host/files/open-folders.ts'
import { childOr, removeTree } from '../../host/files/remove-tree.ts'
import { fromHex, sha256, toHex } from '../../host/hash.ts'
import { point } from '../../host/points.ts'
import { identity, isRunning } from '../../host/processes/process.ts'
import type { IssueRecord, OnDisk } from '../../records/issues.ts'
import { joinPath, nameOf, parentOf, type RelPath, recordedPath } from '../../schema/path.ts'
import { materialise } from '../../timeline/restore/materialise.ts'
import type { CaptureContext } from '../../timeline/scan/context.ts'
import { takeFile } from '../../timeline/scan/read-stable.ts'
import { asReplaced, makeOwn, openFolders } from '../../timeline/workspace/own-folders.ts'
import { CHAT_FILE, EXPERIMENT_FILE, editedFields, ISSUE_FILE, issueJson } from './issue-text.ts'
import { changeIssue, entriesOf, putTree, takeText, withText } from './issues.ts'

/**
 * The folder of an issue in the workspace: a copy of the records, for people and agents to read and to write in.
 *
 * What must hold: what was written into it by hand is recorded before it is overwritten; a folder that exists is
 * complete. So a folder is filled under a temporary name and renamed at the end, and a file that is neither as recorded
 * nor as it was last written is recorded. Every access goes through folders that were opened without following a link.
 */

type Place = { readonly id: string; readonly root: string }

const FILES = [ISSUE_FILE, CHAT_FILE, EXPERIMENT_FILE] as const
type File = (typeof FILES)[number]

const ISSUES = recordedPath('.timewarp/issues')

export const issueFolder = (root: string, id: string): string => join(root, folderOf(id))

const folderOf = (id: string): RelPath => joinPath(ISSUES, id)

const SCRATCH = '.new-'

/**
 * Creates the folder of a new issue: under a temporary name, until `fill` has written the files to the paths that `at`
 * gives and recorded the issue. An existing folder of that name is left alone.
 */
export async function makeIssueFolder(
  ctx: CaptureContext,
  place: Place,
  id: string,
  fill: (at: (name: File) => string) => Promise<IssueRecord>,
): Promise<IssueRecord> {
  const folders = openFolders(place.root)
  try {
    const scratch = makeScratch(folders, id)
    try {
      const issue = await fill((name) => folders.child(joinPath(scratch, name)))
      if (lookAt(folders, folderOf(id)) === undefined) move(folders, scratch, folderOf(id))
      point('issue:placed')
      ctx.records.issues.setDrawn(issue, onDisk(ctx, folders, issue))
      return issue
    } finally {
      removeTree(folders, scratch)
    }
  } catch (error) {
    throw asReplaced(error)
  } finally {
    folders.close()
  }
}

/** A temporary folder beside those of the issues. */
function makeScratch(folders: OpenFolders, id: string): RelPath {
  if (isElsewhere(folders, ISSUES))
    throw new Fault('FOLDER_REFUSED', { path: folders.plain(ISSUES), why: 'it is not a folder of its own' })
  makeOwn(folders, ISSUES)
  sweep(folders)
  const scratch = joinPath(ISSUES, `${SCRATCH}${identity().pid}-${id}`)
  removeTree(folders, scratch)
  makeDir(folders.child(scratch), 0o700)
  return scratch
}

const lookAt = (folders: OpenFolders, path: RelPath): Stat | undefined => {
  const at = childOr(folders, path)
  return at === undefined ? undefined : lstat(at)
}

/** Whether something that is not a folder, such as a link, is in its place: nothing is written through a link. */
const isElsewhere = (folders: OpenFolders, path: RelPath): boolean => {
  const stat = lookAt(folders, path)
  return stat !== undefined && !stat.isDirectory()
}

/** Removes temporary folders of processes that have died. */
function sweep(folders: OpenFolders): void {
  for (const name of readNames(folders.folder(ISSUES))) {
    const pid = name.startsWith(SCRATCH) ? Number(name.slice(SCRATCH.length).split('-')[0]) : undefined
    if (pid !== undefined && !(Number.isSafeInteger(pid) && isRunning(pid))) removeTree(folders, joinPath(ISSUES, name))
  }
}

function move(folders: OpenFolders, from: RelPath, to: RelPath): void {
  rename(folders.child(from), folders.child(to))
  folders.forget(from)
}

/**
 * Makes the folders and the records agree again. If they do already, it costs a stat of three files per issue. Returns
 * warnings.
 */
export async function settleIssues(ctx: CaptureContext, place: Place): Promise<string[]> {
  const disks = ctx.records.issues.disks(place.id)
  if (disks.length === 0) return []
  const folders = openFolders(place.root)
  try {
    return await settleAll(ctx, folders, disks)
  } finally {
    folders.close()
  }
}

async function settleAll(
  ctx: CaptureContext,
  folders: OpenFolders,
  disks: ReturnType<CaptureContext['records']['issues']['disks']>,
): Promise<string[]> {
  const told: string[] = []
  if (isElsewhere(folders, ISSUES))
    return [`${folders.plain(ISSUES)} is not a folder of its own; the issues are recorded all the same`]
  for (const { id, disk, drawn } of disks) {
    folders.rest()
    if (!drawn || !isAsKnown(folders, folderOf(id), disk))
      told.push(...(await settleOne(ctx, folders, id, disk).catch((error: unknown) => sayDamage(id, error))))
  }
  return told
}

/** Damage in the store, or a link in place of the folder, is reported as a warning and does not stop the command. */
function sayDamage(id: string, error: unknown): string[] {
  const fault = asReplaced(error)
  if (fault instanceof Fault && (fault.kind === 'corrupt' || fault.code === 'ROOT_REPLACED'))
    return [`the folder of issue ${id} could not be written: ${fault.message}`]
  throw error
}

const isAsKnown = (folders: OpenFolders, folder: RelPath, disk: OnDisk): boolean =>
  FILES.every((name) => {
    const known = disk[name]?.signature
    return known !== undefined && signatureOf(folders, joinPath(folder, name)) === known
  })

function signatureOf(folders: OpenFolders, path: RelPath): string | undefined {
  const stat = lookAt(folders, path)
  return stat?.isFile() ? `${stat.size}:${stat.mtimeMs}:${stat.ino}` : undefined
}

async function settleOne(ctx: CaptureContext, folders: OpenFolders, id: string, disk: OnDisk): Promise<string[]> {
  const folder = folderOf(id)
  if (isElsewhere(folders, folder))
    return [`${folders.plain(folder)} is not a folder of its own; the issue is recorded all the same`]
  const told = lookAt(folders, folder) ? FILES.flatMap((name) => takeIn(ctx, folders, id, name, disk)) : []
  const issue = ctx.records.issues.get(id) as IssueRecord
  await writeAgain(ctx, folders, issue)
  ctx.records.issues.setDrawn(issue, onDisk(ctx, folders, issue))
  return told
}

/** The hash of what the file should hold according to the records. */
function recordedHash(ctx: CaptureContext, issue: IssueRecord, name: File): string {
  if (name === ISSUE_FILE) return toHex(sha256(Buffer.from(issueJson(issue))))
  const entry = entriesOf(ctx, issue.tree).find((one) => one.name === name)
  return entry ? toHex(entry.hash) : ''
}

function hashOf(folders: OpenFolders, path: RelPath): string | undefined {
  const at = childOr(folders, path)
  const taken = at === undefined ? 'moved' : takeFile(at, Number.MAX_SAFE_INTEGER, { take: () => {} })
  return taken === 'moved' || 'skip' in taken ? undefined : toHex(taken.hash)
}

/** Records what was written by hand. */
function takeIn(ctx: CaptureContext, folders: OpenFolders, id: string, name: File, disk: OnDisk): string[] {
  const path = joinPath(folderOf(id), name)
  const found = hashOf(folders, path)
  const issue = ctx.records.issues.get(id) as IssueRecord
  const last = disk[name]?.hash
  if (found === undefined || found === recordedHash(ctx, issue, name) || found === last) return []
  point('issue:edited')
  if (name === ISSUE_FILE) return takeFields(ctx, folders, path, id)
  if (name === EXPERIMENT_FILE) return takeExperiment(ctx, folders, path, id, last)
  changeIssue(ctx, id, (now, batch) => ({
    ...now,
    tree: putTree(batch, others(ctx, now, name, takeText(batch, name, folders.child(path)))),
  }))
  return []
}

const others = (ctx: CaptureContext, issue: IssueRecord, name: string, entry: ReturnType<typeof takeText>) => [
  ...entriesOf(ctx, issue.tree).filter((one) => one.name !== name),
  entry,
]

function takeFields(ctx: CaptureContext, folders: OpenFolders, path: RelPath, id: string): string[] {
  const text = readUnlinked(folders.child(path)).toString()
  const issue = ctx.records.issues.get(id) as IssueRecord
  const fields = editedFields(text, issue)
  if (fields === undefined) return putAside(folders, path, 'it is no longer the file of this issue')
  changeIssue(ctx, id, (now) => {
    const move = {
      at: ctx.clock.now(),
      from: now.status,
      to: fields.status,
      reason: 'written into issue.json by hand',
    }
    return { ...now, ...fields, history: fields.status === now.status ? now.history : [...now.history, move] }
  })
  return []
}

/** A round may have been recorded but not yet written when the file was edited: both are kept. */
function takeExperiment(
  ctx: CaptureContext,
  folders: OpenFolders,
  path: RelPath,
  id: string,
  last: string | undefined,
): string[] {
  const bytes = readUnlinked(folders.child(path))
  let clash = false
  changeIssue(ctx, id, (now, batch) => {
    const recorded = recordedHash(ctx, now, EXPERIMENT_FILE)
    if (last === undefined || last === recorded || !ctx.store.index.has(fromHex(last)))
      return withText(ctx, batch, now, EXPERIMENT_FILE, bytes)
    const base = ctx.store.reader.get(fromHex(last))
    const merged = mergeBytes(base, ctx.store.reader.get(fromHex(recorded)), bytes)
    clash = !('bytes' in merged)
    return 'bytes' in merged ? withText(ctx, batch, now, EXPERIMENT_FILE, merged.bytes) : undefined
  })
  return clash ? putAside(folders, path, 'the same lines were recorded otherwise') : []
}

function putAside(folders: OpenFolders, path: RelPath, why: string): string[] {
  const nth = (n: number): RelPath => joinPath(parentOf(path), `${nameOf(path)}.edited${n === 1 ? '' : `-${n}`}`)
  let n = 1
  while (lookAt(folders, nth(n))) n++
  rename(folders.child(path), folders.child(nth(n)))
  return [`${folders.plain(path)} was written anew, because ${why}; what it held is in ${folders.plain(nth(n))}`]
}

/** Writes the files that are not as recorded. */
async function writeAgain(ctx: CaptureContext, folders: OpenFolders, issue: IssueRecord): Promise<void> {
  const folder = folderOf(issue.id)
  const wrong = FILES.filter((name) => hashOf(folders, joinPath(folder, name)) !== recordedHash(ctx, issue, name))
  if (wrong.length === 0) return
  const scratch = makeScratch(folders, issue.id)
  try {
    await materialise(ctx, { id: issue.id, tree: fromHex(issue.tree) }, folders.child(scratch), [], false)
    writeWhole(folders.child(joinPath(scratch, ISSUE_FILE)), issueJson(issue))
    point('issue:spread')
    if (lookAt(folders, folder) === undefined) return move(folders, scratch, folder)
    for (const name of wrong) rename(folders.child(joinPath(scratch, name)), folders.child(joinPath(folder, name)))
  } finally {
    removeTree(folders, scratch)
  }
}

/**
 * Signatures of the files that hold what is recorded: each is taken before the file is read, so that a later change is
 * detected.
 */
function onDisk(ctx: CaptureContext, folders: OpenFolders, issue: IssueRecord): OnDisk {
  return Object.fromEntries(
    FILES.flatMap((name) => {
      const [path, hash] = [joinPath(folderOf(issue.id), name), recordedHash(ctx, issue, name)]
      const signature = signatureOf(folders, path)
      return signature === undefined || hashOf(folders, path) !== hash ? [] : [[name, { hash, signature }]]
    }),
  )
}
