import { join } from 'node:path'
import { z } from 'zod'
import { Fault } from '../base/fault.ts'
import { outPath } from '../base/quote.ts'
import { writeWhole } from '../host/durable.ts'
import { lstat, makeDirs, removeAll } from '../host/fs.ts'
import { ConfigTool, Status, Uninstall, WorkspaceInit, WorkspaceList } from '../protocol/setup.ts'
import { holderName } from '../records/leases.ts'
import { configFileSchema, mergeConfig } from '../schema/config.ts'
import { KIND } from '../store/tree.ts'
import { capture, leaseName } from '../timeline/capture.ts'
import { compareTrees, isChange, statusOf } from '../timeline/compare.ts'
import { excludedOf } from '../timeline/excluded.ts'
import { preview } from '../timeline/preview.ts'
import { parseSettings, readSettings, settingFiles } from '../timeline/settings.ts'
import { openWorkspace, realFolder } from '../timeline/workspace.ts'
import { checkConsent } from './consent.ts'
import { type Call, handler } from './handler.ts'
import type { House } from './house.ts'
import { captureRoom, findWorkspace, makeWorkspace, theWorkspace } from './place.ts'
import { recoverFirst } from './recovery.ts'
import { concern, standing } from './standing.ts'

export const workspaceInit = handler(WorkspaceInit, async (call, input) => {
  const root = realFolder(input.workspace ?? call.cwd, call.cwd)
  const known = call.house.records.workspaces.at(root)
  const workspace = known ? openWorkspace(known, call.house.home) : makeWorkspace(call, root)
  const base = { workspace_id: workspace.id, root, already: known !== undefined }
  if (!input.snapshot) return { ...base, snapshot_id: null, files: 0, warnings: [...workspace.warnings] }
  const recovered = await recoverFirst(call, workspace)
  const captured = await capture(captureRoom(call), workspace, {
    source: 'manual',
    label: input.label,
    cause: { role: 'change', ...(input.session_id ? { session_id: input.session_id } : {}) },
  })
  return {
    ...base,
    snapshot_id: captured.snapshot.id,
    files: captured.assembled.files,
    warnings: [...recovered, ...captured.warnings],
  }
})

export const status = handler(Status, async (call, input) => {
  const { house } = call
  const workspace = theWorkspace(call, input)
  const recovered = await recoverFirst(call, workspace)
  const newest = house.records.snapshots.newest(workspace.id)
  const { assembled, trees } = await preview(captureRoom(call), workspace)
  const differences = [...compareTrees(trees.read, newest?.tree, assembled.tree)].filter(isChange)
  const files = differences.filter(({ old: a, new: b }) => (b ?? a)?.kind !== KIND.directory)
  const tally = (wanted: string): number => files.filter((difference) => statusOf(difference) === wanted).length
  const lease = house.records.leases.holder(leaseName(workspace.id))
  return {
    workspace_id: workspace.id,
    root: workspace.root,
    home: house.home,
    ...standing(call, workspace),
    newest: newest
      ? { snapshot_id: newest.id, created_at: new Date(newest.created_at).toISOString(), label: newest.label }
      : null,
    snapshots: house.records.snapshots.count(workspace.id),
    changed: {
      added: tally('added'),
      modified: tally('modified'),
      deleted: tally('deleted'),
      paths: differences.slice(0, 100).map(({ path }) => outPath(path)),
    },
    excluded: excludedOf(workspace, assembled),
    skipped: assembled.skipped.map(({ path, reason }) => ({ path: outPath(path), reason })),
    git: newestKeep(house, workspace.id),
    busy: lease
      ? { holder: holderName(lease), purpose: lease.purpose, since: new Date(lease.since).toISOString() }
      : null,
    watch: watchOf(house, workspace.id),
    gaps: gapsOf(house, workspace.id),
    warnings: [...recovered, ...concern(call, workspace), ...workspace.warnings],
  }
})

const GAPS = { shown: 50, withinMs: 24 * 3_600_000 }

