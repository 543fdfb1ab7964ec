/**
 * What a machine does before its power is cut: changes files and calls tools, and reports each step as one line of JSON.
 *
 * Argument: `{ home, ws, seed, steps, daemon }`. Files it writes itself are synced, so that whatever is missing or empty
 * after the cut is the program's doing.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { openApp } from '../../src/app/app.ts'
import { daemonFilesOf } from '../../src/client/daemon-files.ts'
import { Daemon } from '../../src/daemon/daemon.ts'
import { callTool } from '../../src/tools/call.ts'
import { seeded, stateOf } from '../kit/world.ts'
import type { CutEvent, Makes } from './power-cut-model.ts'

const order = JSON.parse(process.argv[2] ?? '{}') as {
  home: string
  ws: string
  seed: number
  steps: number
  daemon: boolean
}
const { home, ws } = order
const random = seeded(order.seed)
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
const report = (event: CutEvent): void => void writeSync(1, `${JSON.stringify(event)}\n`)
const place = { cwd: ws, progress: () => {} }

function syncAt(path: string): void {
  const fd = openSync(path, 'r')
  fsyncSync(fd)
  closeSync(fd)
}

const files = (): string[] =>
  readdirSync(ws, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.timewarp'))
    .map((entry) => join(entry.parentPath, entry.name))

function write(at: string, content: string): void {
  mkdirSync(dirname(at), { recursive: true })
  rmSync(at, { force: true })
  writeFileSync(at, content)
  syncAt(at)
  for (let folder = dirname(at); folder.length >= ws.length; folder = dirname(folder)) syncAt(folder)
}

/** Some changes of a person's. */
function disturb(): void {
  report({ kind: 'writing' })
  for (let n = 1 + Math.floor(random() * 4); n > 0; n--) {
    const there = files()
    const act = random()
    if (act < 0.15 && there.length > 3) {
      const at = pick(there)
      rmSync(at)
      syncAt(dirname(at))
    } else if (act < 0.25 && there.length > 3) {
      const at = pick(there)
      renameSync(at, `${at}.moved`)
      syncAt(dirname(at))
    } else {
      const size = random() < 0.1 ? 400_000 : Math.floor(random() * 3000)
      const line = `${random()}\n`
      write(join(ws, pick(['', 'd', 'd/e', 'f']), `n${Math.floor(random() * 12)}`), line.repeat(1 + size / line.length))
    }
  }
  report({ kind: 'wrote', state: stateOf(ws) })
}

// oxlint-disable-next-line typescript/no-explicit-any -- outputs are looked at field by field
type Output = any
type Caller = (tool: string, input: object) => Promise<Output>

/** As the command line without a daemon does it: a store opened for each, settled after the answer. */
const alone: Caller = async (tool, input) => {
  const app = openApp({ home })
  try {
    const { output } = await callTool({ app, ...place }, tool, input)
    return [output, () => app.settle(), () => app.close()]
  } catch (error) {
    app.close()
    throw error
  }
}

const snapshots: string[] = []
let isAway = false

/** The next tool to call, with what it needs. */
function next(): [string, object] {
  const roll = random()
  const id = snapshots.length > 0 ? pick(snapshots) : undefined
  if (isAway) return roll < 0.6 ? ['timewarp_return', {}] : ['snapshot', { pin: true }]
  if (roll < 0.35 || id === undefined) return ['snapshot', { pin: true, ...(random() < 0.3 ? { label: 'l' } : {}) }]
  if (roll < 0.5) return ['restore', { snapshot_id: id }]
  if (roll < 0.58) return ['undo', {}]
  if (roll < 0.7)
    return [
      'apply_whole_file_edit',
      { path: `d/n${Math.floor(random() * 12)}`, content: `edit ${random()}\n`.repeat(50) },
    ]
  if (roll < 0.76) return ['delete', { path: pick(files()).slice(ws.length + 1) }]
  if (roll < 0.88) return ['timewarp_travel', { snapshot_id: id }]
  if (roll < 0.94) return ['gc', {}]
  return ['prune', {}]
}

async function step(call: Caller): Promise<void> {
  if (random() < 0.6) disturb()
  const [tool, input] = next()
  const before = stateOf(ws)
  const makes = tool === 'apply_whole_file_edit' ? (input as Makes) : undefined
  report({ kind: 'begin', tool, before, makes })
  try {
    const [output, settle, close] = (await call(tool, input)) as [Output, () => Promise<void>, () => void]
    report({
      kind: 'answer',
      tool,
      state: stateOf(ws),
      snapshot: tool === 'snapshot' ? output.snapshot_id : undefined,
      backup: output.backup_id ?? output.backup_path ?? undefined,
    })
    if (tool === 'snapshot') snapshots.push(output.snapshot_id)
    if (tool === 'timewarp_travel') isAway = true
    if (tool === 'timewarp_return') isAway = false
    await settle()
    report({ kind: 'settled' })
    close()
  } catch (error) {
    report({ kind: 'refused', tool, why: String(error), state: stateOf(ws) })
  }
}

// A daemon makes no store.
mkdirSync(join(home, 'objects'), { recursive: true, mode: 0o700 })
const daemon = order.daemon
  ? new Daemon({
      home,
      place: daemonFilesOf(home, {}),
      log: () => {},
      program: join(import.meta.dirname, '../../src/bin/daemon.ts'),
    })
  : undefined
const call: Caller = daemon
  ? async (tool, input) => {
      const { output } = await daemon.call(tool, { workspace: ws, ...input }, { cwd: ws })
      return [output, async () => {}, () => {}]
    }
  : alone
for (let i = 0; i < 6; i++) write(join(ws, `d/n${i}`), `start ${i}\n`)
report({ kind: 'wrote', state: stateOf(ws) })
report({ kind: 'ready' })
for (let i = 0; i < order.steps; i++) await step(call)
await daemon?.stop()
report({ kind: 'end' })
