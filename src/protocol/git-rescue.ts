import { z } from 'zod'
import { showPath } from '../base/quote.ts'
import { columns, count, size } from '../base/text.ts'
import { hostPath } from './paths.ts'
import { common, consent, spec } from './spec.ts'

const Whereabouts = z
  .enum(['reachable', 'loose', 'missing'])
  .describe('reachable: some ref still leads to it; loose: it is there until git collects it; missing: only kept here')

const LostRef = z.object({
  ref: z.string(),
  id: z.string().describe('What it was'),
  now: z.string().nullable().describe('What it is; null when it is gone'),
  status: z.enum(['gone', 'rewritten']),
  object: Whereabouts,
})
const LostStash = z.object({ id: z.string(), message: z.string(), object: Whereabouts })

const Keep = z.object({
  git_id: z.string(),
  created_at: z.string(),
  why: z.string(),
  git_dir: z.string(),
  head: z.string().nullable(),
  branch: z.string().nullable().describe('Null when HEAD was detached'),
  refs: z.number(),
  stashes: z.number(),
  submodules: z.number(),
  bytes: z.number().describe('Size of the packs that hold what no remote had'),
  stored_bytes: z.number().describe('Bytes this keep added to the store'),
  problems: z.array(z.string()).describe('What is not kept, and why'),
})
export type Keep = z.infer<typeof Keep>

const Lost = z.object({
  git_dir_gone: z.boolean(),
  gone: z.string().nullable().describe('What is gone: the git folder, or the file or link that leads to it'),
  refs: z.array(LostRef),
  stashes: z.array(LostStash),
  commits: z.array(z.string()).describe('What only reflogs led to and the repository no longer has'),
})

const Listed = Keep.extend({
  lost: Lost.nullable().describe('What the repository lacks now compared with it; null when it cannot be read back'),
})

const Missing = z.object({
  what: z.enum(['git folder', 'ref', 'stash', 'commit', 'HEAD', 'index']),
  name: z.string().describe('The name of a ref, the id of a stash or commit'),
  git_id: z.string().describe('The newest kept state that has it'),
})

const Proposal = z.object({
  git_id: z.string(),
  brings: z.array(Missing),
  command: z.string().describe('Brings these back'),
})

const LeftRef = LostRef.extend({ command: z.string().describe('Puts it back all the same') })
const Head = z.object({ was: z.string(), now: z.string() }).describe('What HEAD says: `ref: NAME`, or an id')

const Hit = z.object({
  of: z.string().describe('prompt:ID, session:ID, or call:ID for a command in a guarded shell'),
  prompt: z.string().nullable(),
  client: z.string().nullable(),
  session_id: z.string().nullable(),
  calls: z.array(z.object({ call_id: z.string(), tool: z.string(), title: z.string() })),
  began_at: z.string(),
  ended_at: z.string(),
  git_id: z.string().describe('The state before its first change'),
  kept_at: z.string(),
  git_dir_gone: z.boolean(),
  refs: z.array(LostRef).describe('Branches and tags that it rewrote or deleted, and that nobody moved since'),
  stashes: z.array(LostStash),
  head: Head.nullable(),
  index: z
    .enum(['same', 'lost', 'changed'])
    .describe('lost: the one from before can be put back; changed: somebody changed it since, so that it stays'),
  left: z.array(LeftRef).describe('What somebody else moved, too: it stays'),
  command: z.string().describe('Takes it back'),
})
export type Hit = z.infer<typeof Hit>

const RescueRef = z.object({ ref: z.string(), id: z.string(), was: z.string() })

