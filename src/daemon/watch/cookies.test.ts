import { mkdirSync, mkdtempSync, readdirSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { watchFolder } from '../../host/files/watch.ts'
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

test('with its folder gone it says the truth, nothing is waited for twice, and the next ones are answered', async () => {
  open(true)
  await Promise.all([cookies.sync(), cookies.sync()])
  const told = new Set<string>()
  const watcher = watch(join(dir, 'watched'), (_, name) => told.add(`${name}`))
  rmSync(join(dir, 'cookies'), { recursive: true })
  writeFileSync(join(dir, 'watched', 'file'), '')
  const started = performance.now()
  // Some systems tell of files that have no name any more.
  const some = await Promise.all([cookies.sync(100), cookies.sync(100), cookies.sync(5000)])
  if (some.includes(true)) expect(told).toContain('file')
  expect(some).toContain(false)
  expect(await Promise.all([cookies.sync(), cookies.sync()])).toEqual([true, true])
  expect(performance.now() - started).toBeLessThan(2500)
  watcher.close()
})

test('without a watch left it opens, says so at once, and hears again when there is one', async () => {
  let left = 0
  cookies = new Cookies(join(dir, 'cookies'), true, (...args) => {
    if (left === 0)
      throw Object.assign(new Error('System limit for number of file watchers reached'), { code: 'ENOSPC' })
    return watchFolder(...args)
  })
  cookies.open()
  const started = performance.now()
  expect(await cookies.sync()).toBe(false)
  expect(performance.now() - started).toBeLessThan(500)
  left = 1
  expect(await cookies.sync()).toBe(true)
})
