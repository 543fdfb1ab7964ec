import { dirname, join } from 'node:path'
import { Fault } from '../../base/fault.ts'
import { crypto } from '../../host/builtins.ts'
import { writeWhole } from '../../host/files/durable.ts'
import {
  lstat,
  makeDir,
  readFile,
  readNames,
  realPath,
  removeAll,
  removeDir,
  removeFile,
  stat,
} from '../../host/files/fs.ts'
import { makeDirs } from '../../host/files/make-dirs.ts'
import { CLIENT_FILES, type HookCall, type Installable, type InstallScope } from './client-files.ts'
import { addEntries, ourEntries, removeEntries, type SettingsEdit } from './settings-text.ts'

/** Installs a client's hooks where the client looks for them, and removes them again without a trace. */

export interface Installing {
  readonly client: Installable
  readonly scope: InstallScope
  /** The client's file. */
  readonly file: string
  /** The folder of the project, when the hooks are for this project alone. */
  readonly project: string | undefined
  /** The store, which keeps a receipt of the installation. */
  readonly home: string
  readonly call: HookCall
  /** The text of the plugin, for a client that has plugins. */
  readonly plugin: () => string
}

export type InstallState = 'absent' | 'installed' | 'outdated' | 'damaged'

/** What was installed where, so that exactly this can be removed. */
interface Receipt {
  readonly file: string
  readonly existed: boolean
  /** Folders that were created for it, the deepest first. */
  readonly folders: readonly string[]
  readonly pieces: readonly string[]
}

export function stateOf(at: Installing): InstallState {
  const text = readText(at.file)
  if (text === undefined) return 'absent'
  const wanted = CLIENT_FILES[at.client].entries?.(at.call)
  if (wanted === undefined) return !text.includes(MARK) ? 'absent' : text === at.plugin() ? 'installed' : 'outdated'
  const ours = ourEntries(text, isOurs)
  if ('problem' in ours && typeof ours.problem === 'string') return 'damaged'
  if (Object.keys(ours).length === 0) return 'absent'
  return sorted(ours) === sorted(wanted) ? 'installed' : 'outdated'
}

const sorted = (entries: object): string => JSON.stringify(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Returns the state before. May be called again: then it changes nothing. */
export function install(at: Installing): InstallState {
  refuseWayOut(at)
  const before = stateOf(at)
  if (before === 'installed') return before
  if (before === 'outdated') remove(at)
  const text = readText(at.file)
  const wanted = CLIENT_FILES[at.client].entries?.(at.call)
  if (wanted === undefined && text !== undefined)
    throw new Fault('GUARD_SETTINGS', { file: at.file, problem: 'another file has this name' })
  const edit: SettingsEdit = wanted ? addEntries(text ?? '', wanted) : { text: at.plugin(), pieces: [] }
  if ('problem' in edit) throw new Fault('GUARD_SETTINGS', { file: at.file, problem: edit.problem })
  const folders = missingFolders(at.file)
  const receipt: Receipt = { file: at.file, existed: text !== undefined, folders, pieces: edit.pieces }
  // The receipt is written first, so that the hooks can be removed whatever happens next.
  makeDirs(dirname(receiptOf(at)), 0o700)
  writeWhole(receiptOf(at), `${JSON.stringify(receipt)}\n`)
  for (const folder of [...folders].reverse()) makeDir(folder)
  writeSettings(at.file, edit.text)
  return before
}

/**
 * A user may keep settings behind a link. A link in a project may lead anywhere its author wanted, so one that leads
 * out of the project is refused.
 */
function refuseWayOut({ file, project }: Installing): void {
  if (project === undefined) return
  let found = file
  while (lstat(found) === undefined) found = dirname(found)
  const [real, root] = [realOr(found), realOr(project)]
  if (real === undefined || !`${real}/`.startsWith(`${root}/`))
    throw new Fault('GUARD_SETTINGS', { file, problem: 'a link on the way to it leads out of the project' })
}

/** Undefined for a dangling link. */
function realOr(path: string): string | undefined {
  try {
    return realPath(path)
  } catch {
    return undefined
  }
}

/** Returns whether there was anything to remove. */
export function remove(at: Installing): boolean {
  refuseWayOut(at)
  const before = stateOf(at)
  const receipt = readReceipt(at)
  if (before === 'damaged') {
    const ours = ourEntries(readText(at.file) ?? '', isOurs) as { problem: string }
    throw new Fault('GUARD_SETTINGS', { file: at.file, problem: ours.problem })
  }
  if (before !== 'absent') takeAway(at, receipt)
  removeAll(receiptOf(at))
  return before !== 'absent'
}

function takeAway(at: Installing, receipt: Receipt | undefined): void {
  const edit: SettingsEdit = CLIENT_FILES[at.client].entries
    ? removeEntries(readText(at.file) ?? '', receipt?.pieces ?? [], isOurs)
    : { text: '', pieces: [] }
  if ('problem' in edit) throw new Fault('GUARD_SETTINGS', { file: at.file, problem: edit.problem })
  const isBare = /^\s*(\{\s*\})?\s*$/.test(edit.text)
  const wasMade = receipt === undefined ? CLIENT_FILES[at.client].entries === undefined : !receipt.existed
  if (!isBare || !wasMade) return writeSettings(at.file, edit.text)
  removeFile(at.file)
  for (const folder of receipt?.folders ?? []) if (lstat(folder) && readNames(folder).length === 0) removeDir(folder)
}

/** The text that identifies our plugin. */
const MARK = 'timewarp: a guard'

const isOurs = (hook: object): boolean => {
  const { command, args } = hook as { command?: unknown; args?: unknown }
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string')
  return words.some((word) => /(^|[/\\'" ])timewarp-hook(?=$|['" ])/.test(word))
}

function readText(file: string): string | undefined {
  const bytes = readFile(file)
  if (bytes === undefined) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Fault('GUARD_SETTINGS', { file, problem: 'it is not UTF-8' })
  }
}

/** A link stays a link, and the file keeps its mode. */
function writeSettings(file: string, text: string): void {
  const mode = stat(file)?.mode
  writeWhole(mode === undefined ? file : realPath(file), text, mode === undefined ? 0o644 : mode & 0o777)
}

/** The folders that do not exist yet, the deepest first. */
function missingFolders(file: string): string[] {
  const missing: string[] = []
  for (let folder = dirname(file); lstat(folder) === undefined; folder = dirname(folder)) missing.push(folder)
  return missing
}

const receiptOf = ({ home, client, file }: Installing): string =>
  join(home, 'guards', `${client}-${crypto().hash('sha256', file).slice(0, 12)}.json`)

function readReceipt(at: Installing): Receipt | undefined {
  try {
    return JSON.parse(readFile(receiptOf(at))?.toString() ?? '') as Receipt
  } catch {
    return undefined
  }
}
