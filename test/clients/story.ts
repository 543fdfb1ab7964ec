import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Given, ToolCall, Turn } from './model.ts'
import type { Deed } from './person.ts'
import type { Theatre } from './theatre.ts'

/** A session that was played while somebody else worked in the same folder, compared with what the timeline says of it. */

/** A call of the script: what it is, and the files it changes. */
export interface ScriptedCall {
  readonly id: string
  /** `main`, or the name of a sub-agent. */
  readonly by: string
  readonly kind: 'edit' | 'shell' | 'other'
  readonly paths: readonly string[]
  /** The text of the prompt in force. */
  readonly prompt: string
  readonly from: number
  readonly to: number
}

/** A call as a script writes it. */
export interface Act {
  readonly tool: ToolCall
  readonly kind: ScriptedCall['kind']
  readonly paths: readonly string[]
  /** How long it goes on after the client has gone on. */
  readonly lasts_ms?: number
}

/** What an agent does: turn by turn, in each of them all at once, for one prompt after the other. */
export interface Part {
  readonly by: string
  readonly turns: readonly { readonly prompt: string; readonly acts: readonly Act[] }[]
}

export const partOf = (by: string, ...tasks: readonly (readonly [string, readonly (readonly Act[])[]])[]): Part => ({
  by,
  turns: tasks.flatMap(([prompt, turns]) => turns.map((acts) => ({ prompt, acts }))),
})

/** A model thinks before it speaks: in that time, with no command under way, a person does something. */
const THINKS_MS = 100

export const turnsOf = ({ turns }: Part): Turn[] =>
  turns.map(({ acts }) => ({
    tools: acts.map(({ tool }) => tool),
    ...(acts.every(({ kind }) => kind === 'edit') ? { delay_ms: THINKS_MS } : {}),
  }))

/** The calls that were really made, with the ids that the model gave them, and when. */
export function callsIn(parts: readonly Part[], given: readonly Given[]): ScriptedCall[] {
  return parts.flatMap(({ by, turns }, conversation) => {
    const at = (index: number) => given.find((one) => one.conversation === conversation && one.index === index)
    return turns.flatMap(({ prompt, acts }, index) => {
      const { at: from = 0, ids = [] } = at(index) ?? {}
      const end = at(index + 1)?.at ?? Date.now()
      return acts.flatMap(({ kind, paths, lasts_ms = 0 }, i) => {
        const id = ids[i]
        return id === undefined ? [] : [{ id, by, kind, paths, prompt, from, to: end + lasts_ms }]
      })
    })
  })
}

