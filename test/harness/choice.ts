import type { Random } from '../../bench/random.ts'
import {
  comeHome,
  edit,
  forget,
  hands,
  hostile,
  ordinary,
  prune,
  restore,
  revert,
  step,
  travel,
  typed,
} from './acts.ts'
import { type Act, capture } from './calls.ts'
import { weighted } from './hands.ts'
import { fillDisk, interrupted, killDaemon, root } from './troubles.ts'

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
