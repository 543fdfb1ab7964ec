import { z } from 'zod'
import { showPath } from '../base/quote.ts'
import { columns, count, size } from '../base/text.ts'
import { hostPath, pathGlob } from './paths.ts'
import { common, consent, spec } from './spec.ts'

const one = z.object({ ...common, snapshot_id: z.string().describe('The snapshot') })
const pinned = z.object({ snapshot_id: z.string(), pinned: z.boolean(), already: z.boolean() })

export const Pin = spec({
  name: 'pin',
  summary: 'Keep a snapshot for ever',
  effect: 'write',
  idempotent: true,
  group: 'timeline',
  input: one,
  output: pinned,
  faults: ['SNAPSHOT_NOT_FOUND', 'SNAPSHOT_AMBIGUOUS', 'SNAPSHOT_DROPPED'],
  text: (out) =>
    `${out.already ? 'Already pinned' : 'Pinned'}: ${out.snapshot_id}\nUndo with: timewarp unpin ${out.snapshot_id}`,
  verb: { words: ['snapshot_id'] },
})

export const Unpin = spec({
  name: 'unpin',
  summary: 'Let retention decide about a snapshot again',
  effect: 'danger',
  idempotent: true,
  group: 'store',
  input: one,
  output: pinned,
  faults: ['SNAPSHOT_NOT_FOUND', 'SNAPSHOT_AMBIGUOUS'],
  text: (out) =>
    `${out.already ? 'Not pinned' : 'Unpinned'}: ${out.snapshot_id}\nUndo with: timewarp pin ${out.snapshot_id}`,
  verb: { words: ['snapshot_id'] },
})

export const Label = spec({
  name: 'label',
  summary: 'Name a snapshot, or take its name away',
  effect: 'write',
  idempotent: true,
  group: 'timeline',
  input: z.object({
    ...common,
    snapshot_id: z.string().describe('The snapshot'),
    label: z.string().max(200).describe('The name; empty takes it away'),
  }),
  output: z.object({ snapshot_id: z.string(), label: z.string().nullable(), before: z.string().nullable() }),
  faults: ['SNAPSHOT_NOT_FOUND', 'SNAPSHOT_AMBIGUOUS'],
  text: (out) => `${out.label === null ? 'No label' : `Labelled "${out.label}"`}: ${out.snapshot_id}`,
  verb: { words: ['snapshot_id', 'label'] },
})

export const Prune = spec({
  name: 'prune',
  summary: 'Remove snapshots that the retention policy no longer keeps',
  effect: 'danger',
  group: 'store',
  ownProcess: true,
  blocks: true,
  input: z.object({
    ...common,
    dry_run: z.boolean().default(false).describe('Say what would be kept and removed, and why'),
    gc: z.boolean().default(true).describe('Free the disk space afterwards'),
  }),
  output: z.object({
    kept: z.array(z.object({ snapshot_id: z.string(), reason: z.string() })),
    removed: z.array(z.string()),
    dropped: z.array(z.string()).describe('Contents removed, records kept'),
    freed_bytes: z.number(),
    dry_run: z.boolean(),
  }),
  faults: ['RETENTION_UNKNOWN'],
  text: (out) =>
    [
      columns(out.kept.map((k) => [k.snapshot_id, k.reason])),
      `${out.dry_run ? 'Would keep' : 'Kept'} ${out.kept.length}, ${out.dry_run ? 'remove' : 'removed'} ${out.removed.length}; ${size(out.freed_bytes)} freed.`,
    ]
      .filter(Boolean)
      .join('\n'),
  verb: { examples: ['timewarp prune --dry-run'] },
})

export const Gc = spec({
  name: 'gc',
  summary: 'Free the space of what no snapshot needs, and merge small packs',
  effect: 'danger',
  group: 'store',
  ownProcess: true,
  blocks: true,
  recovers: false,
  input: z.object({
    ...common,
    merge_only: z.boolean().default(false).describe('Only merge small packs: quick, and nothing is removed'),
  }),
  output: z.object({
    objects_removed: z.number(),
    packs_before: z.number(),
    packs_after: z.number(),
    bytes_before: z.number(),
    bytes_after: z.number(),
    freed_bytes: z.number(),
    warnings: z.array(z.string()),
  }),
  faults: [],
  text: (out) =>
    [
      `Removed ${count(out.objects_removed, 'object')}; ${size(out.freed_bytes)} freed. ` +
        `${count(out.packs_after, 'pack')}, ${size(out.bytes_after)}.`,
      ...out.warnings.map((warning) => `Warning: ${warning}`),
    ].join('\n'),
})

