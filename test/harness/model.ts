import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describeTree, type Tree } from '../kit/tree.ts'
import type { Scene } from './scene.ts'
import type { Json, Surfaces } from './surfaces.ts'

/** A state by path: what kind of thing is there, its mode and its bytes. */
export type State = ReadonlyMap<string, string>

/** What is there now. Pipes and sockets are never captured. */
export function stateOf(root: string): State {
  return stateIn(describeTree(root, ['.timewarp', '.git']))
}

function stateIn(tree: Tree): State {
  const captured = Object.entries(tree).filter(([, { kind }]) => ['file', 'directory', 'symlink'].includes(kind))
  return new Map(
    captured.map(([path, { kind, mode, content }]) => [
      path,
      `${kind} ${kind === 'symlink' ? '' : mode} ${content ?? ''}`,
    ]),
  )
}

export const isSame = (a: State, b: State): boolean =>
  a.size === b.size && [...a].every(([path, what]) => b.get(path) === what)

/** In which paths two states differ, and how. */
export function differences(wanted: State, found: State): string[] {
  const paths = [...new Set([...wanted.keys(), ...found.keys()])].filter((path) => wanted.get(path) !== found.get(path))
  return paths.map(
    (path) => `${JSON.stringify(path)}: wanted ${wanted.get(path) ?? 'nothing'}, found ${found.get(path) ?? 'nothing'}`,
  )
}

/** What was answered, and therefore can be brought back. */
export class Model {
  readonly #scene: Scene
  readonly #surfaces: Surfaces
  readonly #states = new Map<string, State>()
  #copies = 0

  constructor(scene: Scene, surfaces: Surfaces) {
    this.#scene = scene
    this.#surfaces = surfaces
  }

  get ids(): string[] {
    return [...this.#states.keys()]
  }

  state(id: string): State | undefined {
    return this.#states.get(id)
  }

  /** A snapshot that was answered holds this state. Says what is wrong if it was to hold another. */
  note(id: unknown, state: State): string | undefined {
    if (typeof id !== 'string') return undefined
    const known = this.#states.get(id)
    this.#states.set(id, state)
    if (known === undefined || isSame(known, state)) return undefined
    return `${id} was answered for two states: ${differences(known, state).slice(0, 5).join('; ')}`
  }

  /** Snapshots that an answer says are gone. */
  drop(ids: Json): void {
    for (const id of Array.isArray(ids) ? ids : []) this.#states.delete(id)
  }

  /** Brings a snapshot back into a folder of its own and compares. Undefined when all is well. */
  async check(id: string): Promise<string | undefined> {
    const wanted = this.#states.get(id)
    if (wanted === undefined) return undefined
    const dir = join(this.#scene.free, `copy-${++this.#copies}`)
    const answer = await this.#surfaces.call('cli-alone', 'materialise', { snapshot_id: id, dir })
    if (answer.wrong) return answer.wrong
    if (!answer.ok && answer.code === 'NO_SPACE') return undefined
    if (!answer.ok) return `${id} cannot be brought back: ${answer.said.slice(0, 500)}`
    const found = stateOf(dir)
    rmSync(dir, { recursive: true, force: true })
    const wrong = differences(wanted, found)
    return wrong.length === 0 ? undefined : `${id} came back wrong: ${wrong.slice(0, 5).join('; ')}`
  }
}
