import * as fs from 'node:fs'
import { join } from 'node:path'
import { between, pick } from '../../bench/random.ts'
import { type Act, call, change, isFolder, judge, someId } from './calls.ts'
import { byHand, someFolder, somePath, someText } from './hands.ts'
import { hostileCall } from './hostile.ts'
import { differences } from './model.ts'
import { type Answered, answerIn, type Json, toolPath } from './surfaces.ts'

/** What people and agents do. */

export const restore: Act = async (play) => {
  const { random, model } = play
  const snapshot_id = someId(play)
  const wanted = model.state(snapshot_id)
  const paths = random() < 0.3 ? [toolPath(somePath(random))] : []
  const { answer, after } = await change(play, 'restore', { snapshot_id, paths, dry_run: random() < 0.2 })
  const { ok, output } = answer
  if (!ok || output.dry_run || paths.length > 0 || wanted === undefined) return
  const left = new Set([...output.skipped, ...output.conflicts].map(({ path }: Json) => path))
  const missed = differences(wanted, after).filter(
    (line) => !left.has(JSON.parse(line.slice(0, line.indexOf('": ') + 1))),
  )
  if (missed.length > 0 && left.size === 0) play.wrong(`restore ${snapshot_id} left ${missed.slice(0, 5).join('; ')}`)
}

export const step =
  (tool: string): Act =>
  async (play) => {
    await change(play, tool, { dry_run: play.random() < 0.2 })
  }

export const revert: Act = async (play) => {
  const { random } = play
  await change(play, 'reverse_op', { snapshot_id: someId(play), dry_run: random() < 0.2, force: random() < 0.2 })
}

export const edit: Act = async (play) => {
  const { random } = play
  const path = toolPath(somePath(random))
  const dry_run = random() < 0.15
  const edits: readonly [string, object][] = [
    ['apply_whole_file_edit', { path, content: someText(random), dry_run }],
    ['apply_edit_block', { path, search_block: 'more', replace_block: 'less $1', dry_run }],
    ['apply_ranged_edit', { path, start_line: 1, end_line: 1, content: 'first\n', dry_run }],
    ['delete', { path, dry_run }],
    ['create_directory', { path: toolPath(someFolder(random) || 'src'), dry_run }],
    ['rename', { from: path, to: toolPath(somePath(random)), dry_run }],
    [
      'apply_edits',
      {
        edits: [
          { op: 'whole', path, content: 'x\n' },
          { op: 'rename', from: path, to: 'moved.txt' },
          { op: 'delete', path: 'moved.txt' },
        ],
        dry_run,
      },
    ],
  ]
  const [tool, input] = pick(random, edits)
  const { answer, before, after } = await change(play, tool, input)
  if (!answer.ok || dry_run) return
  play.wrong(play.model.note(answer.output.snapshot_id, after))
  if (!play.recovering) play.wrong(play.model.note(answer.output.base_id, before))
}

export const travel: Act = async (play) => {
  const { random, scene, model } = play
  const into = random() < 0.3 ? { into: join(scene.free, `then-${between(random, 0, 1e9)}`) } : {}
  const snapshot_id = someId(play)
  const { answer, before, after } = await change(play, 'timewarp_travel', { snapshot_id, ...into })
  if (answer.ok && answer.output.backup_path !== null && !play.recovering)
    play.wrong(model.note(answer.output.backup_path, before))
  if ('into' in into && differences(before, after).length > 0 && !play.recovering)
    play.wrong(`travel into a folder changed the workspace`)
}

export const comeHome: Act = async (play) => {
  const { answer, before, after } = await change(play, 'timewarp_return', {})
  if (!answer.ok) return
  if (!play.recovering) play.wrong(play.model.note(answer.output.experiment_id, before))
  if (answer.output.verified && answer.output.backup_path) play.wrong(play.model.note(answer.output.backup_path, after))
  if (!answer.output.verified) await call(play, 'timewarp_acknowledge')
}

const FRICTION = { task_context: 'Build', symptom: 'Slow', success_criteria: 'npm run build takes at most 5 s' }

