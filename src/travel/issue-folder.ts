import { join } from 'node:path'
import { Fault } from '../base/fault.ts'
import { mergeBytes } from '../edits/merge.ts'
import { writeWhole } from '../host/durable.ts'
import { lstat, readFile, readNames, removeAll, rename } from '../host/fs.ts'
import { makeDirs } from '../host/make-dirs.ts'
import { point } from '../host/points.ts'
import { identity, isRunning } from '../host/process.ts'
import type { IssueRecord, OnDisk } from '../records/issues.ts'
import { fromHex, sha256, toHex } from '../store/hash.ts'
import { materialise } from '../timeline/materialise.ts'
import type { CaptureRoom } from '../timeline/publish.ts'
import { takeFile } from '../timeline/read-stable.ts'
import { CHAT_FILE, EXPERIMENT_FILE, editedFields, ISSUE_FILE, issueJson } from './issue-text.ts'
import { changeIssue, entriesOf, putTree, takeText, withText } from './issues.ts'

/**
 * The folder of an issue in the workspace: a copy of what is recorded, for people and agents to read and to write in.
 *
 * What must hold: whatever somebody wrote into it by hand is recorded before anything is written over it; a folder that
 * is there is whole. So a folder is made aside and gets its name at the end; and a file that is neither as recorded nor
 * as it was last written is taken in.
 */

type Place = { readonly id: string; readonly root: string }

const FILES = [ISSUE_FILE, CHAT_FILE, EXPERIMENT_FILE] as const
type File = (typeof FILES)[number]

export const issueFolder = (root: string, id: string): string => join(root, '.timewarp', 'issues', id)

const SCRATCH = '.new-'

/** A folder beside those of the issues, for one that is being made. */
export function makeScratch({ root }: Place, id: string): string {
  const issues = join(root, '.timewarp', 'issues')
  if (isElsewhere(issues)) throw new Fault('FOLDER_REFUSED', { path: issues, why: 'it is not a folder of its own' })
  makeDirs(issues, 0o700)
  sweep(issues)
  const scratch = join(issues, `${SCRATCH}${identity().pid}-${id}`)
  removeAll(scratch)
  makeDirs(scratch, 0o700)
  return scratch
}

/** Nothing is written through a link. */
const isElsewhere = (path: string): boolean => {
  const stat = lstat(path)
  return stat !== undefined && !stat.isDirectory()
}

/** Folders that a process did not get to name before it died. */
function sweep(issues: string): void {
  for (const name of readNames(issues)) {
    const pid = name.startsWith(SCRATCH) ? Number(name.slice(SCRATCH.length).split('-')[0]) : undefined
    if (pid !== undefined && !(Number.isSafeInteger(pid) && isRunning(pid))) removeAll(join(issues, name))
  }
}

/** Gives a finished folder its name. One that is there already stays: it is looked at as any other. */
export function nameFolder(room: CaptureRoom, place: Place, issue: IssueRecord, scratch: string): void {
  const folder = issueFolder(place.root, issue.id)
  if (lstat(folder) === undefined) rename(scratch, folder)
  else removeAll(scratch)
  point('issue:placed')
  room.records.issues.setDrawn(issue, onDisk(room, place, issue))
}

/**
 * Makes the folders and the records agree again. Costs a look at three files for each issue when they do.
 * Returns what somebody should know.
 */
export async function settleIssues(room: CaptureRoom, place: Place): Promise<string[]> {
  const told: string[] = []
  const issues = join(place.root, '.timewarp', 'issues')
  if (isElsewhere(issues)) return [`${issues} is not a folder of its own; the issues are recorded all the same`]
  for (const { id, disk, drawn } of room.records.issues.disks(place.id))
    if (!drawn || !isAsKnown(issueFolder(place.root, id), disk))
      told.push(...(await settleOne(room, place, id, disk).catch((error: unknown) => sayDamage(id, error))))
  return told
}

/** Damage in the store is told, and keeps nobody from working. */
function sayDamage(id: string, error: unknown): string[] {
  if (error instanceof Fault && error.kind === 'corrupt')
    return [`the folder of issue ${id} could not be written: ${error.message}`]
  throw error
}

const isAsKnown = (folder: string, disk: OnDisk): boolean =>
  FILES.every((name) => {
    const known = disk[name]?.signature
    return known !== undefined && signatureOf(join(folder, name)) === known
  })

function signatureOf(path: string): string | undefined {
  const stat = lstat(path)
  return stat?.isFile() ? `${stat.size}:${stat.mtimeMs}:${stat.ino}` : undefined
}

async function settleOne(room: CaptureRoom, place: Place, id: string, disk: OnDisk): Promise<string[]> {
  const folder = issueFolder(place.root, id)
  if (isElsewhere(folder)) return [`${folder} is not a folder of its own; the issue is recorded all the same`]
  const told = lstat(folder) ? FILES.flatMap((name) => takeIn(room, folder, id, name, disk)) : []
  const issue = room.records.issues.get(id) as IssueRecord
  await writeAgain(room, place, issue)
  room.records.issues.setDrawn(issue, onDisk(room, place, issue))
  return told
}