export const StoreProblem = z.object({
  code: z.enum([
    'OBJECT_MISSING',
    'OBJECT_DAMAGED',
    'PACK_MISSING',
    'PACK_DAMAGED',
    'INDEX_WRONG',
    'RECORD_WRONG',
    'RECORDS_DAMAGED',
    'RECORDS_BEHIND',
    'PATH_DAMAGED',
  ]),
  message: z.string(),
  object: z.string().nullable(),
  pack: z.string().nullable(),
  snapshots: z.array(z.string()).describe('Snapshots that need it'),
  paths: z.array(z.string()).describe('Paths that need it'),
  repaired: z.boolean(),
})
export type StoreProblem = z.infer<typeof StoreProblem>

export const Fsck = spec({
  name: 'fsck',
  summary: 'Read everything back and name what is damaged',
  effect: 'write',
  reaches: { from: 'reads' },
  group: 'store',
  ownProcess: true,
  blocks: true,
  recovers: false,
  input: z.object({
    ...common,
    repair: z.boolean().default(false).describe('Store damaged contents again from the workspace or another copy'),
    from: hostPath('A mirror to repair from').optional(),
    rebuild: z.boolean().default(false).describe('Make the records again from the packs alone'),
  }),
  output: z.object({
    ok: z.boolean(),
    problems: z.array(StoreProblem),
    packs: z.number(),
    objects: z.number(),
    snapshots: z.number(),
    bytes: z.number(),
    rebuilt: z.boolean(),
  }),
  faults: ['MIRROR_BAD', 'FOLDER_REFUSED'],
  exit: (out) => (out.ok ? 0 : 20),
  text: (out) =>
    [
      ...(out.rebuilt ? ['The records were made again from the packs.'] : []),
      ...out.problems.flatMap((p) => [
        `${p.repaired ? 'Repaired' : 'Damage'}: ${p.message}`,
        ...p.snapshots.slice(0, 5).map((id) => `    needed by ${id}`),
        ...p.paths.slice(0, 5).map((path) => `    for ${showPath(path)}`),
      ]),
      `${out.ok ? 'All is well' : 'Damage found'}: ${count(out.packs, 'pack')}, ${count(out.objects, 'object')}, ` +
        `${count(out.snapshots, 'snapshot')}, ${size(out.bytes)} read back.`,
    ].join('\n'),
  verb: {
    examples: ['timewarp fsck', 'timewarp fsck --repair --from /mnt/backup/timewarp', 'timewarp fsck --rebuild'],
  },
})

export const StoreStats = spec({
  name: 'stats',
  summary: 'Tell what the store holds, by workspace',
  effect: 'read',
  group: 'store',
  ownProcess: true,
  blocks: true,
  recovers: false,
  input: z.object({ ...common }),
  output: z.object({
    home: z.string(),
    disk_bytes: z.number(),
    packs: z.number(),
    objects: z.number(),
    object_bytes: z.number().describe('Bytes of all different contents'),
    compression_ratio: z.number().describe('object_bytes against the bytes of the packs'),
    dedup_ratio: z.number().describe('Bytes of all files of all snapshots against object_bytes'),
    workspaces: z.array(
      z.object({
        workspace_id: z.string(),
        root: z.string(),
        present: z.boolean(),
        snapshots: z.number(),
        pinned: z.number(),
        newest: z.string().nullable(),
        files: z.number(),
        bytes: z.number().describe('Size of the newest state'),
        stored_bytes: z.number().describe('Bytes its snapshots added to the store'),
      }),
    ),
  }),
  faults: [],
  text: (out) =>
    [
      `${out.home}: ${size(out.disk_bytes)} on disk, ${count(out.objects, 'object')} in ${count(out.packs, 'pack')}; ` +
        `compressed ${out.compression_ratio.toFixed(1)}×, deduplicated ${out.dedup_ratio.toFixed(1)}×.`,
      columns(
        out.workspaces.map((w) => [
          w.workspace_id,
          count(w.snapshots, 'snapshot'),
          `${count(w.files, 'file')}, ${size(w.bytes)}`,
          `${size(w.stored_bytes)} stored`,
          `${w.root}${w.present ? '' : ' (gone)'}`,
        ]),
      ),
    ].join('\n'),
})