/** Tools that are called as they are meant. */
export const ordinary: Act = async (play) => {
  const { random, scene } = play
  const snapshot_id = someId(play)
  const path = toolPath(somePath(random))
  const calls: readonly (readonly [string, object])[] = [
    ...([
      ['status', {}],
      ['get_edit_history', { limit: 100, include_diffs: random() < 0.3 }],
      ['show', { snapshot_id }],
    ] as const),
    ...([
      ['diff', { from: snapshot_id }],
      ['read_snapshot_diff', { snapshot_id }],
      ['cat', { snapshot_id, path }],
      ['blame', { path }],
    ] as const),
    ...([
      ['file_history', { path }],
      ['pin', { snapshot_id }],
      ['unpin', { snapshot_id }],
      ['label', { snapshot_id, label: 'l' }],
    ] as const),
    ...([
      ['create_milestone', { title: 'm' }],
      ['get_milestones', {}],
      ['timewarp_session_start', {}],
      ['session_list', {}],
    ] as const),
    ...([
      ['timewarp_issue_report', { ...FRICTION, symptom: `Slow ${random()}`, snapshot_id }],
      ['timewarp_issue_list', {}],
      ['stats', {}],
    ] as const),
    ...([
      ['gc', {}],
      ['fsck', {}],
      ['mirror', { dir: join(scene.free, 'mirror') }],
      ['git_keep', {}],
      ['config', {}],
      ['workspace_list', {}],
    ] as const),
    ...([
      ['timewarp_experiment_run', { command: 'ls', where: 'present' }],
      ['redact', { text: 'password=hunter2' }],
      ['trust', { dry_run: true }],
    ] as const),
  ]
  const [tool, input] = pick(random, calls)
  const { ok, output } = await call(play, tool, input)
  if (tool === 'fsck' && ok && output.ok === false && !play.isSmall)
    play.wrong(`fsck found damage: ${JSON.stringify(output.problems).slice(0, 1000)}`)
  if (tool === 'timewarp_session_start' && ok) play.model.drop(output.removed)
}

export const prune: Act = async (play) => {
  const { ok, output } = await call(play, 'prune', { gc: play.random() < 0.5 })
  if (!ok) return
  play.model.drop(output.removed)
  play.model.drop(output.dropped)
}

export const forget: Act = async (play) => {
  const { ok, output } = await call(play, 'forget', { pattern: toolPath(somePath(play.random)), yes: true })
  if (ok) play.model.drop(output.snapshots)
}

/** Verbs take paths as they are seen from where one stands. */
export const typed: Act = async (play) => {
  const { scene, random } = play
  const folder = pick(random, ['src', 'docs', 'src/deep'])
  const cwd = join(scene.root, folder)
  if (!isFolder(scene.root) || fs.lstatSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) return
  const name = `typed-${between(random, 0, 5)}.txt`
  const daemon = random() < 0.5
  const type = async (...args: string[]): Promise<Answered> => {
    play.say(`type ${args.join(' ')} in ${folder}${daemon ? '' : ', alone'}`)
    const answer = answerIn(await scene.type({ args: [...args, '--json'], cwd, daemon }))
    judge(play, args[0] ?? '', answer, scene)
    return answer
  }
  const wrote = await type('write', name, 'typed\n')
  if (!wrote.ok || !isFolder(cwd)) return
  if (!fs.existsSync(join(cwd, name)))
    play.wrong(`write ${name} in ${folder} wrote elsewhere: ${wrote.said.slice(0, 300)}`)
  const back = await type('cat', 'latest', name)
  if (back.ok && back.output?.content !== 'typed\n')
    play.wrong(`cat latest ${name} in ${folder} gave ${back.said.slice(0, 300)}`)
}

export const hostile: Act = async (play) => {
  const { scene, tools, random } = play
  const { tool, input } = hostileCall(scene, tools, random)
  const { ok, output } = await call(play, tool, input)
  if (!ok || typeof output !== 'object' || output === null) return
  if (tool === 'forget') play.model.drop(output.snapshots)
  if (tool === 'timewarp_session_start') play.model.drop(output.removed)
}

export const hands: Act = async ({ scene, random, say }) => {
  const times = between(random, 1, 8)
  if (!isFolder(scene.root)) return
  say(
    `by hand: ${Array.from({ length: times }, () => byHand(scene.root, random))
      .filter(Boolean)
      .join('; ')}`,
  )
}