function gapsOf({ records, clock }: House, workspace: string) {
  const lately = records.gaps.list(workspace, GAPS.shown).filter(({ at }) => at > clock.now() - GAPS.withinMs)
  return lately.map(({ at, session_id, tool, reason }) => ({
    at: new Date(at).toISOString(),
    session_id,
    tool,
    reason,
  }))
}

function newestKeep({ records }: House, workspace: string) {
  const kept = records.gitKeeps.newest(workspace)?.keep
  return kept ? { git_id: kept.id, created_at: new Date(kept.created_at).toISOString(), why: kept.why } : null
}

function watchOf(house: House, workspace: string) {
  const sight = house.live?.sightOf(workspace)
  if (sight === undefined) return null
  const { reason, folders, drifting } = sight
  return { sight: sight.sight, reason, folders, drifting: drifting.map((path) => outPath(path)) }
}

export const config = handler(ConfigTool, async (call, input) => {
  if (input.schema)
    return {
      settings: z.toJSONSchema(configFileSchema(), { io: 'input' }) as Record<string, unknown>,
      files: [],
      changed: null,
    }
  const root = input.home ? undefined : rootOf(call, input)
  const files = settingFiles(call.house.home, root)
  const file = files.at(-1) as string
  const changing = input.key !== undefined && (input.value !== undefined || input.unset)
  if (changing) change(file, input.key as string, input.unset ? undefined : valueOf(input.value ?? ''))
  const settings = mergeConfig(files.map(readSettings))
  return {
    settings: input.key === undefined ? settings : { [input.key]: pick(settings, input.key) },
    files: files.filter((path) => lstat(path) !== undefined),
    changed: changing ? file : null,
  }
})

function rootOf(call: Call, input: { workspace?: string | undefined }): string | undefined {
  try {
    return findWorkspace(call, input).root
  } catch (error) {
    if (error instanceof Fault && error.code === 'WORKSPACE_UNKNOWN') return undefined
    throw error
  }
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function pick(settings: object, key: string): unknown {
  return key.split('.').reduce<unknown>((at, name) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) throw noSetting(key)
    return (at as Record<string, unknown>)[name]
  }, settings)
}

const noSetting = (key: string): Fault =>
  new Fault('BAD_INPUT', { problem: `There is no setting "${key}".`, command: 'config' })

/** Checked before it is written: a file that is there can be used. */
function change(file: string, key: string, value: unknown): void {
  const settings = structuredClone(readSettings(file)) as Record<string, unknown>
  const names = key.split('.')
  // What every object has of its own accord is no setting, and not to be changed for all of them.
  if (names.some((name) => name in Object.prototype)) throw noSetting(key)
  const last = names.pop() as string
  let at = settings
  for (const name of names) {
    const inner = (at[name] ??= {})
    if (typeof inner !== 'object' || inner === null)
      throw new Fault('BAD_INPUT', { problem: `"${name}" has no parts.`, command: 'config' })
    at = inner as Record<string, unknown>
  }
  if (value === undefined) delete at[last]
  else at[last] = value
  const text = `${JSON.stringify(settings, undefined, 2)}\n`
  parseSettings(file, text)
  makeDirs(join(file, '..'), 0o700)
  writeWhole(file, text, 0o644)
}

export const workspaceList = handler(WorkspaceList, async (call) => ({
  workspaces: call.house.records.workspaces.all().map(({ id, root, created_at }) => ({
    workspace_id: id,
    root,
    created_at: new Date(created_at).toISOString(),
    present: lstat(root)?.isDirectory() ?? false,
  })),
}))

/** What Timewarp put into workspaces, and the store if asked. */
export const uninstall = handler(Uninstall, async (call, input) => {
  const { home } = call.house
  const marks = call.house.records.workspaces
    .all()
    .map(({ root }) => join(root, '.timewarp'))
    .filter((path) => lstat(path) !== undefined)
  const removed = [...marks, ...(input.store ? [home] : [])]
  if (!input.dry_run) {
    if (input.store) checkConsent(Uninstall, input, { removed, kept: [], dry_run: true })
    if (input.store) call.house.close()
    for (const path of removed) removeAll(path)
  }
  return { removed, kept: input.store ? [] : [home], dry_run: input.dry_run }
})
