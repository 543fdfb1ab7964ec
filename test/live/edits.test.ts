import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { microsOf, setTimeOf } from '../../src/host/files/fs.ts'
import { whenPassing } from '../kit/workspace.ts'
import { newWarm, type Warm } from './warm.ts'

/** An edit knows what it wrote and does not read it again: whatever others do to it at once must be found all the same. */

const LARGE = 400_000
const ROUNDS = 12
const text = (n: number): string => `{${n}}`.padEnd(20) + 'x'.repeat(LARGE)

interface Edited {
  readonly snapshot_id: string
  readonly warnings: readonly string[]
}

async function edit({ daemon, workspace }: Warm, from: string, to: string): Promise<Edited> {
  const input = { workspace: workspace.root, path: 'f', search_block: from, replace_block: to }
  return (await daemon.call('apply_edit_block', input)).output as Edited
}

/** Other bytes, as many as before, and the times as they were as far as anybody can set them. */
function rewriteUnseen(file: string, at: number, letter: string): void {
  const { mtimeNs } = fs.statSync(file, { bigint: true })
  const fd = fs.openSync(file, 'r+')
  fs.writeSync(fd, letter, at)
  setTimeOf(fd, microsOf(mtimeNs))
  fs.closeSync(fd)
}

test.for([text(0), '{0}'])('what is written to a file right after an edit of it is captured', async (content) => {
  const warm = newWarm({ f: content })
  await warm.warm()
  for (let n = 0; n < ROUNDS; n++) {
    await edit(warm, `{${n}`, `{${n + 1}`)
    rewriteUnseen(warm.workspace.at('f'), 0, n % 2 === 0 ? '[' : '(')
    expect((await warm.warm()).tree).toBe((await warm.cold()).tree)
    rewriteUnseen(warm.workspace.at('f'), 0, '{')
  }
})

test('an edit right after an edit sees what was written in between', async () => {
  const warm = newWarm({ f: text(0) })
  await warm.warm()
  for (let n = 0; n < ROUNDS; n++) {
    await edit(warm, `{${n}}`, `{${n + 1}}`)
    rewriteUnseen(warm.workspace.at('f'), LARGE, String.fromCharCode(97 + n))
    await edit(warm, `{${n + 1}}`, `{${n + 1}} `)
    expect(warm.workspace.read('f').charAt(LARGE + 1)).toBe(String.fromCharCode(97 + n))
    await edit(warm, `{${n + 1}} `, `{${n + 1}}`)
  }
  expect((await warm.warm()).tree).toBe((await warm.cold()).tree)
})

test.for(['pack:block', 'store:synced', 'change:journal', 'restore:applied', 'capture:trees'])(
  'what happens beside an edit at %s is captured by the next look',
  async (where) => {
    const warm = newWarm({ f: text(0), g: 'before', 'a/b': 'before' })
    await warm.warm()
    await edit(warm, '{0}', '{1}')
    whenPassing(where, () => warm.workspace.write({ g: 'beside', 'a/b': 'below', 'a/c': 'new' }))
    await edit(warm, '{1}', '{2}')
    expect((await warm.warm()).tree).toBe((await warm.cold()).tree)
  },
)

test('edits one after the other leave the same as a scan finds, and nothing open or aside', async () => {
  const warm = newWarm({ f: text(0), 'a/b': 'b' })
  await warm.warm()
  for (let n = 0; n < ROUNDS; n++) await edit(warm, `{${n}}`, `{${n + 1}}`)
  expect(warm.sight.sight).toBe('warm')
  expect((await warm.warm()).tree).toBe((await warm.cold()).tree)
  expect(fs.readdirSync(warm.workspace.at('.timewarp/aside'))).toEqual([])
  await expect.poll(openDeleted).toEqual([])
})

/** Files of the workspaces that are gone by name and still held open. */
function openDeleted(): string[] {
  if (process.platform !== 'linux') return []
  return fs.readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = fs.readlinkSync(`/proc/self/fd/${fd}`)
      return path.includes('/.timewarp/aside/') ? [path] : []
    } catch {
      return []
    }
  })
}
