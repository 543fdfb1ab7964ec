import { z } from 'zod'
import { showPath } from '../base/quote.ts'
import { count, size } from '../base/text.ts'

/** What a new user of a workspace is shown: what is recorded, for how long, and what is not. */

const LeftOut = z.object({
  path: z.string(),
  folder: z.boolean(),
  bytes: z.number(),
  files: z.number(),
  complete: z.boolean(),
})

export const leftOut = z
  .array(LeftOut)
  .describe('Folders and files that rules exclude, with their sizes; complete: false when counting was cut short')

const NAMED = 5

/** One line; empty when nothing is left out. Git's own folder has a separate line. */
export function leftOutText(all: readonly z.infer<typeof LeftOut>[]): string {
  const told = all.filter(({ path }) => path !== '.git')
  if (told.length === 0) return ''
  const named = told.slice(0, NAMED).map(weighed)
  const rest = told.length > NAMED ? `, and ${count(told.length - NAMED, 'more', 'more')}` : ''
  return `${named.join(', ')}${rest}; see timewarp status`
}

const weighed = ({ path, folder, files, bytes, complete }: z.infer<typeof LeftOut>): string =>
  `${showPath(folder ? `${path}/` : path)} (${complete ? '' : 'over '}${count(files, 'file')}, ${size(bytes)})`

const GitKept = z.object({
  state: z
    .enum(['kept', 'partly', 'underway', 'failed', 'off', 'none', 'later'])
    .describe(
      'kept: all that no remote has; partly: not everything, see problem; underway: it takes longer than anybody wants to wait; ' +
        'off: git.protect is off; none: the workspace is in no repository; later: with the first snapshot',
    ),
  git_id: z.string().nullable(),
  refs: z.number(),
  stashes: z.number(),
  bytes: z.number().describe('Size of what is kept because no remote has it'),
  problem: z.string().nullable().describe('What is not kept, and why'),
})
export type GitKept = z.infer<typeof GitKept>

const amount = ({ refs, stashes, bytes }: GitKept): string =>
  `${count(refs, 'ref')}, ${count(stashes, 'stash', 'stashes')}, ${size(bytes)}`

const GIT_TEXT: Readonly<Record<GitKept['state'], (git: GitKept) => string>> = {
  kept: (git) => `kept (${amount(git)}); if it is lost: timewarp git-rescue`,
  partly: (git) =>
    `${git.bytes === 0 ? 'only refs and settings are kept' : 'kept in part'} (${amount(git)}): ${git.problem}`,
  underway: () => 'being kept in the background; see timewarp status',
  failed: ({ problem }) => `not kept: ${problem}`,
  off: () => 'not kept: git.protect is off',
  none: () => 'no repository',
  later: () => 'kept with the first snapshot',
}

const gitText = (git: GitKept): string => GIT_TEXT[git.state](git)

export const promises = {
  left_out: leftOut,
  git: GitKept.describe('What is kept of the repository'),
  retention: z.string().describe('How long snapshots are kept, by the settings'),
}
const Promises = z.object(promises)

/** Per line: the subject, and the promise. */
export function promisesOf({ left_out, git, retention }: z.infer<typeof Promises>): [string, string][] {
  const left = leftOutText(left_out)
  return [
    ...(left === '' ? [] : [['Left out', left] as [string, string]]),
    ['Git', gitText(git)],
    ['Retention', retention],
  ]
}