/** What is recorded at a name: the hash of what the file should hold. */
function recordedHash(room: CaptureRoom, issue: IssueRecord, name: File): string {
  if (name === ISSUE_FILE) return toHex(sha256(Buffer.from(issueJson(issue))))
  const entry = entriesOf(room, issue.tree).find((one) => one.name === name)
  return entry ? toHex(entry.hash) : ''
}

function hashOf(path: string): string | undefined {
  const taken = takeFile(path, Number.MAX_SAFE_INTEGER, { take: () => {} })
  return taken === 'moved' || 'skip' in taken ? undefined : toHex(taken.hash)
}

/** Records what somebody wrote by hand. */
function takeIn(room: CaptureRoom, folder: string, id: string, name: File, disk: OnDisk): string[] {
  const path = join(folder, name)
  const found = hashOf(path)
  const issue = room.records.issues.get(id) as IssueRecord
  const last = disk[name]?.hash
  if (found === undefined || found === recordedHash(room, issue, name) || found === last) return []
  if (name === ISSUE_FILE) return takeFields(room, path, id)
  if (name === EXPERIMENT_FILE) return takeExperiment(room, path, id, last)
  changeIssue(room, id, (now, batch) => ({
    ...now,
    tree: putTree(batch, others(room, now, name, takeText(batch, name, path))),
  }))
  return []
}

const others = (room: CaptureRoom, issue: IssueRecord, name: string, entry: ReturnType<typeof takeText>) => [
  ...entriesOf(room, issue.tree).filter((one) => one.name !== name),
  entry,
]

function takeFields(room: CaptureRoom, path: string, id: string): string[] {
  const text = readFile(path)?.toString() ?? ''
  const issue = room.records.issues.get(id) as IssueRecord
  const fields = editedFields(text, issue)
  if (fields === undefined) return putAside(path, 'it is no longer the file of this issue')
  changeIssue(room, id, (now) => {
    const move = {
      at: room.clock.now(),
      from: now.status,
      to: fields.status,
      reason: 'written into issue.json by hand',
    }
    return { ...now, ...fields, history: fields.status === now.status ? now.history : [...now.history, move] }
  })
  return []
}

/** A round may have been recorded and not written when the file was edited: both stay. */
function takeExperiment(room: CaptureRoom, path: string, id: string, last: string | undefined): string[] {
  const bytes = readFile(path) ?? Buffer.alloc(0)
  let clash = false
  changeIssue(room, id, (now, batch) => {
    const recorded = recordedHash(room, now, EXPERIMENT_FILE)
    if (last === undefined || last === recorded || !room.store.index.has(fromHex(last)))
      return withText(room, batch, now, EXPERIMENT_FILE, bytes)
    const base = room.store.reader.get(fromHex(last))
    const merged = mergeBytes(base, room.store.reader.get(fromHex(recorded)), bytes)
    clash = !('bytes' in merged)
    return 'bytes' in merged ? withText(room, batch, now, EXPERIMENT_FILE, merged.bytes) : undefined
  })
  return clash ? putAside(path, 'the same lines were recorded otherwise') : []
}

function putAside(path: string, why: string): string[] {
  let aside = `${path}.edited`
  for (let n = 2; lstat(aside); n++) aside = `${path}.edited-${n}`
  rename(path, aside)
  return [`${path} was written anew, because ${why}; what it held is in ${aside}`]
}

/** Writes whatever is not as recorded. */
async function writeAgain(room: CaptureRoom, place: Place, issue: IssueRecord): Promise<void> {
  const folder = issueFolder(place.root, issue.id)
  const wrong = FILES.filter((name) => hashOf(join(folder, name)) !== recordedHash(room, issue, name))
  if (wrong.length === 0) return
  const scratch = makeScratch(place, issue.id)
  await materialise(room, { id: issue.id, tree: fromHex(issue.tree) }, scratch, [])
  writeWhole(join(scratch, ISSUE_FILE), issueJson(issue))
  point('issue:spread')
  if (lstat(folder) === undefined) return rename(scratch, folder)
  for (const name of wrong) rename(join(scratch, name), join(folder, name))
  removeAll(scratch)
}

/** Signatures of the files that hold what is recorded: each taken before the file is read, so that a later change shows. */
function onDisk(room: CaptureRoom, { root }: Place, issue: IssueRecord): OnDisk {
  const folder = issueFolder(root, issue.id)
  return Object.fromEntries(
    FILES.flatMap((name) => {
      const [path, hash] = [join(folder, name), recordedHash(room, issue, name)]
      const signature = signatureOf(path)
      return signature === undefined || hashOf(path) !== hash ? [] : [[name, { hash, signature }]]
    }),
  )
}
