import { resolve } from 'node:path'
import { z } from 'zod'
import { columns } from '../../base/text.ts'
import { oneLine, oneLined } from '../../base/visible.ts'
import { promisesOf } from '../../protocol/promises.ts'
import type { WorkspaceInit } from '../../protocol/setup.ts'
import { command } from '../command.ts'
import { type Context, openToolClient } from '../context.ts'
import { printJson, printText } from '../output/print.ts'

type Init = z.output<(typeof WorkspaceInit)['output']>

export const Up = command({
  name: 'up',
  summary: 'Start Timewarp in a folder: workspace, first snapshot, and what to do next',
  group: 'start',
  input: z.object({ dir: z.string().optional().describe('The folder (default: the current one)') }),
  verb: { words: ['dir'], examples: ['timewarp up', 'timewarp up ~/project'] },
  run: async (context, input) => {
    const desk = await openToolClient(context)
    const init = (await desk.call('workspace_init', { workspace: folderOf(context, input.dir) })).output as Init
    const daemon = context.globals.daemon ? await context.rooms.daemon?.(desk.home) : undefined
    const guarded = (await import('./guard.ts')).guardedClients(context, init.root)
    if (context.globals.json) printJson(context.io, report(init, desk.home, daemon, guarded))
    else printText(context.io, text(oneLined(init), oneLine(desk.home), daemon, guarded))
    return 0
  },
})

const folderOf = ({ io, globals }: Context, dir: string | undefined): string =>
  dir === undefined ? (globals.dir ?? io.cwd) : resolve(io.cwd, globals.dir ?? '', dir)

/** `guarded` lists the clients whose hooks report to this workspace. */
const report = (init: Init, home: string, daemon: string | undefined, guarded: readonly string[]) => ({
  workspace_id: init.workspace_id,
  root: init.root,
  home,
  snapshot_id: init.snapshot_id,
  left_out: init.left_out,
  git: init.git,
  retention: init.retention,
  daemon: daemon ?? null,
  guarded,
})

function guardedText(guarded: readonly string[], daemon: string | undefined): string {
  if (guarded.length > 0) return `${guarded.join(', ')}: every tool call is recorded`
  return daemon
    ? 'no client yet: a snapshot is taken every few minutes while something changes'
    : 'nothing yet: a snapshot is taken when you ask for one'
}

function text(init: Init, home: string, daemon: string | undefined, guarded: readonly string[]): string {
  return [
    columns([
      [init.already ? 'Already a workspace' : 'Workspace', init.root],
      ['Snapshot', init.snapshot_id ?? 'none'],
      ...promisesOf(init),
      ['Store', `${home} (not encrypted; nobody else may enter it)`],
      ['Daemon', daemon ?? 'none: commands do the work themselves'],
      ['Guarded', guardedText(guarded, daemon)],
    ]),
    ...init.warnings.map((warning) => `Warning: ${warning}`),
    '',
    'Next:',
    columns([
      ...(guarded.length > 0
        ? []
        : [['  timewarp guard install claude', 'record every tool call of an agent; also opencode, codex, gemini']]),
      ['  timewarp snapshot -m "before the refactoring"', 'keep this moment'],
      ['  timewarp status', 'what changed since, and what is not captured'],
      ['  timewarp log', 'all moments, the newest first'],
      ['  timewarp diff ID', 'what a moment and the present have different'],
      ['  timewarp restore ID --dry-run', 'what going back would do'],
      ['  timewarp undo', 'take the last step back'],
      ['  timewarp oops', 'take back what the last prompt did, or what was just lost'],
    ]),
  ].join('\n')
}