/** Everything in the workspace, with its content. */
export function filesIn(theatre: Theatre): Record<string, string> {
  const found: Record<string, string> = {}
  for (const entry of readdirSync(theatre.ws, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(theatre.ws.length + 1)
    if (entry.isFile() && !path.startsWith('.timewarp/')) found[path] = theatre.read(path)
  }
  return found
}

// Snapshots are looked at field by field.
// oxlint-disable-next-line typescript/no-explicit-any
type Snapshot = any

/** Somebody at work until the returned function is called, which gives what they did. */
export function startPerson(theatre: Theatre): () => Promise<Deed[]> {
  const log = join(theatre.dir, 'person.log')
  const child = spawn(process.execPath, [join(import.meta.dirname, 'person.ts'), theatre.ws, log], { stdio: 'inherit' })
  return async () => {
    child.kill('SIGTERM')
    await new Promise((done) => child.on('close', done))
    return readFileSync(log, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Deed)
  }
}

interface Told {
  readonly timeline: readonly Snapshot[]
  readonly sessions: Readonly<Record<string, string>>
  readonly prompts: ReadonlyMap<string, string>
}

export class Story {
  readonly timeline: readonly Snapshot[]
  readonly #calls: readonly ScriptedCall[]
  /** The id of the session of each agent. */
  readonly #sessions: Readonly<Record<string, string>>
  readonly #prompts: ReadonlyMap<string, string>
  readonly #theatre: Theatre

  private constructor(theatre: Theatre, calls: readonly ScriptedCall[], { timeline, sessions, prompts }: Told) {
    this.#theatre = theatre
    this.#calls = calls
    this.#sessions = sessions
    this.timeline = timeline
    this.#prompts = prompts
  }

  /** `sessions` names the session of each agent. */
  static async of(theatre: Theatre, calls: readonly ScriptedCall[], sessions: Told['sessions']): Promise<Story> {
    const listed = (await theatre.call('session_list', { limit: 100 })).sessions as {
      prompts: { text: string; prompt_id: string }[]
    }[]
    const prompts = new Map(listed.flatMap((one) => one.prompts.map((p) => [bare(p.text), p.prompt_id] as const)))
    return new Story(theatre, calls, { timeline: await theatre.timeline(), sessions, prompts })
  }

  /** What is wrong in the timeline, change by change; nothing should be. */
  mistakes(): string[] {
    return this.timeline.flatMap((snapshot) =>
      snapshot.cause.role === 'change' && snapshot.base !== null
        ? snapshot.affected_files.flatMap((path: string) => this.#mistake(snapshot, path) ?? [])
        : [],
    )
  }

  #mistake({ cause, snapshot_id }: Snapshot, path: string): string | undefined {
    // A look of somebody else's may come upon the draft of an edit, before the client renames it.
    const draft = path.lastIndexOf('.tmp.')
    const able = this.#calls.filter(
      ({ kind, paths }) => paths.includes(path) || (kind === 'edit' && paths.includes(path.slice(0, draft))),
    )
    const told = `${snapshot_id}: ${path} is told to be of ${JSON.stringify({ ...cause, tool_input: undefined })}`
    if (path.startsWith('person/')) {
      const isRight = cause.shared
        ? cause.shared.some((one: Snapshot) => one.session_id === null)
        : cause.session_id === undefined
      return isRight ? undefined : told
    }
    if (able.length === 0) return `${told}, and nobody was to touch it`
    if (cause.shared) {
      // An edit names its file: of that there is no doubt.
      const isRight = able.some(
        (call) => call.kind !== 'edit' && cause.shared.some((one: Snapshot) => this.#is(call, one)),
      )
      return isRight ? undefined : told
    }
    const call = able.find((one) => this.#is(one, cause))
    return call && cause.prompt_id === this.#prompts.get(call.prompt) ? undefined : told
  }

  #is = ({ id, by }: ScriptedCall, told: Snapshot): boolean =>
    told.call_id === id && told.session_id === this.#sessions[by]

  /** Paths of which nobody can tell who changed them. */
  sharedPaths(): Set<string> {
    return new Set(this.timeline.filter(({ cause }) => cause.shared).flatMap(({ affected_files }) => affected_files))
  }

  /** What a person did while no command ran must be told as theirs, not as perhaps theirs. */
  async expectPerson(deeds: readonly Deed[]): Promise<void> {
    const busy = this.#calls.filter(({ kind }) => kind !== 'edit')
    const isClear = ({ at }: Deed): boolean =>
      busy.every(({ from, to }) => at < from - MARGIN_MS || at > to + MARGIN_MS)
    const clear = deeds.filter(isClear)
    expect(clear.length, 'deeds while no command ran').toBeGreaterThan(5)
    const byLine = await this.#blamed(new Set(deeds.map(({ path }) => path)))
    for (const { path, line } of clear) {
      const snapshot = byLine.get(`${path}:${line}`)
      expect([line, snapshot?.cause.session_id, snapshot?.cause.shared]).toEqual([line, undefined, undefined])
    }
    for (const { path, line } of deeds) expect(byLine.has(`${path}:${line}`), line).toBe(true)
  }

  /** Each line with the snapshot that wrote it. */
  async #blamed(paths: ReadonlySet<string>): Promise<Map<string, Snapshot>> {
    const found = new Map<string, Snapshot>()
    for (const path of paths)
      for (const { text, snapshot_id } of (await this.#theatre.call('blame', { path })).lines)
        found.set(`${path}:${text}`, this.timeline.find((one) => one.snapshot_id === snapshot_id) ?? { cause: {} })
    return found
  }

  /** Every line of what an agent wrote names the prompt for which it did. */
  async expectPrompts(): Promise<void> {
    const shared = this.sharedPaths()
    const paths = new Set(this.#calls.flatMap((call) => call.paths))
    for (const path of paths) {
      if (!existsSync(join(this.#theatre.ws, path)) || shared.has(path)) continue
      const asked = new Set(
        this.#calls.filter((call) => call.paths.includes(path)).map((call) => this.#prompts.get(call.prompt)),
      )
      for (const line of (await this.#theatre.call('blame', { path })).lines)
        if (line.prompt_id !== null || !line.path.startsWith('base'))
          expect([path, asked.has(line.prompt_id)]).toEqual([path, true])
    }
  }

  /** Taking a session back leaves what others did, and all else is as it was, byte for byte. */
  expectReverted(session: string, original: Readonly<Record<string, string>>, atLeast: number): void {
    const before = filesIn(this.#theatre)
    const shared = this.sharedPaths()
    const { conflicts } = this.#theatre.tw('revert', `session:${session}`)
    expect(conflicts).toEqual([])
    const after = filesIn(this.#theatre)
    const persons = Object.keys(before).filter((path) => path.startsWith('person/'))
    expect(persons.length).toBeGreaterThan(0)
    for (const path of persons) expect([path, after[path]]).toEqual([path, before[path]])
    const touched = new Set(this.#calls.flatMap(({ paths }) => paths).filter((path) => !shared.has(path)))
    expect(touched.size).toBeGreaterThanOrEqual(atLeast)
    for (const path of touched) expect([path, after[path]]).toEqual([path, original[path]])
  }
}

/** opencode puts words from the command line into quotes. */
const bare = (text: string): string => text.replace(/^"(.*)"$/s, (_, inner: string) => inner)

/** Clocks and hooks take their time. */
const MARGIN_MS = 700
