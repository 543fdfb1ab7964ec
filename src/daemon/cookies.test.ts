import { mkdirSync, mkdtempSync, readdirSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Cookies } from './cookies.ts'

let dir: string
let cookies: Cookies

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cookies-'))
  mkdirSync(join(dir, 'watched'))
})
afterEach(() => {
  cookies.close()
  rmSync(dir, { recursive: true, force: true })
})

function open(reuse: boolean): void {
  cookies = new Cookies(join(dir, 'cookies'), reuse)
  cookies.open()
}

test.each([true, false])('everything that happened before it has been told (files used again: %s)', async (reuse) => {
  open(reuse)
  const told = new Set<string>()
  const watcher = watch(join(dir, 'watched'), (_, name) => told.add(`${name}`))
  for (let round = 0; round < 300; round++) {
    const names = Array.from({ length: 1 + (round % 7) }, (_, i) => `${round}-${i}`)
    for (const name of names) writeFileSync(join(dir, 'watched', name), '')
    expect(await cookies.sync()).toBe(true)
    expect(names.filter((name) => !told.has(name))).toEqual([])
  }
  watcher.close()
})

test('several may wait at once, and few files are made', async () => {
  open(true)
  for (let round = 0; round < 20; round++)
    expect(await Promise.all(Array.from({ length: 8 }, () => cookies.sync()))).toEqual(Array(8).fill(true))
  expect(readdirSync(join(dir, 'cookies')).length).toBeLessThanOrEqual(8)
})

test('with its folder gone it says the truth, and nothing is waited for twice', async () => {
  open(true)
  await Promise.all([cookies.sync(), cookies.sync()])
  const told = new Set<string>()
  const watcher = watch(join(dir, 'watched'), (_, name) => told.add(`${name}`))
  rmSync(join(dir, 'cookies'), { recursive: true })
  writeFileSync(join(dir, 'watched', 'file'), '')
  // Some systems tell of files that have no name any more.
  if (await cookies.sync(100)) expect(told).toContain('file')
  const started = performance.now()
  const more = [cookies.sync(5000), cookies.sync(5000), cookies.sync(5000)]
  expect(await Promise.all(more)).toContain(false)
  expect(performance.now() - started).toBeLessThan(2500)
  watcher.close()
})