const Rescued = z.object({
  git_id: z.string(),
  action: z
    .enum(['rebuilt', 'refs', 'nothing'])
    .describe(
      'rebuilt: the git folder was made again; refs: what was lost can be reached again; nothing: nothing was lost',
    ),
  git_dir: z.string(),
  created: z.array(RescueRef).describe('New refs, and what each was before'),
  restored: z.array(LostRef).describe('Refs put back themselves'),
  stashes_restored: z.array(z.string()),
  head: Head.nullable().describe('HEAD, where it was put back'),
  index: z
    .enum(['same', 'restored', 'left', 'untouched'])
    .describe(
      'same: it is as it was before; restored: the one from before was put back; left: it stays, because somebody ' +
        'changed it since; untouched: nobody looked whether it fits the refs that were put back',
    ),
  left: z.array(LeftRef).describe('Refs that stay, because somebody else moved them'),
  unavailable: z.array(z.string()).describe('Objects that were not kept and are no longer there'),
  needs_fetch: z
    .array(z.object({ ref: z.string(), id: z.string() }))
    .describe('What only a remote has; git fetch --refetch brings it'),
  complete: z.boolean().describe('Whether everything that refs lead to is there'),
  backup_id: z.string().nullable().describe('The state of git just before refs were put back'),
})

export type Rescued = z.infer<typeof Rescued>

const when = (at: string): string => at.slice(0, 19).replace('T', ' ')
const short = (id: string | null): string => (id === null ? '-' : id.slice(0, 10))

function lostText({ lost }: z.infer<typeof Listed>): string[] {
  if (lost === null) return ['    it cannot be read back: see timewarp fsck']
  if (lost.git_dir_gone) return [lost.gone === null ? '    git cannot read it' : `    gone       ${lost.gone}`]
  return [
    ...lost.refs.map(
      (r) => `    ${r.status.padEnd(9)}  ${showPath(r.ref)}  ${short(r.id)} → ${short(r.now)} (${r.object})`,
    ),
    ...lost.stashes.map((s) => `    dropped    stash ${short(s.id)}  ${s.message} (${s.object})`),
    ...(lost.commits.length > 0 ? [`    missing    ${count(lost.commits.length, 'commit')} that reflogs led to`] : []),
  ]
}

const keepText = (k: z.infer<typeof Listed>): string =>
  [
    `${k.git_id}  ${when(k.created_at)}  ${k.branch === null ? 'detached' : showPath(k.branch)} ${short(k.head)}  ${count(k.refs, 'ref')}, ${count(k.stashes, 'stash', 'stashes')}, ${size(k.bytes)}  ${k.why}`,
    ...k.problems.map((problem) => `    not kept: ${problem}`),
    ...lostText(k),
  ].join('\n')

function listText({ keeps, proposals }: Pick<Answer, 'keeps' | 'proposals'>): string[] {
  if (keeps.length === 0) return ['No state of git is kept here. Keep one with: timewarp git-keep']
  return [...keeps.map(keepText), ...proposalText({ keeps, proposals })]
}

function proposalText({ keeps, proposals }: Pick<Answer, 'keeps' | 'proposals'>): string[] {
  if (proposals.length === 0)
    return [
      keeps.some(({ lost }) => lost && lost.refs.length + lost.stashes.length > 0)
        ? 'Nothing is lost since: what is told above was replaced by git-rescue, or by the prompt that made it.'
        : 'Nothing is lost since.',
    ]
  const moves = proposals.some(({ command }) => / --(restore-refs|of) /.test(`${command} `))
  return [
    'Bring it back with:',
    columns(proposals.map(({ command, brings }) => [`    ${command}`, brings.map(broughtText).join(', ')])),
    ...(moves
      ? [
          'The present state of git is kept first. With an id and without --restore-refs all comes back beside the present.',
        ]
      : []),
  ]
}

const broughtText = ({ what, name }: z.infer<typeof Missing>): string =>
  what === 'git folder' || what === 'index'
    ? `the ${what}`
    : what === 'ref'
      ? showPath(name)
      : what === 'HEAD'
        ? `HEAD at ${headText(name)}`
        : `${what} ${short(name)}`

