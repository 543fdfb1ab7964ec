import { join } from 'node:path'
import { z } from 'zod'
import { count } from '../../base/text.ts'
import { makeScratch, readFiles, removeScratch, type ScratchFile, wipe, writeText } from '../../host/files/scratch.ts'
import { command } from '../command.ts'
import { type Context, openToolClient, type ToolClient } from '../context.ts'
import type { Paint } from '../output/paint.ts'
import { printJson, printText } from '../output/print.ts'

export const Demo = command({
  name: 'demo',
  summary: 'Lose a whole project and get it back, in a scratch folder',
  group: 'start',
  input: z.object({ keep: z.boolean().default(false).describe('Leave the scratch folder where it is') }),
  verb: { examples: ['timewarp demo', 'timewarp demo --keep'] },
  run: async (context, { keep }) => {
    const scratch = makeScratch('timewarp-demo-')
    if (!keep) context.leave({ close: () => removeScratch(scratch) })
    const stage = await setStage(context, scratch)
    const result = await play(stage)
    report(stage, result, keep)
    return result.ok ? 0 : 70
  },
})

/** The demo has its own project and store, so that it touches nothing of the user's. */
interface Stage {
  readonly context: Context
  readonly scratch: string
  readonly project: string
  readonly desk: ToolClient
  readonly steps: Step[]
}
interface Step {
  readonly command: string
  readonly output: string
}
interface Result {
  readonly ok: boolean
  readonly files: number
  readonly lost: readonly string[]
}

const BEFORE: Readonly<Record<string, string>> = {
  'README.md': '# Shop\n\nSells apples.\n',
  '.env': 'PAYMENT_KEY=only-on-this-disk\n',
  'src/price.ts': 'export const price = (apples: number) => apples * 3\n',
  'src/shop.ts': "import { price } from './price.ts'\n\nconsole.log(price(4))\n",
}
const AGENT: Readonly<Record<string, string>> = {
  'src/price.ts': 'export const price = (apples: number) => (apples < 10 ? apples * 3 : apples * 2)\n',
  'src/price.test.ts': "import { price } from './price.ts'\n\nif (price(10) !== 20) throw new Error('no discount')\n",
}
const BUILD = '#!/bin/sh\ncat src/*.ts > shop.js\n'

async function setStage(context: Context, scratch: string): Promise<Stage> {
  const project = join(scratch, 'project')
  writeFiles(project, BEFORE)
  writeText(join(project, 'build.sh'), BUILD, 0o755)
  const desk = await openToolClient(context, { home: join(scratch, 'home'), daemon: false, cwd: project })
  return { context, scratch, project, desk, steps: [] }
}

const writeFiles = (project: string, files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) writeText(join(project, path), text)
}

async function play(stage: Stage): Promise<Result> {
  await say(stage, `# A small project in ${stage.project}`, [...readFiles(stage.project).keys()].join('\n'))
  await use(stage, 'timewarp init', 'workspace_init', {})
  const first = await use(stage, 'timewarp snapshot -m "it works"', 'snapshot', { label: 'it works' })
  writeFiles(stage.project, AGENT)
  await say(stage, '# An agent changes src/price.ts and adds a test', '')
  await use(stage, `timewarp diff ${first}`, 'diff', { from: first })
  const good = await use(stage, 'timewarp snapshot -m discount', 'snapshot', { label: 'discount' })
  const before = contents(stage.project)
  await say(stage, '# Then it cleans up, in the wrong folder', '')
  await say(stage, `rm -rf ${wipe(stage.project).join(' ')}`, `${count(contents(stage.project).size, 'file')} left.`)
  await use(stage, 'timewarp status', 'status', {})
  await use(stage, `timewarp restore ${good}`, 'restore', { snapshot_id: good })
  return compare(before, contents(stage.project))
}

const contents = (project: string): Map<string, ScratchFile> => readFiles(project, ['.timewarp'])

function compare(before: Map<string, ScratchFile>, after: Map<string, ScratchFile>): Result {
  const lost = [...before].filter(([path, file]) => !isSame(file, after.get(path))).map(([path]) => path)
  return { ok: lost.length === 0 && after.size === before.size, files: before.size, lost }
}

const isSame = (a: ScratchFile, b: ScratchFile | undefined): boolean =>
  b !== undefined && a.mode === b.mode && Buffer.compare(a.bytes, b.bytes) === 0

/** Calls a tool as `command` would and prints both; returns the snapshot it is about, if any. */
async function use(stage: Stage, command: string, tool: string, input: object): Promise<string | undefined> {
  const { spec, output } = await stage.desk.call(tool, { workspace: stage.project, ...input })
  await say(stage, command, spec.text(output as never), tool === 'diff' ? 'diff' : 'answer')
  return (output as { snapshot_id?: string }).snapshot_id
}

const READING_MS = 1500

async function say(stage: Stage, command: string, output: string, how: keyof Paint = 'answer'): Promise<void> {
  const { io, globals } = stage.context
  stage.steps.push({ command, output })
  if (globals.json) return
  printText(io, command.startsWith('#') ? `\n${command}` : `\n$ ${command}`, 'title')
  printText(io, output, how)
  if (io.outIsTerminal) await io.pause(READING_MS)
}

function report({ context, scratch, steps }: Stage, { ok, files, lost }: Result, keep: boolean): void {
  const { io, globals } = context
  if (globals.json) return printJson(io, { ok, files, lost, scratch: keep ? scratch : null, steps })
  printText(io, ok ? `\nAll ${count(files, 'file')} are back, byte for byte.` : '\nThis went wrong:')
  for (const path of lost) printText(io, `  ${path} is not what it was`)
  printText(
    io,
    keep
      ? `Everything is in ${scratch}`
      : 'The scratch folder is removed. Now try it in a project of yours: timewarp up',
  )
}
