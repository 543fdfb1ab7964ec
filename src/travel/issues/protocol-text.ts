/** The protocol for agents: the prompt of the MCP server and the skill file are made from it. */

interface Step {
  readonly title: string
  readonly text: string
}

const PRINCIPLE =
  'Note friction while you work, without stopping; mend it later, in the past, where it happened. Files changed in the ' +
  'past do not come home; what comes home is what you learnt, written into experiment.md.'

const WHILE_WORKING: readonly string[] = [
  'When the session begins, call `timewarp_session_start` (a guard does it for you).',
  'When something is not smooth (a repetition, a detour, a failure, a wrong turn), finish the task if you can, and call ' +
    '`timewarp_issue_report` with `task_context`, `symptom` and `success_criteria`.',
  '`success_criteria` is a result that can be checked, not a feeling: what triggers it, what should or should not happen, ' +
    'and the evidence (a command that succeeds, an error that no longer occurs, at most one retry).',
  'Write no secrets. What looks like one is replaced by `***REDACTED***` all the same.',
]

/** The seven steps of a cycle of improvement. */
const STEPS: readonly Step[] = [
  {
    title: 'Choose an issue',
    text:
      'List them with `timewarp_issue_list` (the one to look at first is on top: impact, frequency, reproducibility), read ' +
      'one with `timewarp_issue_get`, and set it to `investigating`.',
  },
  {
    title: 'Go into the past',
    text:
      'Call `timewarp_travel` with its `issue_id`. The present is captured whole and kept. You cannot travel from the past; ' +
      'for experiments side by side give `into` a folder for each.',
  },
  {
    title: 'Reproduce the problem',
    text: 'Follow `chat_summary`, and chat.md, as it was then, until the friction shows. If it does not, say so and return.',
  },
  {
    title: 'Propose the smallest change',
    text: 'Choose the one that a single check can judge: a tool made or changed, a rule, a document, an order of steps.',
  },
  {
    title: 'Experiment in rounds',
    text:
      'Make the change, check it (`timewarp_experiment_run` runs the check in the past and in the present), and write the ' +
      'round down with `timewarp_experiment_note`: changes, validation, result, conclusion. If it failed, go back to step 4.',
  },
  {
    title: 'Come home',
    text:
      'Call `timewarp_return`. The present comes back byte for byte and is verified; what was in the past is kept as a ' +
      'snapshot for a while. If it is not verified, stop and tell the user.',
  },
  {
    title: 'Do it again, and close',
    text:
      'Follow experiment.md in the present; `timewarp_experiment_replay` with `dry_run` shows the same change merged into ' +
      'today’s files, and without it makes it. Check it by the success criteria. If it holds, set the issue to `fixed` with ' +
      '`timewarp_issue_update`.',
  },
]

const RULES: readonly string[] = [
  'Never leave a session in the past: `timewarp_return` is the last thing you do there.',
  'If you do not know where you are, call `status`: it tells the mode and how to come home.',
  'If lock files differed then, installed dependencies may not match: install them again before you judge.',
  'In the past Git’s own folder stays as it is: do not commit there.',
]

const steps = (): string => STEPS.map(({ title, text }, i) => `${i + 1}. **${title}.** ${text}`).join('\n')

/** The seven steps alone, for one issue or for the most urgent one. */
export const improvementText = (issue: string | undefined): string =>
  [
    'This is a cycle of improvement, not the user’s main task. Follow these seven steps in order.',
    ...(issue === undefined ? [] : [`The issue is chosen: ${issue}`]),
    steps(),
    list(RULES),
  ].join('\n\n')

const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n')

/** The whole protocol, in Markdown. */
const protocolText = (): string =>
  [
    PRINCIPLE,
    '## While you work',
    list(WHILE_WORKING),
    '## When you improve: seven steps',
    steps(),
    '## Rules',
    list(RULES),
  ].join('\n\n')

const SKILL_DESCRIPTION =
  'Notes friction (repetition, detours, failures) as issues while working, and mends it later by travelling back to the ' +
  'very moment, experimenting there and coming home. Use it when something did not go smoothly, or when asked to improve ' +
  'how the work is done.'

/** The skill file `skills/timewarp/SKILL.md`. */
export const skillFile = (): string =>
  `---\nname: timewarp\ndescription: ${SKILL_DESCRIPTION}\n---\n\n# Timewarp\n\n${protocolText()}\n`