function rescuedText(r: Rescued, dryRun: boolean): string[] {
  const did = (done: string, would: string): string => (dryRun ? `Would ${would}` : done)
  if (r.action === 'nothing') return [`Nothing is lost: everything of ${r.git_id} is in ${r.git_dir}`]
  const rebuilt = r.action === 'rebuilt' ? [`${did('Made', 'make')} ${r.git_dir} again from ${r.git_id}`] : []
  const stash = r.created.find(({ ref }) => ref.includes('/stashes/'))
  const ref = r.created.find(({ ref }) => ref.includes('/heads/')) ?? r.created.find((c) => c !== stash)
  return [
    ...rebuilt,
    ...(r.created.length > 0
      ? [`${did('Made', 'make')} ${count(r.created.length, 'ref')}; nothing of yours was overwritten.`]
      : []),
    columns(r.created.map((c) => [`    ${showPath(c.ref)}`, short(c.id), showPath(c.was)])),
    ...(r.restored.length > 0
      ? [`${did('Put back', 'put back')} ${count(r.restored.length, 'ref')}. No file was touched.`]
      : []),
    columns(r.restored.map((c) => [`    ${showPath(c.ref)}`, `${short(c.now)} → ${short(c.id)}`])),
    ...(r.stashes_restored.length > 0
      ? [`${did('Put back', 'put back')} ${count(r.stashes_restored.length, 'stash', 'stashes')}.`]
      : []),
    ...(r.head ? [`${did('Put back', 'put back')} HEAD: ${headText(r.head.now)} → ${headText(r.head.was)}`] : []),
    ...indexText(r, did),
    ...r.left.flatMap(leftText),
    ...(ref
      ? [`Look at it: git log ${showPath(ref.ref)}`, `Make it a branch: git branch NAME ${showPath(ref.ref)}`]
      : []),
    ...(stash ? [`Bring a stash back: git stash apply ${stash.ref}`] : []),
    ...(r.needs_fetch.length > 0
      ? [
          `Some commits are only on a remote (${r.needs_fetch
            .map((f) => `${showPath(f.ref)} ${short(f.id)}`)
            .slice(0, 5)
            .join(', ')}). Bring them with: git fetch --refetch --all`,
        ]
      : []),
    ...(r.unavailable.length > 0 ? [`Not kept and gone: ${r.unavailable.map(short).join(', ')}`] : []),
    ...(r.backup_id ? [`Undo with: timewarp git-rescue ${r.backup_id} --restore-refs`] : []),
  ]
}

/** HEAD as people name it: the branch, or the commit. */
export const headText = (head: string): string =>
  head.startsWith('ref: ') ? showPath(head.slice('ref: '.length)) : short(head)

export const leftText = ({ ref, id, now: is, command }: z.infer<typeof LeftRef>): string[] => [
  `Left as it is: ${showPath(ref)} (${short(id)} → ${short(is)}), which somebody else moved, too`,
  `    Put it back all the same with: ${command}`,
]

/** The index belongs to HEAD: where the two do not match, `git status` shows staged changes. */
function indexText({ index, restored }: Rescued, did: (done: string, would: string) => string): string[] {
  if (index === 'restored') return [`${did('Put back', 'put back')} the index, with what was staged.`]
  if (index === 'same' || (index === 'untouched' && restored.length === 0)) return []
  return [
    index === 'left' ? 'The index is left as it is: somebody changed it since.' : 'The index is left as it is.',
    '    Where it differs from HEAD, git status shows “Changes to be committed”; make it match HEAD, files untouched, with: git reset',
  ]
}

interface Answer {
  readonly proposals: readonly z.infer<typeof Proposal>[]
  readonly keeps: readonly z.infer<typeof Listed>[]
  readonly rescued: Rescued | null
  readonly forgotten: readonly string[]
  readonly freed_bytes: number
  readonly dry_run: boolean
}

function textOf(out: Answer): string[] {
  if (out.rescued) return rescuedText(out.rescued, out.dry_run)
  if (out.forgotten.length === 0) return listText(out)
  const states = count(out.forgotten.length, 'kept state')
  if (out.dry_run) return [`Would purge ${states} of git.`]
  return [
    `Purged ${states} of git; ${size(out.freed_bytes)} freed.`,
    'What git still has is kept again from now on. Turn that off with: timewarp config git.protect false',
  ]
}

