import * as fs from 'node:fs'
import { basename, join } from 'node:path'
import { pick, type Random } from '../../bench/random.ts'
import type { ToolJson } from '../../src/protocol/describe.ts'
import { differences, type Model, type State, stateOf } from './model.ts'
import type { Scene } from './scene.ts'
import { type Answered, type Json, SURFACES, type Surface, type Surfaces } from './surfaces.ts'

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

export type Act = (play: Play) => Promise<void>

/** Calls a tool over some surface, from some folder. */
export async function call(play: Play, tool: string, input: object = {}): Promise<Answered> {
  const { random, scene, surfaces } = play
  const surface: Surface = pick(random, SURFACES)
  const cwd = somewhere(play)
  play.say(`${surface} ${tool} ${JSON.stringify(input).slice(0, 300)}${surface.startsWith('cli') ? ` in ${cwd}` : ''}`)
  const answer = await surfaces.call(surface, tool, input, cwd)
  judge(play, tool, answer, scene)
  return answer
}

/** What no answer may be, whatever was asked. */
export function judge(play: Play, what: string, { said, wrong, code, output }: Answered, scene: Scene): void {
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

export const isFolder = (path: string): boolean => fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

export const someId = ({ model, random }: Play): string => (model.ids.length > 0 ? pick(random, model.ids) : 'latest')

/** The state before and after a call; a workspace whose root is missing holds nothing. */
export const now = ({ scene }: Play): State => (isFolder(scene.root) ? stateOf(scene.root) : new Map())

/** Takes a snapshot, which has to hold just what is there. */
export async function capture(play: Play): Promise<void> {
  const { random } = play
  const input = random() < 0.3 ? { label: pick(random, ['one', 'two\nlines', '\x1b[31m', 'é']) } : {}
  const { ok, output } = await call(play, 'snapshot', input)
  if (ok) play.wrong(play.model.note(output.snapshot_id, now(play)))
}

/** A tool that changes files: what was there before is kept, and what is there afterwards, too. */
export async function change(
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