export const Forget = spec({
  name: 'forget',
  summary: 'Purge the contents of a path from all snapshots and packs',
  effect: 'danger',
  group: 'store',
  ownProcess: true,
  blocks: true,
  input: z.object({
    ...common,
    pattern: pathGlob('A path, a folder or a glob'),
    everything: z.boolean().default(false).describe('Allow a pattern that stands for every path of every snapshot'),
    dry_run: z.boolean().default(false).describe('Show the plan, change nothing'),
    ...consent,
  }),
  output: z.object({
    pattern: z.string(),
    paths: z.array(z.string()).describe('Paths whose contents go'),
    snapshots: z.array(z.string()).describe('Snapshots that lose them'),
    objects_purged: z.number().describe('Different contents that go'),
    still_held: z.array(z.string()).describe('Paths whose contents are kept because another path has the same'),
    freed_bytes: z.number().describe('What the contents that go take in the packs'),
    dry_run: z.boolean(),
    warnings: z.array(z.string()),
  }),
  faults: [
    'PATH_OUTSIDE',
    'RECORDS_BEHIND',
    'NOTHING_TO_FORGET',
    'FORGETS_EVERYTHING',
    'CONFIRM_NEEDED',
    'CONFIRM_WRONG',
  ],
  text: (out) =>
    [
      `${out.dry_run ? 'Would purge' : 'Purged'} ${count(out.paths.length, 'path')} from ${count(out.snapshots.length, 'snapshot')}: ` +
        `${count(out.objects_purged, 'object')}, ${size(out.freed_bytes)} freed.`,
      ...out.paths.slice(0, 50).map((path) => `  ${showPath(path)}`),
      ...(out.paths.length > 50 ? [`  … and ${out.paths.length - 50} more`] : []),
      ...out.still_held.map((path) => `  same contents kept at another path: ${showPath(path)}`),
      out.dry_run
        ? 'The files in the workspace would not be touched. What is purged cannot be brought back.'
        : 'The files in the workspace were not touched.',
      ...out.warnings.map((warning) => `Warning: ${warning}`),
    ].join('\n'),
  question: (plan) => `Forget ${count(plan.paths.length, 'path')} from ${count(plan.snapshots.length, 'snapshot')}?`,
  verb: { words: ['pattern'], examples: ['timewarp forget .env --dry-run', "timewarp forget '**/*.pem'"] },
})

export const Mirror = spec({
  name: 'mirror',
  summary: 'Copy the store to another disk, or bring it back from there',
  effect: 'write',
  reaches: { dir: 'writes' },
  group: 'store',
  ownProcess: true,
  blocks: true,
  recovers: false,
  input: z.object({
    ...common,
    dir: hostPath('The folder of the mirror, outside of workspaces and the store'),
    back: z.boolean().default(false).describe('Bring everything the mirror has into this store'),
    verify: z
      .boolean()
      .default(false)
      .describe('Read back what was mirrored earlier, too, and copy again what is damaged'),
  }),
  output: z.object({
    dir: z.string(),
    copied_packs: z.number(),
    copied_bytes: z.number(),
    removed_packs: z.number(),
    snapshots: z.number(),
    verified: z.boolean().describe('Everything copied now was read back and found sound'),
    back: z.boolean(),
  }),
  faults: ['MIRROR_BAD', 'PACK_DAMAGED', 'FOLDER_REFUSED'],
  text: (out) =>
    `${out.back ? 'Brought back' : 'Mirrored'} ${count(out.copied_packs, 'pack')} (${size(out.copied_bytes)}), each read back and verified; ` +
    `${count(out.snapshots, 'snapshot')}: ${out.dir}`,
  verb: {
    words: ['dir'],
    examples: ['timewarp mirror /mnt/backup/timewarp', 'timewarp mirror /mnt/backup/timewarp --back'],
  },
})
