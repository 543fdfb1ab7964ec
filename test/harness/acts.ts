import * as fs from 'node:fs'
import { basename, join } from 'node:path'
import { between, pick, type Random } from '../../bench/random.ts'
import type { ToolJson } from '../../src/protocol/describe.ts'
import { byHand, someFolder, somePath, someText, weighted } from './hands.ts'
import { hostileCall } from './hostile.ts'
import { differences, type Model, type State, stateOf } from './model.ts'
import type { Scene, Typed } from './scene.ts'
import { type Answered, answerIn, type Json, SURFACES, type Surface, type Surfaces, toolPath } from './surfaces.ts'

/** What an act is given, and where it says what it found. */
export interface Play {
  readonly scene: Scene
  readonly surfaces: Surfaces
  readonly model: Model
  readonly random: Random
  readonly tools: readonly ToolJson[]
  /** While what a crash cut short may be finished by any command. */
  recovering: boolean
  /** Whether the store is on a small disk. */
  readonly isSmall: boolean
  /** One line for the record of steps. */
  readonly say: (what: string) => void
  readonly wrong: (what: string | undefined) => void
}

type Act = (play: Play) => Promise<void>

/** Calls a tool over some surface, from some folder. */
async function call(play: Play, tool: string, input: object = {}): Promise<Answered> {
  const { random, scene, surfaces } = play
  const surface: Surface = pick(random, SURFACES)
  const cwd = somewhere(play)
  play.say(`${surface} ${tool} ${JSON.stringify(input).slice(0, 300)}${surface.startsWith('cli') ? ` in ${cwd}` : ''}`)
  const answer = await surfaces.call(surface, tool, input, cwd)
  judge(play, tool, answer, scene)
  return answer
}

/** What no answer may be, whatever was asked. */
function judge(play: Play, what: string, { said, wrong, code, output }: Answered, scene: Scene): void {
  const ids = ['backup_id', 'base_id', 'backup_path', 'snapshot_id', 'new_snapshot_id'].flatMap(
    (field) => output?.[field] ?? [],
  )
  play.say(`  → ${code ?? `done ${ids.join(' ')}`}`)
  play.wrong(wrong && `${what}: ${wrong}`)
  if (said.includes(scene.canary)) play.wrong(`${what} told what is outside the workspace: ${said.slice(0, 500)}`)
}

/** The root, a folder in it, one outside, or one that is gone. */
function somewhere({ scene, random }: Play): string {
  const inner = join(scene.root, pick(random, ['src', 'docs', 'src/deep']))
  const places = [
    scene.root,
    scene.root,
    scene.user,
    join(scene.scratch, 'gone'),
    ...(fs.existsSync(inner) ? [inner] : []),
  ]
  const place = pick(random, places)
  return isFolder(place) || basename(place) === 'gone' ? place : scene.user
}

const isFolder = (path: string): boolean => fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const someId = ({ model, random }: Play): string => (model.ids.length > 0 ? pick(random, model.ids) : 'latest')

/** The state before and after a call; a workspace whose root is missing holds nothing. */
const now = ({ scene }: Play): State => (isFolder(scene.root) ? stateOf(scene.root) : new Map())

/** Takes a snapshot, which has to hold just what is there. */
export async function capture(play: Play): Promise<void> {
  const { random } = play
  const input = random() < 0.3 ? { label: pick(random, ['one', 'two\nlines', '\x1b[31m', 'é']) } : {}
  const { ok, output } = await call(play, 'snapshot', input)
  if (ok) play.wrong(play.model.note(output.snapshot_id, now(play)))
}

/** A tool that changes files: what was there before is kept, and what is there afterwards, too. */
async function change(
  play: Play,
  tool: string,
  input: object,
): Promise<{ answer: Answered; before: State; after: State }> {
  const before = now(play)
  const answer = await call(play, tool, input)
  const after = now(play)
  const { output } = answer
  const isDry = (input as Json).dry_run === true
  const isRefused =
    !answer.ok && !/^(?:RESTORE_FAILED|TRAVEL_FAILED|EDIT_INTERRUPTED|LOST|DAEMON_LOST|UNREAD)$/.test(answer.code ?? '')
  // A refusal comes before any effect. What a crash cut short may be finished first.
  if ((isDry || isRefused) && !play.recovering) {
    const changed = differences(before, after)
    if (changed.length > 0)
      play.wrong(
        `${tool} was ${isDry ? 'a dry run' : `refused (${answer.code})`} and changed ${changed.slice(0, 5).join('; ')}`,
      )
  }
  if (answer.ok && !isDry) {
    play.wrong(play.model.note(output?.new_snapshot_id ?? output?.snapshot_after, after))
    if (!play.recovering) play.wrong(play.model.note(output?.backup_id ?? output?.base_id, before))
  }
  return { answer, before, after }
}

