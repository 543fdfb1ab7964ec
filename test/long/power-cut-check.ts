/**
 * Looks at a machine whose power was cut, as the commands of the next boot find it. Argument: the file with an `Expectation`.
 * Prints what is wrong as a JSON array of `[kind, detail]`.
 */
import { lstatSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openApp } from '../../src/app/app.ts'
import { callTool } from '../../src/tools/call.ts'
import { type State, seeded, snapshotState, stateOf } from '../kit/world.ts'
import type { Expectation } from './power-cut-model.ts'

const expected = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Expectation
const { home, ws } = expected
const random = seeded(expected.seed)
const wrong: [string, string][] = []
const blame = (kind: string, detail: string): void => void wrong.push([kind, detail])

const app = openApp({ home })
const call = async (tool: string, input: object = {}) =>
  // oxlint-disable-next-line typescript/no-explicit-any -- outputs are looked at field by field
  (await callTool({ app, cwd: ws, progress: () => {} }, tool, input)).output as any

/** The first path that differs, for a person to read; undefined when none does. */
function differ(a: State, b: State): string | undefined {
  for (const path of new Set([...Object.keys(a), ...Object.keys(b)]))
    if (a[path] !== b[path]) return `${path}: "${a[path] ?? 'nothing'}" instead of "${b[path] ?? 'nothing'}"`
  return undefined
}

async function attempt(kind: string, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    blame(kind, error instanceof Error ? `${error.message} ${(error.stack ?? '').split('\n')[1] ?? ''}` : String(error))
  }
}

const recorded = (): string[] => app.records.snapshots.all().flatMap(({ id, content }) => (content ? [id] : []))

function checkRecorded(): void {
  const there = new Set(recorded())
  for (const id of expected.durable) if (!there.has(id)) blame('durable snapshot lost', id)
  for (const id of there) {
    const state = snapshotState(app, id)
    const known = expected.known[id]
    const difference = known && differ(state, known)
    if (difference) blame('snapshot differs', `${id}: ${difference}`)
  }
}

function checkPresent(present: State): void {
  if (expected.present) {
    const difference = differ(present, expected.present)
    if (difference) blame('workspace differs', difference)
  }
  if (expected.isWriting) return
  for (const [path, line] of Object.entries(present)) {
    if (expected.ever[path]?.includes(line) || line.startsWith('folder') || isMade(path)) continue
    const isEmpty = lstatSync(join(ws, path)).size === 0
    blame(isEmpty ? 'empty file' : 'unknown content', `${path}: ${line}`)
  }
}

const isMade = (path: string): boolean =>
  path === expected.makes?.path && readFileSync(join(ws, path), 'utf8') === expected.makes.content

/** In the middle of an act: what was there before is there, or a snapshot holds it. */
function checkBefore(present: State): void {
  if (expected.before === undefined || differ(present, expected.before) === undefined) return
  const before = expected.before
  if (!recorded().some((id) => differ(snapshotState(app, id), before) === undefined))
    blame('state before the act lost', differ(present, before) ?? '')
}

async function checkNext(): Promise<void> {
  const { snapshot_id } = await call('snapshot')
  const present = stateOf(ws)
  const difference = differ(snapshotState(app, snapshot_id), present)
  if (difference) blame('next snapshot differs', difference)
  const known = Object.keys(expected.known).filter((id) => recorded().includes(id))
  const target = known[Math.floor(random() * known.length)]
  if (target === undefined) return
  const restored = await call('restore', { snapshot_id: target })
  const after = differ(stateOf(ws), expected.known[target] ?? {})
  if (after) blame('restore differs', `${target}: ${after}`)
  if (restored.backup_id === null) return
  await call('undo')
  const undone = differ(stateOf(ws), present)
  if (undone) blame('undo differs', undone)
}

const fsck = async (when: string): Promise<void> => {
  const { ok, problems } = await call('fsck')
  if (!ok) blame('fsck', `${when}: ${JSON.stringify(problems).slice(0, 600)}`)
}

await attempt('records unreadable', async () => checkRecorded())
await attempt('fsck', () => fsck('before recovery'))
await attempt('no next snapshot', async () => {
  await call('snapshot')
  checkPresent(stateOf(ws))
  checkBefore(stateOf(ws))
})
await attempt('no way home', async () => {
  if ((await call('status')).mode === 'past') await call('timewarp_return')
})
await attempt('next', checkNext)
await attempt('fsck', () => fsck('at the end'))
await app.settle()
app.close()
writeSync(1, JSON.stringify(wrong))