export const GitRescue = spec({
  name: 'git_rescue',
  summary: 'List the kept states of git and what is lost since, or bring one back',
  effect: 'danger',
  reaches: { into: 'writes' },
  group: 'guards',
  ownProcess: true,
  input: z.object({
    ...common,
    git_id: z.string().optional().describe('The kept state to bring back, or the beginning of its id, or latest'),
    into: hostPath('Make the repository in this folder instead, outside of workspaces and the store').optional(),
    restore_refs: z
      .boolean()
      .default(false)
      .describe('Put lost and rewritten branches, tags and stashes back themselves; the present state is kept first'),
    only: z
      .array(z.string().min(1))
      .default([])
      .describe('Only these: names of refs, beginnings of ids of stashes, or commits (can be repeated)'),
    of: z
      .string()
      .optional()
      .describe('Take back what this did to git, and nothing else: prompt:ID, session:ID or call:ID'),
    forget_all: z.boolean().default(false).describe('Purge every kept state of git of this workspace from the store'),
    limit: z.int().min(1).max(100).default(10).describe('How many kept states to list, the newest first'),
    dry_run: z.boolean().default(false).describe('Say what would be done, change nothing'),
    ...consent,
  }),
  output: z.object({
    keeps: z.array(Listed).describe('The newest first; the one brought back alone when one was named'),
    total: z.number(),
    hits: z.array(Hit).describe('What prompts did to git, of which something is still lost; the newest first'),
    missing: z.array(Missing).describe('What the repository lacks now, of all that the newest kept states have'),
    proposals: z.array(Proposal).describe('The fewest kept states that have all of it, and how to bring it back'),
    rescued: Rescued.nullable(),
    forgotten: z.array(z.string()).describe('Kept states that were purged'),
    freed_bytes: z.number(),
    warnings: z.array(z.string()),
    dry_run: z.boolean(),
  }),
  faults: [
    'GIT_KEEP_NOT_FOUND',
    'GIT_RESCUE_REFUSED',
    'GIT_FAILED',
    'GIT_LOCKED',
    'NOTHING_TO_REVERT',
    'FOLDER_REFUSED',
    'CONFIRM_NEEDED',
    'CONFIRM_WRONG',
  ],
  text: (out) =>
    [...textOf(out), ...out.warnings.map((warning) => `Warning: ${warning}`)].filter((line) => line !== '').join('\n'),
  question: (plan) => `Purge ${count(plan.forgotten.length, 'kept state')} of git?`,
  verb: {
    name: 'git-rescue',
    words: ['git_id'],
    examples: ['timewarp git-rescue', 'timewarp git-rescue latest', 'timewarp git-rescue ID --restore-refs --dry-run'],
  },
})

export const GitKeep = spec({
  name: 'git_keep',
  summary: 'Keep the state of git: refs, stashes, index, and the commits no remote has',
  effect: 'write',
  idempotent: true,
  group: 'guards',
  input: z.object({ ...common, why: z.string().min(1).max(200).default('by hand').describe('Why it is kept') }),
  output: z.object({
    created: z.boolean().describe('False when the newest kept state is just this one'),
    keep: Keep.nullable().describe('Null when the workspace is in no git repository, or git.protect is off'),
    duration_ms: z.number(),
  }),
  faults: [],
  text: (out) =>
    out.keep === null
      ? 'Nothing to keep: the workspace is in no git repository, or git.protect is off.'
      : [
          `${out.created ? 'Kept' : 'Already kept'}: ${out.keep.git_id} (${count(out.keep.refs, 'ref')}, ${count(out.keep.stashes, 'stash', 'stashes')}, ${size(out.keep.bytes)})`,
          ...out.keep.problems.map((problem) => `Not kept: ${problem}`),
        ].join('\n'),
  verb: { name: 'git-keep', examples: ['timewarp git-keep', "timewarp git-keep --why 'before the rebase'"] },
})