const restore: Act = async (play) => {
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

const step =
  (tool: string): Act =>
  async (play) => {
    await change(play, tool, { dry_run: play.random() < 0.2 })
  }

const revert: Act = async (play) => {
  const { random } = play
  await change(play, 'reverse_op', { snapshot_id: someId(play), dry_run: random() < 0.2, force: random() < 0.2 })
}

const edit: Act = async (play) => {
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

const travel: Act = async (play) => {
  const { random, scene, model } = play
  const into = random() < 0.3 ? { into: join(scene.free, `then-${between(random, 0, 1e9)}`) } : {}
  const snapshot_id = someId(play)
  const { answer, before, after } = await change(play, 'timewarp_travel', { snapshot_id, ...into })
  if (answer.ok && answer.output.backup_path !== null && !play.recovering)
    play.wrong(model.note(answer.output.backup_path, before))
  if ('into' in into && differences(before, after).length > 0 && !play.recovering)
    play.wrong(`travel into a folder changed the workspace`)
}

const comeHome: Act = async (play) => {
  const { answer, before, after } = await change(play, 'timewarp_return', {})
  if (!answer.ok) return
  if (!play.recovering) play.wrong(play.model.note(answer.output.experiment_id, before))
  if (answer.output.verified && answer.output.backup_path) play.wrong(play.model.note(answer.output.backup_path, after))
  if (!answer.output.verified) await call(play, 'timewarp_acknowledge')
}

const FRICTION = { task_context: 'Build', symptom: 'Slow', success_criteria: 'npm run build takes at most 5 s' }

/** Tools that are called as they are meant. */
const ordinary: Act = async (play) => {
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

const prune: Act = async (play) => {
  const { ok, output } = await call(play, 'prune', { gc: play.random() < 0.5 })
  if (!ok) return
  play.model.drop(output.removed)
  play.model.drop(output.dropped)
}

const forget: Act = async (play) => {
  const { ok, output } = await call(play, 'forget', { pattern: toolPath(somePath(play.random)), yes: true })
  if (ok) play.model.drop(output.snapshots)
}

/** Verbs take paths as they are seen from where one stands. */
const typed: Act = async (play) => {
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

const hostile: Act = async (play) => {
  const { scene, tools, random } = play
  const { tool, input } = hostileCall(scene, tools, random)
  const { ok, output } = await call(play, tool, input)
  if (!ok || typeof output !== 'object' || output === null) return
  if (tool === 'forget') play.model.drop(output.snapshots)
  if (tool === 'timewarp_session_start') play.model.drop(output.removed)
}

/** The root is removed, moved or replaced. */
const root: Act = async (play) => {
  const { scene, random } = play
  const away = join(scene.scratch, 'around/ws-away')
  const how = pick(random, ['again', 'moved and back', 'moved, another made', 'emptied'] as const)
  play.say(`root ${how}`)
  if (!isFolder(scene.root)) return
  if (how === 'again') {
    fs.rmSync(scene.root, { recursive: true })
    fs.mkdirSync(scene.root)
  } else if (how === 'emptied') {
    for (const name of fs.readdirSync(scene.root, { encoding: 'buffer' }))
      fs.rmSync(Buffer.concat([Buffer.from(`${scene.root}/`), name]), { recursive: true })
  } else {
    fs.rmSync(away, { recursive: true, force: true })
    fs.renameSync(scene.root, away)
    if (how === 'moved and back') {
      if (random() < 0.5) await call(play, 'status')
      fs.rmSync(scene.root, { recursive: true, force: true })
      fs.renameSync(away, scene.root)
    } else fs.mkdirSync(scene.root)
  }
  for (let i = 0; i < 3; i++) byHand(scene.root, random)
}

/** Somebody presses Ctrl-C, or the machine kills what runs. */
const interrupted: Act = async (play) => {
  const { scene, random } = play
  const commands: readonly (readonly string[])[] = [
    ['snapshot'],
    ['restore', someId(play)],
    ['undo'],
    ['travel', someId(play)],
    ['return'],
    ['gc'],
    ['fsck'],
  ]
  const args = ['-C', scene.root, ...pick(random, commands), '--json']
  const whom = pick(random, ['client', 'client', 'daemon', 'everything'] as const)
  const ms = between(random, 0, 400)
  const signal = whom === 'client' ? pick(random, ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) : 'SIGKILL'
  play.say(`${args.slice(2).join(' ')}, ${whom} gets ${signal} after ${ms} ms`)
  const it: Typed = { args, cwd: scene.root, daemon: whom !== 'client' || random() < 0.5 }
  if (!isFolder(scene.root)) return
  const ended = scene.type(whom === 'daemon' ? it : { ...it, cut: { signal, ms } })
  if (whom !== 'client') setTimeout(() => scene.killDaemons(), ms)
  const { exit, stdout, stderr, hung } = await ended
  if (hung) play.wrong(`${args.join(' ')} hangs after ${signal}`)
  if (exit === 70 || /"code":\s*"INTERNAL"/.test(stdout))
    play.wrong(`${args.join(' ')} after ${signal} to the ${whom}: ${stdout}${stderr}`.slice(0, 1500))
  await settled(play)
}

/** What a daemon or a dead command left is over when nothing changes any more and a command has answered. */
async function settled(play: Play): Promise<void> {
  play.recovering = true
  for (let i = 0; i < 3; i++) {
    const { ok } = await call(play, pick(play.random, ['status', 'snapshot']))
    if (ok) break
  }
  await new Promise((done) => setTimeout(done, 100))
  await call(play, 'status')
  play.recovering = false
}

const killDaemon: Act = async ({ scene, surfaces, say, random }) => {
  say('the daemon is killed')
  scene.killDaemons()
  if (random() < 0.3) await surfaces.closeAgent()
  if (random() < 0.5) await scene.startDaemon()
}

const fillDisk: Act = async ({ scene, say, random, isSmall }) => {
  if (!isSmall) return
  const filler = join(scene.home, 'filler')
  if (fs.existsSync(filler)) {
    say('the disk has room again')
    return fs.rmSync(filler)
  }
  const { bsize, bavail } = fs.statfsSync(scene.home)
  const leave = pick(random, [0, 4096, 65_536, 1024 * 1024])
  say(`the disk has ${leave} bytes left`)
  try {
    fs.writeFileSync(filler, Buffer.alloc(Math.max(0, bsize * bavail - leave)))
  } catch {
    // Full is what it was to become.
  }
}

/** Who watches may not say that nothing has changed when something has. */
export async function agree(play: Play): Promise<void> {
  const { scene, surfaces, model } = play
  if (!isFolder(scene.root) || scene.daemonPids().length === 0) return
  const { ok, output } = await surfaces.call('cli', 'status', {})
  const newest = ok ? model.state(output.newest?.snapshot_id) : undefined
  if (newest === undefined || output.changed.added + output.changed.modified + output.changed.deleted > 0) return
  // Folders alone are not counted.
  const changed = differences(newest, now(play)).filter(
    (line) => !/(?:wanted nothing, found directory|wanted directory .* found nothing)/.test(line),
  )
  if (changed.length > 0) play.wrong(`status says that nothing has changed: ${changed.slice(0, 5).join('; ')}`)
}

const hands: Act = async ({ scene, random, say }) => {
  const times = between(random, 1, 8)
  if (!isFolder(scene.root)) return
  say(
    `by hand: ${Array.from({ length: times }, () => byHand(scene.root, random))
      .filter(Boolean)
      .join('; ')}`,
  )
}

/** Each with how often it happens. */
const ACTS: Readonly<Record<string, readonly [weight: number, act: Act]>> = {
  hands: [14, hands],
  capture: [12, capture],
  hostile: [12, hostile],
  edit: [7, edit],
  ordinary: [7, ordinary],
  restore: [5, restore],
  undo: [3, step('undo')],
  redo: [2, step('redo')],
  revert: [3, revert],
  travel: [3, travel],
  return: [3, comeHome],
  interrupted: [4, interrupted],
  root: [3, root],
  typed: [3, typed],
  kill: [2, killDaemon],
  disk: [2, fillDisk],
  prune: [1, prune],
  forget: [1, forget],
}

export const ACT_NAMES: readonly string[] = Object.keys(ACTS)

/** One by chance; one that is to be left out is nothing. */
export function someAct(random: Random, without: ReadonlySet<string>): Act {
  const name = weighted(
    Object.entries(ACTS).map(([one, [weight]]) => [weight, one] as const),
    random,
  )
  return without.has(name) ? async () => {} : (ACTS[name]?.[1] ?? hands)
}
export { comeHome }
