import { z } from 'zod'
import { count, size } from '../base/text.ts'
import { hostPath, insidePath } from './paths.ts'
import { receipt, receiptText } from './shapes.ts'
import { common, spec } from './spec.ts'

const dryRun = z.boolean().default(false).describe('Show exactly what would happen, change nothing')

export const Restore = spec({
  name: 'restore',
  summary: 'Bring the workspace, or some paths of it, back to a snapshot',
  effect: 'danger',
  group: 'timeline',
  usesWatch: true,
  input: z.object({
    ...common,
    snapshot_id: z.string().describe('The snapshot'),
    paths: z.array(insidePath()).default([]).describe('Only these paths or folders (can be repeated)'),
    dry_run: dryRun,
  }),
  output: z.object(receipt),
  faults: [
    'SNAPSHOT_NOT_FOUND',
    'SNAPSHOT_AMBIGUOUS',
    'SNAPSHOT_DROPPED',
    'PATH_NOT_FOUND',
    'PATH_OUTSIDE',
    'SNAPSHOT_FOREIGN',
    'RESTORE_DAMAGED',
    'RESTORE_FAILED',
    'ROOT_REPLACED',
    'CAPTURE_UNSETTLED',
  ],
  text: (out) => receiptText(out),
  verb: {
    words: ['snapshot_id', 'paths'],
    tail: 'paths',
    examples: ['timewarp restore ID --dry-run', 'timewarp restore ID src/main.ts docs'],
  },
})

const walk = {
  input: z.object({ ...common, dry_run: dryRun }),
  output: z.object({
    ...receipt,
    message: z.string(),
    affected_files: z.array(z.string()),
    reversed_diff: z.string(),
  }),
}

export const Undo = spec({
  name: 'undo',
  summary: 'Take back the newest act or captured change',
  effect: 'danger',
  group: 'timeline',
  usesWatch: true,
  ...walk,
  faults: [
    'NOTHING_TO_UNDO',
    'SNAPSHOT_DROPPED',
    'RESTORE_FAILED',
    'RESTORE_DAMAGED',
    'ROOT_REPLACED',
    'CAPTURE_UNSETTLED',
  ],
  text: (out) => `${out.message}\n${receiptText(out, 'timewarp redo')}`,
  verb: { examples: ['timewarp undo', 'timewarp undo --dry-run'] },
})

export const Redo = spec({
  name: 'redo',
  summary: 'Do again what undo took back',
  effect: 'danger',
  group: 'timeline',
  usesWatch: true,
  ...walk,
  faults: [
    'NOTHING_TO_REDO',
    'SNAPSHOT_DROPPED',
    'RESTORE_FAILED',
    'RESTORE_DAMAGED',
    'ROOT_REPLACED',
    'CAPTURE_UNSETTLED',
  ],
  text: (out) => `${out.message}\n${receiptText(out)}`,
  verb: { examples: ['timewarp redo'] },
})

export const Materialise = spec({
  name: 'materialise',
  summary: 'Write a snapshot into another, empty folder',
  effect: 'write',
  reaches: { dir: 'writes' },
  group: 'timeline',
  ownProcess: true,
  input: z.object({
    ...common,
    snapshot_id: z.string().describe('The snapshot'),
    dir: hostPath('An empty folder, or one to be made, outside of workspaces and the store'),
    paths: z.array(insidePath()).default([]).describe('Only these paths or folders (can be repeated)'),
  }),
  output: z.object({
    snapshot_id: z.string(),
    dir: z.string(),
    files: z.number(),
    bytes: z.number(),
    duration_ms: z.number(),
    skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
  }),
  faults: [
    'SNAPSHOT_NOT_FOUND',
    'SNAPSHOT_AMBIGUOUS',
    'SNAPSHOT_DROPPED',
    'FOLDER_NOT_EMPTY',
    'FOLDER_REFUSED',
    'PATH_NOT_FOUND',
    'PATH_OUTSIDE',
  ],
  text: (out) => `Wrote ${count(out.files, 'file')} (${size(out.bytes)}) into ${out.dir}`,
  verb: { words: ['snapshot_id', 'dir'], tail: 'paths', examples: ['timewarp materialise ID ../as-it-was'] },
})
