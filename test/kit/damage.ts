import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { packNames, scanPack } from '../../src/store/pack-scan.ts'
import type { World } from './world.ts'

/** Ways to break a store. */

export const objectsDir = ({ home }: World): string => join(home, 'objects')
export const packs = (world: World): string[] => packNames(objectsDir(world))

export function flipBit(file: string, at: number, bit: number): void {
  const bytes = readFileSync(file)
  bytes[at] = (bytes[at] as number) ^ (1 << bit)
  writeFileSync(file, bytes)
}

export interface Spot {
  readonly pack: string
  readonly at: number
  readonly where: 'pack header' | 'block header' | 'directory' | 'payload'
}

/**
 * Every part of every pack that holds objects, with one place in each that `pick` (0 ≤ x < 1) chooses. A block without objects is
 * a mark behind them that the records were written: nothing is lost with it, so its damage is no damage of the store.
 */
export function spots(world: World, pick: () => number): Spot[] {
  return packs(world).flatMap((pack) => {
    const within = (where: Spot['where'], from: number, to: number): Spot[] =>
      to > from ? [{ pack, where, at: from + Math.floor(pick() * (to - from)) }] : []
    const blocks = [...scanPack(objectsDir(world), pack)].filter(({ head }) => head.directory.length > 0)
    return [
      ...within('pack header', 0, 32),
      ...blocks.flatMap(({ offset, head }) => [
        ...within('block header', offset, offset + 24),
        ...within('directory', offset + 24, offset + head.head),
        ...within('payload', offset + head.head, offset + head.head + head.stored),
      ]),
    ]
  })
}

export const packSize = (world: World, pack: string): number => statSync(join(objectsDir(world), pack)).size

/** Changes the records behind the house's back. */
export function inDatabase<T>({ home }: World, act: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(join(home, 'timewarp.db'))
  try {
    return act(db)
  } finally {
    db.close()
  }
}
