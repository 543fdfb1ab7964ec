import { z } from 'zod'
import { count, duration, size } from '../base/text.ts'
import { Source } from '../schema/cause.ts'
import { leftOut, leftOutText } from './promises.ts'
import { common, spec } from './spec.ts'

export const Snapshot = spec({
  name: 'snapshot',
  summary: 'Capture the present state of the workspace',
  effect: 'write',
  recovers: false,
  group: 'timeline',
  repeatable: true,
  usesWatch: true,
  input: z.object({
    ...common,
    label: z.string().min(1).max(200).optional().describe('A name for this moment'),
    pin: z.boolean().default(false).describe('Keep it for ever'),
    description: z.string().optional().describe('Why it was taken'),
    source: Source.default('manual').describe('What asks for the capture'),
    tool: z.string().optional().describe('The tool call that made the change'),
    actor: z.string().optional().describe('Who made the change'),
  }),
  output: z.object({
    snapshot_id: z.string(),
    created: z.boolean().describe('false: nothing had changed, the newest snapshot is given'),
    tree: z.string(),
    base: z.string().nullable(),
    files: z.number(),
    bytes: z.number(),
    added: z.number(),
    modified: z.number(),
    deleted: z.number(),
    stored_bytes: z.number(),
    duration_ms: z.number(),
    left_out: leftOut.describe('What rules exclude, with sizes: told with the first snapshot; later status tells it'),
    warnings: z.array(z.string()),
  }),
  faults: ['CAPTURE_UNSETTLED'],
  text: (out) => {
    const head = out.created
      ? `Captured ${count(out.files, 'file')} (${size(out.bytes)}) in ${duration(out.duration_ms)}: ` +
        `${out.added} added, ${out.modified} modified, ${out.deleted} deleted; ${size(out.stored_bytes)} stored.`
      : `Nothing has changed since the newest snapshot (looked at ${count(out.files, 'file')} in ${duration(out.duration_ms)}).`
    const left = leftOutText(out.left_out)
    const first = left === '' ? [] : [`Left out: ${left}`]
    return [
      head,
      `Snapshot: ${out.snapshot_id}`,
      ...first,
      ...out.warnings.map((warning) => `Warning: ${warning}`),
    ].join('\n')
  },
  verb: {
    short: { m: 'label' },
    examples: ['timewarp snapshot', 'timewarp snapshot -m "before the refactoring" --pin'],
  },
})
