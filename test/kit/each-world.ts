import { copyFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { setPointHook } from '../../src/host/points.ts'
import { makeWorld, removeWorld, setConfig, type World } from './world.ts'

/** A world of its own for each test of a file, with these settings. */
export function eachWorld(config?: object): World {
  let world: World
  beforeEach(() => {
    world = makeWorld()
    if (config) setConfig(world, config)
  })
  afterEach(() => {
    setPointHook(undefined)
    removeWorld(world)
  })
  return {
    get dir() {
      return world.dir
    },
    get home() {
      return world.home
    },
    get ws() {
      return world.ws
    },
  }
}

/** The records alone go back to what was saved. */
export function recordsGoBack({ dir, home }: World): void {
  const isRecords = (name: string): boolean => name.startsWith('timewarp.db')
  for (const name of readdirSync(home).filter(isRecords)) rmSync(join(home, name))
  const saved = join(dir, 'saved', 'home')
  for (const name of readdirSync(saved).filter(isRecords)) copyFileSync(join(saved, name), join(home, name))
}
