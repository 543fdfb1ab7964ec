import { z } from 'zod'
import { hostPath } from './paths.ts'
import { common, spec } from './spec.ts'

export const GuardJudge = spec({
  name: 'guard_judge',
  summary: 'Tell what a shell command may change, without running it',
  effect: 'read',
  group: 'guards',
  recovers: false,
  input: z.object({
    ...common,
    command: z.string().describe('The command line'),
    cwd: hostPath('The folder in which it would run (default: the current one)').optional(),
  }),
  output: z.object({
    modifies: z.boolean().describe('It may create, change, delete, move or chmod files of the workspace'),
    why: z.string().describe('The part that decides'),
    paths: z
      .array(z.string())
      .nullable()
      .describe('The paths it can touch at most, each with all below it, from the root of the workspace; null: any'),
    git_dir: z.boolean().describe('It changes git’s own folder, and nothing else of the workspace'),
    rewrites_refs: z.boolean().describe('What a ref, a stash or a reflog of git holds may be lost'),
    deletes_store: z
      .boolean()
      .describe('It would delete, move or overwrite the store of Timewarp, remove history, or weaken its protection'),
    program: z.string().nullable().describe('The program that decides'),
  }),
  faults: [],
  text: (out) =>
    [
      `${out.modifies ? 'Changes files' : out.git_dir ? 'Changes git’s own folder only' : 'Changes nothing here'}: ${out.why}`,
      ...(out.modifies ? [`Where: ${out.paths === null ? 'anywhere' : out.paths.join(', ')}`] : []),
      ...(out.rewrites_refs ? ['Refs of git may be lost.'] : []),
      ...(out.deletes_store ? ['It would delete the store of Timewarp.'] : []),
    ].join('\n'),
  verb: { name: 'guard-judge', words: ['command'], examples: ["timewarp guard-judge 'rm -rf build'"] },
})

export const ShellEvent = spec({
  name: 'shell_event',
  summary: 'Take down what a person’s shell is about to run, or has run',
  effect: 'write',
  group: 'guards',
  usesWatch: true,
  recovers: false,
  input: z.object({
    ...common,
    phase: z.enum(['pre', 'post']).describe('pre: before the command; post: after it'),
    command: z.string().describe('The command line'),
    call_id: z.string().optional().describe('The same before and after'),
  }),
  output: z.object({
    outcome: z
      .enum(['watched', 'harmless', 'elsewhere', 'uncovered'])
      .describe('watched: its end is to be told; harmless: it changes no file; elsewhere: this is no workspace'),
    why: z.string().nullable(),
    snapshot_ids: z.array(z.string()),
    deletes_store: z.boolean().describe('It would delete the store of Timewarp'),
  }),
  faults: ['CAPTURE_UNSETTLED'],
  text: (out) => `${out.outcome}${out.deletes_store ? ' store' : ''}`,
  verb: {
    name: 'shell-event',
    words: ['phase', 'command'],
    examples: ["timewarp shell-event pre 'rm -rf build' --session-id shell-1 --call-id 1"],
  },
})
