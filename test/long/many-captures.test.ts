import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rounds } from '../kit/rounds.ts'
import { newLive, until } from '../live/kit.ts'

/** What thousands of small captures leave behind once the daemon has had a pause. */

const FILES = 300
const FULL = 20_000
const CAPTURES = rounds(FULL)
const MiB = 1024 * 1024
/** 30 MB for all of them; of fewer, what is always there counts for more. */
const MOST_BYTES = 4e6 + 26e6 * (CAPTURES / FULL)
const MOST_FILES = 200

function filesBelow(dir: string): string[] {
  return fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

test('captures of one line each leave few files and few bytes once the daemon is idle', {
  timeout: 3_600_000,
}, async () => {
  const names = Array.from({ length: FILES }, (_, i) => `file-${i}.txt`)
  const live = newLive(Object.fromEntries(names.map((name, i) => [name, `line ${i}\n`])))
  await live.serve()
  const taken: string[] = []
  for (let i = 0; i < CAPTURES; i++) {
    fs.writeFileSync(join(live.root, names[i % FILES] as string), `line of change ${i}\n`)
    const { json } = await live.call('snapshot')
    expect(json.created, JSON.stringify(json)).toBe(true)
    taken.push(json.snapshot_id)
  }
  const used = () => {
    const sizes = filesBelow(live.home).map((file) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0)
    return { files: sizes.length, bytes: sizes.reduce((a, b) => a + b, 0) }
  }
  const isSmall = (): boolean => used().files <= MOST_FILES && used().bytes <= MOST_BYTES
  await until('the daemon has merged its packs', () => isSmall() || undefined, 600_000).catch(() => {})
  const { files, bytes } = used()
  console.log(`${CAPTURES} captures: ${files} files, ${(bytes / MiB).toFixed(1)} MiB`)
  expect(files).toBeLessThanOrEqual(MOST_FILES)
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES)
  for (const i of [0, Math.floor(CAPTURES / 2), CAPTURES - 1]) {
    const { json } = await live.call('cat', { snapshot_id: taken[i], path: names[i % FILES] })
    expect(json.content, JSON.stringify(json)).toBe(`line of change ${i}\n`)
  }
  const { json } = await live.call('fsck')
  expect(json).toMatchObject({ ok: true })
})
