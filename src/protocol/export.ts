import { z } from 'zod'
import { count } from '../base/text.ts'
import { common, spec } from './spec.ts'

const Commit = z.object({ commit: z.string(), subject: z.string(), snapshot_ids: z.array(z.string()) })

export const Export = spec({
  name: 'export',
  summary: 'Write snapshots as git commits on a new branch, one per prompt',
  effect: 'write',
  group: 'timeline',
  ownProcess: true,
  blocks: true,
  input: z.object({
    ...common,
    git: z.string().describe('The branch to make; HEAD, index and work tree stay as they are'),
    session: z.string().optional().describe('Only what this session did'),
    since: z.string().optional().describe('Only from this time on: ISO 8601, or an age such as 2h or 3d'),
    message: z.string().optional().describe('The subject of every commit (default: what the snapshot says of itself)'),
  }),
  output: z.object({
    branch: z.string(),
    commit: z.string().describe('The tip of the branch'),
    parent: z.string().nullable().describe('The commit the branch begins at: HEAD; null when there was none'),
    commits: z.array(Commit).describe('The oldest first'),
    left_out: z.number().describe('Changed paths that git ignores, or that are in submodules'),
    warnings: z.array(z.string()),
  }),
  faults: ['EXPORT_REFUSED'],
  text: (out) =>
    [
      `Wrote ${count(out.commits.length, 'commit')} to the branch ${out.branch}`,
      ...out.commits.map(({ commit, subject }) => `  ${commit.slice(0, 10)}  ${subject}`),
      ...(out.left_out > 0 ? [`Left out, because git leaves them alone: ${count(out.left_out, 'path')}.`] : []),
      ...out.warnings.map((warning) => `Warning: ${warning}`),
      `See it with: git log ${out.branch}`,
    ].join('\n'),
  verb: {
    examples: ['timewarp export --git agent-work', 'timewarp export --git agent-work --session sess_1 --since 2h'],
  },
})
